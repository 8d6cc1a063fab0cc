"""What a developer imports: every type that a signature mentions can be had and is described."""

import collections.abc
import inspect
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from numpy.typing import NDArray
from python_reference import public_members, python_page

import ai_smartness
from ai_smartness import Memory

EXPORTS = {name: getattr(ai_smartness, name) for name in ai_smartness.__all__}
STANDARD_NAMES = {name: getattr(collections.abc, name) for name in collections.abc.__all__}
STANDARD_NAMES |= {"Any": Any, "Self": typing.Self, "Path": Path, "datetime": datetime}
STANDARD_NAMES |= {"NDArray": NDArray, "np": np}

CLASSES = {name: item for name, item in EXPORTS.items() if isinstance(item, type)}


def functions_of(owner: type) -> Iterator[Callable[..., object]]:
    """Yield the functions behind the public members of a class."""
    for name in dir(owner):
        member = inspect.getattr_static(owner, name)
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            assert member.fget
            yield member.fget
        elif isinstance(member, cached_property):
            yield member.func
        elif isinstance(member, classmethod | staticmethod):
            yield member.__func__
        elif inspect.isfunction(member):
            yield member


def types_in(hint: object) -> Iterator[type]:
    """Yield the classes that a hint is made of."""
    if isinstance(hint, list):
        for inner in hint:
            yield from types_in(inner)
    if isinstance(hint, type) and not get_args(hint):
        yield hint
    for inner in get_args(hint):
        yield from types_in(inner)


def missing_exports(documented: object) -> list[str]:
    """Name our own types that stand in the hints and are not exported."""
    # Only exported names are known here, so a hint that names another type raises NameError.
    hints = get_type_hints(documented, globalns=EXPORTS | STANDARD_NAMES)
    own = {kind for hint in hints.values() for kind in types_in(hint)}
    return sorted(
        kind.__name__
        for kind in own
        if kind.__module__.startswith("ai_smartness") and kind not in CLASSES.values()
    )


@pytest.mark.parametrize(
    "function", [*functions_of(Memory)], ids=lambda function: function.__name__
)
def test_every_type_in_a_signature_of_memory_is_exported(function: Callable[..., object]) -> None:
    assert missing_exports(function) == []


@pytest.mark.parametrize("name", [name for name in CLASSES if not issubclass(CLASSES[name], Enum)])
def test_every_type_that_an_exported_type_mentions_is_exported_too(name: str) -> None:
    exported = CLASSES[name]

    missing = missing_exports(exported)
    for function in functions_of(exported):
        missing += missing_exports(function)

    assert missing == []


def test_the_page_of_the_library_has_every_type_and_every_method() -> None:
    page = python_page()

    assert [name for name in EXPORTS if name != "Memory" and f"### `{name}`\n" not in page] == []
    assert [name for name in public_members() if f"#### `{name}`\n" not in page] == []


def test_the_package_says_that_it_is_typed_and_has_a_stub_of_its_exports() -> None:
    package = files("ai_smartness")

    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("__init__.pyi").is_file()


def test_a_name_that_is_not_exported_is_refused_by_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Recollection'"):
        _ = ai_smartness.Recollection  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "statement", ["import ai_smartness", "from ai_smartness import Memory, Message, Injection"]
)
def test_importing_the_library_loads_no_heavy_library(statement: str) -> None:
    heavy = ("numpy", "onnxruntime", "tokenizers", "click", "mcp")
    program = f"import sys; {statement}; print([n for n in {heavy} if n in sys.modules])"

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert printed.stdout.decode().strip() == "[]"

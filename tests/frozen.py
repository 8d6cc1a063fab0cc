"""A product whose outside is fixed: one clock, one embedder, ids in order, no measured time.

The parts are replaced wherever a module of ours has them, by identity. No module is named
here, so that moving one does not matter.
"""

import importlib
import inspect
import itertools
import pkgutil
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, tzinfo
from functools import cache
from types import ModuleType
from unittest import mock

import ai_smartness
from ai_smartness.testing import HashEmbedder
from ai_smartness.wiring import load_embedder

__all__ = ["Clock", "frozen"]

DIMENSION = 256


class Clock:
    """The one clock of a frozen product."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment


@contextmanager
def frozen(moment: datetime) -> Iterator[Clock]:
    """Have the product stand at a moment while inside, with the embedder that hashes words."""
    clock, model, numbers = Clock(moment), HashEmbedder(DIMENSION), itertools.count(1)
    replaced: dict[int, object] = {
        id(datetime): _datetime_of(clock),
        id(load_embedder): lambda *_args, **_more: model,
        id(uuid.uuid4): lambda: uuid.uuid5(uuid.NAMESPACE_OID, str(next(numbers))),
        id(time.perf_counter): lambda: 0.0,
    }
    with contextmanager(_patched)(replaced):
        yield clock


def _patched(replaced: dict[int, object]) -> Iterator[None]:
    patches = [
        mock.patch.object(module, name, replaced[id(value)])
        for module in _our_modules()
        for name, value in list(vars(module).items())
        # Elsewhere the type is only a type, which some look up by what it is.
        if id(value) in replaced and (value is not datetime or "datetime.now(" in _source(module))
    ]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in reversed(patches):
            each.stop()


@cache
def _source(module: ModuleType) -> str:
    return inspect.getsource(module)


def _our_modules() -> list[ModuleType]:
    """Load every module of the package, so that none is loaded later with parts of its own."""
    for found in pkgutil.walk_packages(ai_smartness.__path__, "ai_smartness."):
        # An integration needs the framework that it is for, and no snapshot is of one.
        if not found.name.endswith("__main__") and ".integrations." not in found.name:
            importlib.import_module(found.name)
    ours = ("ai_smartness.", "ai_smartness")
    return [
        module
        for name, module in sys.modules.items()
        if name.startswith(ours) and name != "ai_smartness.testing"
    ]


def _datetime_of(clock: Clock) -> type[datetime]:
    """Return a `datetime` whose now is the clock's, and which knows others as its own."""

    class AnyMoment(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, datetime)

    class Moment(datetime, metaclass=AnyMoment):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return clock.moment.astimezone(tz)

    return Moment

"""Write docs/reference/python.md and the type stubs of the package from the code itself.

`scripts/reference.py` calls this together with the other generated pages.
"""

import ast
import collections.abc
import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from textwrap import fill, indent
from typing import Any, is_typeddict

import ai_smartness
from ai_smartness import AsyncMemory, Memory
from ai_smartness.memory import async_memory

__all__ = ["async_stub", "package_stub", "parameter_texts", "public_members", "python_page"]

EXPORTS: dict[str, tuple[str, ...]] = vars(ai_smartness)["_EXPORT_MODULES"]

LINE_CHARACTERS = 110
_CONSTANTS = frozenset({"None", "True", "False"})

OPENING = """\
# The Python library

<!-- Written by `scripts/reference.py`; do not edit. -->

Everything here is imported from `ai_smartness`: `from ai_smartness import Memory, Message`. The
package is typed (`py.typed`), and importing it loads none of the heavier libraries.
[library.md](../library.md) shows how to use it, and what holds with threads and with `async`.

Every method that changes something returns an [`Outcome`](#outcome): `number` is what `undo`
takes. Methods with `dry_run` return the same without changing anything. An id may be the start of
one, as long as only one thread, statement or session begins so.

"""

MEMORY_SECTIONS = {
    "Memory": "Open and close",
    "MemoryBase": "Models and derived data",
    "MessageVerbs": "Messages, search and threads",
    "BrowseVerbs": "Lists and overviews, cut to size",
    "RecallVerbs": "Recall and injection",
    "BriefVerbs": "The brief of a session",
    "StatementVerbs": "Statements",
    "ThreadVerbs": "Organise threads",
    "SteeringVerbs": "Focus, pins, ratings, suggestions",
    "AgentLogVerbs": "Your own log, condensing, handoffs",
    "DocumentVerbs": "Documents",
    "UpkeepVerbs": "Import, export, deletion",
    "TeamVerbs": "Share with a team",
}
"""The classes that `Memory` is made of, and what their methods are about."""

TYPE_SECTIONS = {
    "memory.async_memory": "With `async`",
    "model.event": "Messages and events",
    "capture.capture": "The outcome of a capture",
    "model.search": "Search and recall",
    "model.injection": "Injection",
    "model.session": "Sessions and the ledger",
    "model.brief": "The brief",
    "model.handoff": "Handoffs",
    "model.thread": "Threads",
    "model.browse": "Lists and overviews of threads",
    "threads.history": "Threads in the past",
    "model.bridge": "Bridges",
    "model.annotation": "Annotations of messages",
    "model.split": "Splits",
    "model.statement": "Statements",
    "model.focus": "Focus",
    "model.suggestion": "Suggestions",
    "model.journal": "Changes and the journal",
    "model.compaction": "Compaction of a project",
    "model.condensation": "Condensing a thread",
    "condense": "Condensers of your own",
    "model.document": "Documents of your own",
    "model.shared_item": "What a team shares",
    "model.erasure": "Deletion",
    "model.transfer": "Import and export",
    "ports.transfer": "Transcripts",
    "transfer.markdown_export": "Markdown pages",
    "model.status": "Status",
    "ports.services": "Models and progress",
    "model.errors": "Errors",
    "model.link": "Ways out of an error, and next steps",
}
"""The modules of the exported types, in the order of the page."""


def python_page() -> str:
    """Return docs/reference/python.md."""
    parts = [OPENING + "## Memory\n", f"{_wrapped_doc(Memory)}\n"]
    for owner, title in MEMORY_SECTIONS.items():
        parts.append(f"### {title}\n")
        parts += (_described_method(name) for name in public_members(owner))
    for module, title in TYPE_SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += (_described_type(module, name) for name in EXPORTS[module])
    return "\n".join(parts).rstrip() + "\n"


def public_members(owner: str | None = None) -> list[str]:
    """Name the public members of `Memory`, or those that one of its classes defines."""
    return [
        name
        for kind in reversed(Memory.__mro__[:-1])
        if owner in (None, kind.__name__)
        for name in vars(kind)
        if not name.startswith("_")
    ]


def package_stub() -> str:
    """Return `__init__.pyi`, which tells type checkers and editors what is exported."""
    imports = (
        f"from ai_smartness.{module} import {', '.join(names)}" for module, names in EXPORTS.items()
    )
    names = sorted(name for names in EXPORTS.values() for name in names)
    return _formatted_stub(
        f'"""{ai_smartness.__doc__}"""\n\n' + "\n".join(imports) + f"\n\n__all__ = {names!r}\n"
    )


def async_stub() -> str:
    """Return `async_memory.pyi`: the module as it is, and the verbs that it makes from `Memory`."""
    source = inspect.getsource(async_memory)
    written = ast.parse(source)
    own = [_stub_class(node) for node in written.body if isinstance(node, ast.ClassDef)]
    verbs = "\n".join(_awaited_signature(name) for name in public_members())
    body = own[0] + verbs + "\n\n" + "\n".join(own[1:])
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    names = sorted(name for names in EXPORTS.values() for name in names if name in used)
    names = [name for name in names if name not in ("AsyncMemory", "OpeningMemory")]
    return _formatted_stub(
        f'"""{async_memory.__doc__}"""\n\n'
        f"from collections.abc import {', '.join(used & {*collections.abc.__all__})}\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from datetime import datetime\nfrom pathlib import Path\nfrom typing import Any, Self\n\n"
        f"from ai_smartness import {', '.join(names)}\n\n"
        f"__all__ = {async_memory.__all__!r}\n\nPLAIN_MEMBERS: frozenset[str]\n\n{body}"
    )


def _stub_class(node: ast.ClassDef) -> str:
    """Write a class with its public and special methods, without what they do."""
    kept = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    methods = []
    for method in kept:
        if method.name.startswith("_") and not method.name.startswith("__"):
            continue
        doc = ast.get_docstring(method)
        method.body = [ast.Expr(ast.Constant(doc))] if doc else [ast.Expr(ast.Constant(...))]
        methods.append(indent(ast.unparse(method), "    "))
    doc = indent(f'"""{ast.get_docstring(node)}\n"""', "    ")
    return f"class {node.name}:\n{doc}\n\n" + "\n".join(methods) + "\n"


def _awaited_signature(name: str) -> str:
    """Write a verb of `Memory` as one that is awaited; nothing for a member that is none."""
    verb = inspect.getattr_static(Memory, name)
    if name in async_memory.PLAIN_MEMBERS or not inspect.isfunction(verb):
        return ""
    signature = inspect.signature(verb)
    returned = re.sub(r"^Iterator\[", "list[", str(signature.return_annotation))
    parameters = ", ".join(["self", *map(_stub_default, parameter_texts(signature))])
    doc = inspect.getdoc(verb) or ""
    closing = '\n"""' if "\n" in doc else '"""'
    text = indent(f'"""{doc}{closing}', "    ")
    return indent(f"async def {name}({parameters}) -> {returned}:\n{text}\n", "    ")


def _stub_default(parameter: str) -> str:
    """Leave out a default that a stub cannot name, such as a function."""
    return re.sub(
        r" = [A-Za-z_.]+$", lambda m: m[0] if m[0][3:] in _CONSTANTS else " = ...", parameter
    )


def _formatted_stub(text: str) -> str:
    """Return a stub as `ruff format` writes it."""
    for step in (["check", "--quiet", "--fix", "--select", "I,RUF022"], ["format"]):
        program = [str(Path(sys.executable).with_name("ruff")), *step]
        text = subprocess.run(  # noqa: S603 - the formatter of this project
            [*program, "--stdin-filename", "src/ai_smartness/stub.pyi", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return text


def _described_method(name: str) -> str:
    member: Any = inspect.getattr_static(Memory, name)
    if isinstance(member, classmethod | staticmethod):
        member = member.__func__
    if callable(member):
        signature = _signature_text(name, inspect.signature(member))
    else:
        member = member.fget if isinstance(member, property) else member.func
        signature = f"{name}: {inspect.signature(member).return_annotation}"
    return f"#### `{name}`\n\n```\n{signature}\n```\n\n{_wrapped_doc(member)}\n"


def _signature_text(name: str, signature: inspect.Signature) -> str:
    """Write a signature as one would read it: without `self`, a line for each if it is long."""
    parameters = list(parameter_texts(signature))
    returned = f"-> {signature.return_annotation}"
    line = f"{name}({', '.join(parameters)}) {returned}"
    if len(line) <= LINE_CHARACTERS:
        return line
    return "\n".join([f"{name}(", *(f"    {text}," for text in parameters), f") {returned}"])


def parameter_texts(signature: inspect.Signature) -> Iterator[str]:
    """Yield the parameters of a signature as they are written in code, without `self`."""
    is_keyword_only = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword_only:
            is_keyword_only = True
            yield "*"
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        written = _type_text(parameter.annotation)
        yield f"{stars}{parameter.name}: {written}{_default_text(parameter.default)}"


def _default_text(default: object) -> str:
    if default is inspect.Parameter.empty:
        return ""
    if isinstance(default, StrEnum):
        return f" = {type(default).__name__}.{default.name}"
    return f" = {getattr(default, '__name__', None) or repr(default)}"


def _described_type(module: str, name: str) -> str:
    exported = getattr(ai_smartness, name)
    opening = f"### `{name}`\n"
    if not isinstance(exported, type):
        return f"{opening}\n{_alias_doc(module, name)}\n"
    lines = [opening, f"{_wrapped_doc(exported)}\n"]
    if issubclass(exported, StrEnum):
        lines.append(", ".join(f"`{member.value}`" for member in exported) + ".\n")
    elif dataclasses.is_dataclass(exported):
        rows = [_field_row(field) for field in dataclasses.fields(exported)]
        if rows:
            lines.append("\n".join(["| field | type | default |", "|---|---|---|", *rows]) + "\n")
    lines += _described_members(exported)
    return "\n".join(lines)


def _alias_doc(module: str, name: str) -> str:
    """Return what stands for a type alias in its module, with the sentence below it."""
    source = inspect.getsource(import_module(f"ai_smartness.{module}"))
    match = re.search(rf'^{name}(?:: TypeAlias)? = (.+)\n"""((?:.|\n)+?)"""', source, re.MULTILINE)
    if match is None:
        msg = f"{name} of {module} needs a sentence below it that says what it is."
        raise ValueError(msg)
    return f"{' '.join(match[2].split())}\n\n```\n{name} = {match[1]}\n```"


def _field_row(field: "dataclasses.Field[object]") -> str:
    default = ""
    if field.default is not dataclasses.MISSING:
        default = f"`{_default_text(field.default).removeprefix(' = ')}`"
    elif field.default_factory is not dataclasses.MISSING:
        default = "empty"
    written = field.type if isinstance(field.type, str) else _type_text(field.type)
    escaped = written.replace("|", "\\|")
    return f"| `{field.name}` | `{escaped}` | {default} |"


def _type_text(annotation: object) -> str:
    """Write a type without the names of modules."""
    written = (
        annotation.__name__
        if isinstance(annotation, type) and not hasattr(annotation, "__args__")
        else str(annotation)
    )
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", written).replace("'", "")


def _described_members(exported: type) -> Iterator[str]:
    """Yield the public methods and properties of a type, one line each."""
    if issubclass(exported, StrEnum) or is_typeddict(exported):
        return
    members = {
        name: member
        for name, member in vars(exported).items()
        if exported is not AsyncMemory or name not in public_members()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    }
    for name, member in members.items():
        function: Any = member.fget if isinstance(member, property) else member
        sentence = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
        signature = inspect.signature(function)
        written = _type_text(signature.return_annotation)
        if not isinstance(member, property):
            shown = ", ".join(parameter_texts(signature))
            line = f"- `{name}({shown}) -> {written}`: {sentence}"
        else:
            line = f"- `{name}: {written}`: {sentence}"
        yield fill(line, LINE_CHARACTERS, subsequent_indent="  ", break_long_words=False)
    if members:
        yield ""


def _wrapped_doc(documented: object) -> str:
    doc = inspect.getdoc(documented) or ""
    if not doc or doc.startswith(f"{getattr(documented, '__name__', '')}("):
        msg = f"{documented} has no docstring, and the reference needs one."
        raise ValueError(msg)
    paragraphs = (
        fill(
            " ".join(part.split()),
            LINE_CHARACTERS,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for part in doc.split("\n\n")
    )
    return "\n\n".join(paragraphs)

"""Change a JSON text step by step, and nothing else in it.

Indentation, line ends, spacing and the order of the rest stay. What was added in a place of
its own and is removed again leaves the text as it was, byte for byte.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, assert_never

from ai_smartness.entrypoints.installing.plan import Append, Path, Put, Remove, Step, applied
from ai_smartness.model.errors import RefusedError

__all__ = ["edited", "read"]

BOM = "\ufeff"
SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
SCALAR = re.compile(r"[^\s,\]}]+")
INDENT = re.compile(r"[\[{]\r?\n([ \t]+)")
DEFAULT_INDENT = "  "
"""As the client itself writes its settings."""


@dataclass(slots=True)
class Node:
    """A value in the text: where it stands, and what it holds."""

    start: int
    end: int = 0
    names: list[str] = field(default_factory=list)
    children: list["Node"] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Where each child begins: at its name, if it has one."""

    def at(self, step: str | int) -> int:
        """Return which child is meant; of two with one name the later, as for whoever reads it."""
        if isinstance(step, int):
            return step
        return len(self.names) - 1 - self.names[::-1].index(step)


def read(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Return what the text says; an empty one says nothing, as an empty object does."""
    body = text.removeprefix(BOM)
    if not body.strip():
        return {}
    try:
        return json.loads(body, parse_constant=_no_number)
    except RecursionError as deep:
        msg = "it is nested too deep"
        raise RefusedError(msg) from deep
    except ValueError as wrong:
        msg = f"it is not JSON: {wrong}"
        raise RefusedError(msg) from wrong


def edited(text: str, steps: Sequence[Step]) -> str:
    """Return the text after the steps."""
    wanted = applied(read(text), steps)
    changed = text if text.removeprefix(BOM).strip() else "{}\n"
    style = _style(changed)
    for step in steps:
        changed = _edited(changed, step, style)
    # Two members of one name can make a step miss: see that the new text says what was meant.
    if read(changed) != wanted:
        return style.written(wanted, ascii_only=True) + style.line_end
    return changed


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is laid out; without an indentation all of it is on one line."""

    indent: str
    line_end: str

    def written(self, value: object, outer: str = "", *, ascii_only: bool = False) -> str:
        """Write a value that begins on a line of this indentation."""
        text = json.dumps(value, indent=self.indent or None, ensure_ascii=ascii_only)
        return text.replace("\n", self.line_end + outer)


def _style(text: str) -> Style:
    line_end = "\r\n" if "\r\n" in text else "\n"
    body = text.removeprefix(BOM).strip()
    if "\n" not in body and body != "{}":
        return Style("", line_end)
    indented = INDENT.search(text)
    return Style(indented[1] if indented else DEFAULT_INDENT, line_end)


def _edited(text: str, step: Step, style: Style) -> str:
    match step:
        case Remove(path):
            return _without(text, _found(text, path[:-1]), path[-1])
        case Put(path, name, value):
            return _with(text, _found(text, path), (f"{json.dumps(name)}: ", value), style)
        case Append(path, value):
            return _with(text, _found(text, path), ("", value), style)
        case _:
            assert_never(step)


def _with(text: str, node: Node, added: tuple[str, object], style: Style) -> str:
    name, value = added
    if not style.indent:
        glue = ", " if node.children else ""
        place = node.children[-1].end if node.children else node.start + 1
        return f"{text[:place]}{glue}{name}{style.written(value)}{text[place:]}"
    if node.children:
        indent = _indent_of(text, node.starts[-1])
        place = node.children[-1].end
        new = f",{style.line_end}{indent}{name}{style.written(value, indent)}"
        return f"{text[:place]}{new}{text[place:]}"
    outer = _indent_of(text, node.start)
    indent = outer + style.indent
    new = f"{style.line_end}{indent}{name}{style.written(value, indent)}{style.line_end}{outer}"
    # Behind it stays whatever blanks were between the brackets: they are there when it has gone.
    return f"{text[: node.start + 1]}{new}{text[node.start + 1 :]}"


def _without(text: str, node: Node, step: str | int) -> str:
    at = node.at(step)
    if len(node.children) == 1:
        return text[: node.start + 1] + _blanks_left(text, node) + text[node.end - 1 :]
    if at == 0:
        return text[: node.starts[0]] + text[node.starts[1] :]
    return text[: node.children[at - 1].end] + text[node.children[at].end :]


def _blanks_left(text: str, node: Node) -> str:
    """Return what is between the brackets without the only child and the lines it stood on."""
    before = text[node.start + 1 : node.starts[0]]
    after = text[node.children[0].end : node.end - 1]
    if "\n" not in before:
        return after
    closing = re.match(r"\r?\n" + re.escape(_indent_of(text, node.start)), after)
    return after[closing.end() :] if closing else ""


def _indent_of(text: str, place: int) -> str:
    """Return the white space that the line of this place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _found(text: str, path: Path) -> Node:
    node = _scanned(text, _after(SPACE, text, len(BOM) if text.startswith(BOM) else 0))
    for step in path:
        node = node.children[node.at(step)]
    return node


def _scanned(text: str, start: int) -> Node:
    """Scan the value that starts here, of a text that is known to be JSON."""
    if text[start] == '"':
        return Node(start, _after(STRING, text, start))
    if text[start] not in "{[":
        return Node(start, _after(SCALAR, text, start))
    node = Node(start)
    place = _after(SPACE, text, start + 1)
    while text[place] not in "}]":
        place = _after(SPACE, text, place + 1) if text[place] == "," else place
        node.starts.append(place)
        if text[start] == "{":
            end = _after(STRING, text, place)
            node.names.append(json.loads(text[place:end]))
            place = _after(SPACE, text, _after(SPACE, text, end) + 1)
        node.children.append(_scanned(text, place))
        place = _after(SPACE, text, node.children[-1].end)
    node.end = place + 1
    return node


def _after(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _no_number(constant: str) -> NoReturn:
    msg = f"{constant} is no number"
    raise ValueError(msg)

"""Check what a tool was called with: a model that got it wrong is told which, and what is allowed.

A number may come as a whole one, and `null` is as good as nothing; anything else is refused, so
that a slip never does something that was not meant.
"""

from collections.abc import Mapping
from typing import Any

from ai_smartness.entrypoints.tools.catalogue import Parameter, Sort, Tool
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.split import Part

__all__ = ["checked"]

SHOWN_CHARACTERS = 60


def checked(name: str, tool: Tool, given: Mapping[str, object]) -> dict[str, Any]:
    """Return every parameter's value, the default where none was given; refuse what does not fit.

    The types are those that the catalogue says, which a type checker cannot know.
    """
    unknown = next((each for each in given if each not in tool.takes), None)
    if unknown is not None:
        takes = ", ".join(tool.takes) or "no arguments"
        _refuse(name, f"there is no argument {_shown(unknown)}. It takes {takes}")
    return {each: _value(name, each, tool.takes[each], given.get(each)) for each in tool.takes}


def _value(tool: str, name: str, parameter: Parameter, given: object) -> object:
    if given is None:
        if parameter.required:
            _refuse(tool, f"`{name}` is missing. It must be {_allowed(parameter)}")
        return parameter.default
    value = _read(parameter.sort, given)
    if value is None or not _is_within(parameter, value):
        _refuse(tool, f"`{name}` must be {_allowed(parameter)}, not {_shown(given)}")
    return value


def _read(sort: Sort, given: object) -> object:
    """Return the value as its sort has it, nothing where it is none."""
    match sort, given:
        case (Sort.TEXT, str()) | (Sort.FLAG, bool()):
            return given
        case (Sort.NUMBER | Sort.COUNT, int() | float()) if not isinstance(given, bool):
            return _number(sort, given)
        case Sort.TEXTS, list():
            return _texts(given)
        case Sort.PARTS, list():
            return _parts(given)
    return None


def _number(sort: Sort, given: float) -> float | None:
    if sort is Sort.NUMBER:
        return given
    return int(given) if given == given // 1 else None


def _texts(given: list[object]) -> tuple[str, ...] | None:
    texts = tuple(each for each in given if isinstance(each, str))
    return texts if len(texts) == len(given) else None


def _parts(given: list[object]) -> tuple[Part, ...] | None:
    parts = [_part(each) for each in given]
    read = tuple(each for each in parts if each is not None)
    return read if len(read) == len(given) else None


def _part(given: object) -> Part | None:
    match given:
        case {"title": str(title), "messages": list(messages), **rest} if not rest:
            ids = _texts(messages)
            return None if ids is None else Part(title, ids)
    return None


def _is_within(parameter: Parameter, value: object) -> bool:
    if parameter.choices:
        return value in parameter.choices
    if isinstance(value, str):
        return len(value) <= parameter.longest
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    least, most = parameter.least, parameter.most
    # What is not a number at all is on neither side.
    return (least is None or value >= least) and (most is None or value <= most)


def _allowed(parameter: Parameter) -> str:
    if parameter.choices:
        return f"one of {', '.join(parameter.choices)}"
    return _SORTS[parameter.sort] + _bounds(parameter)


def _bounds(parameter: Parameter) -> str:
    least, most = parameter.least, parameter.most
    if parameter.sort is Sort.TEXT:
        return f" of at most {parameter.longest:,} characters"
    if least is None:
        return ""
    return f" from {least:g} on" if most is None else f" from {least:g} to {most:g}"


_SORTS = {
    Sort.TEXT: "text",
    Sort.NUMBER: "a number",
    Sort.COUNT: "a whole number",
    Sort.FLAG: "true or false",
    Sort.TEXTS: "a list of texts",
    Sort.PARTS: 'a list like [{"title": "…", "messages": ["msg_…"]}]',
}


def _shown(given: object) -> str:
    said = repr(given[:SHOWN_CHARACTERS] if isinstance(given, str) else given)
    return said if len(said) <= SHOWN_CHARACTERS else f"{said[:SHOWN_CHARACTERS]}…"


def _refuse(tool: str, why: str) -> None:
    msg = f"cannot call {tool}: {why}. Nothing was changed."
    raise RefusedError(msg)

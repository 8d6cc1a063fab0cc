"""Check what a tool was called with: a model that got it wrong is told which, and what is allowed.

A number may come as a whole one, and `null` is as good as nothing; anything else is refused, so
that a slip never does something that was not meant.
"""

from collections.abc import Mapping
from typing import Any

from ai_smartness.entrypoints.tools.definitions import Parameter, ParameterType, Tool
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.split import SplitPart

__all__ = ["checked_arguments"]

MAX_SHOWN_CHARACTERS = 60


def checked_arguments(name: str, tool: Tool, given: Mapping[str, object]) -> dict[str, Any]:
    """Return every parameter's value, the default where none was given; refuse what does not fit.

    The types are those that the catalogue says, which a type checker cannot know.
    """
    unknown = next((each for each in given if each not in tool.takes), None)
    if unknown is not None:
        takes = ", ".join(tool.takes) or "no arguments"
        _refuse_call(name, f"there is no argument {_shown_value(unknown)}. It takes {takes}")
    return {
        each: _argument_value(name, each, tool.takes[each], given.get(each)) for each in tool.takes
    }


def _argument_value(tool: str, name: str, parameter: Parameter, given: object) -> object:
    if given is None:
        if parameter.required:
            _refuse_call(tool, f"`{name}` is missing. It must be {_allowed_values(parameter)}")
        return parameter.default
    value = _parsed_argument(parameter.sort, given)
    if value is None or not _is_within(parameter, value):
        _refuse_call(
            tool,
            f"`{name}` must be {_allowed_values(parameter)}, not {_shown_value(given)}",
        )
    return value


def _parsed_argument(sort: ParameterType, given: object) -> object:
    """Return the value as its sort has it, nothing where it is none."""
    match sort, given:
        case (ParameterType.TEXT, str()) | (ParameterType.FLAG, bool()):
            return given
        case (ParameterType.NUMBER | ParameterType.COUNT, int() | float()) if not isinstance(
            given,
            bool,
        ):
            return _parsed_number(sort, given)
        case ParameterType.TEXTS, list():
            return _parsed_texts(given)
        case ParameterType.PARTS, list():
            return _parsed_parts(given)
    return None


def _parsed_number(sort: ParameterType, given: float) -> float | None:
    if sort is ParameterType.NUMBER:
        return given
    return int(given) if given == given // 1 else None


def _parsed_texts(given: list[object]) -> tuple[str, ...] | None:
    texts = tuple(each for each in given if isinstance(each, str))
    return texts if len(texts) == len(given) else None


def _parsed_parts(given: list[object]) -> tuple[SplitPart, ...] | None:
    parts = [_parsed_part(each) for each in given]
    read = tuple(each for each in parts if each is not None)
    return read if len(read) == len(given) else None


def _parsed_part(given: object) -> SplitPart | None:
    match given:
        case {"title": str(title), "messages": list(messages), **rest} if not rest:
            ids = _parsed_texts(messages)
            return None if ids is None else SplitPart(title, ids)
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


def _allowed_values(parameter: Parameter) -> str:
    if parameter.choices:
        return f"one of {', '.join(parameter.choices)}"
    return _TYPE_NAMES[parameter.sort] + _bounds_text(parameter)


def _bounds_text(parameter: Parameter) -> str:
    least, most = parameter.least, parameter.most
    if parameter.sort is ParameterType.TEXT:
        return f" of at most {parameter.longest:,} characters"
    if least is None:
        return ""
    return f" from {least:g} on" if most is None else f" from {least:g} to {most:g}"


_TYPE_NAMES = {
    ParameterType.TEXT: "text",
    ParameterType.NUMBER: "a number",
    ParameterType.COUNT: "a whole number",
    ParameterType.FLAG: "true or false",
    ParameterType.TEXTS: "a list of texts",
    ParameterType.PARTS: 'a list like [{"title": "…", "messages": ["msg_…"]}]',
}


def _shown_value(given: object) -> str:
    said = repr(given[:MAX_SHOWN_CHARACTERS] if isinstance(given, str) else given)
    return said if len(said) <= MAX_SHOWN_CHARACTERS else f"{said[:MAX_SHOWN_CHARACTERS]}…"


def _refuse_call(tool: str, why: str) -> None:
    msg = f"cannot call {tool}: {why}. Nothing was changed."
    raise RefusedError(msg)

"""Check the arguments of a tool call, and tell a model which one is wrong and what is allowed.

A whole number may come as a float, and `null` counts as missing. Anything else is refused, so
that a slip never does something unintended.
"""

from collections.abc import Mapping
from typing import Any

from ai_smartness.entrypoints.tools.definitions import Parameter, ParameterType, Tool
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.split import SplitPart

__all__ = ["checked_arguments"]

MAX_SHOWN_CHARACTERS = 60

_TYPE_NAMES = {
    ParameterType.TEXT: "text",
    ParameterType.NUMBER: "a number",
    ParameterType.COUNT: "a whole number",
    ParameterType.FLAG: "true or false",
    ParameterType.TEXTS: "a list of texts",
    ParameterType.PARTS: 'a list like [{"title": "…", "messages": ["msg_…"]}]',
}


def checked_arguments(name: str, tool: Tool, arguments: Mapping[str, object]) -> dict[str, Any]:
    """Return the value of every parameter, or its default; refuse a value that does not fit.

    The values have the types of the tool's definition, which a type checker cannot know.
    """
    unknown = next((argument for argument in arguments if argument not in tool.takes), None)
    if unknown is not None:
        takes = ", ".join(tool.takes) or "no arguments"
        _refuse_call(name, f"there is no argument {_shown_value(unknown)}. It takes {takes}")
    return {
        key: _argument_value(name, key, parameter, arguments.get(key))
        for key, parameter in tool.takes.items()
    }


def _argument_value(tool: str, name: str, parameter: Parameter, argument: object) -> object:
    if argument is None:
        if parameter.required:
            _refuse_call(tool, f"`{name}` is missing. It must be {_allowed_values(parameter)}")
        return parameter.default
    value = _parsed_argument(parameter.sort, argument)
    if value is None or not _is_within(parameter, value):
        allowed, value_text = _allowed_values(parameter), _shown_value(argument)
        _refuse_call(tool, f"`{name}` must be {allowed}, not {value_text}")
    return value


def _parsed_argument(type_: ParameterType, argument: object) -> object:
    """Return the argument as its parameter has it, or nothing if it has another type."""
    if isinstance(argument, bool):
        return argument if type_ is ParameterType.FLAG else None
    match type_, argument:
        case (ParameterType.TEXT, str()) | (ParameterType.NUMBER, int() | float()):
            return argument
        case ParameterType.COUNT, int() | float():
            return int(argument) if argument == argument // 1 else None
        case ParameterType.TEXTS, list():
            return _parsed_texts(argument)
        case ParameterType.PARTS, list():
            parts = tuple(map(_parsed_part, argument))
            return None if None in parts else parts
    return None


def _parsed_texts(values: list[object]) -> tuple[str, ...] | None:
    texts = tuple(value for value in values if isinstance(value, str))
    return texts if len(texts) == len(values) else None


def _parsed_part(value: object) -> SplitPart | None:
    match value:
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
    # NaN is on neither side.
    return (least is None or value >= least) and (most is None or value <= most)


def _allowed_values(parameter: Parameter) -> str:
    if parameter.choices:
        return f"one of {', '.join(parameter.choices)}"
    name, least, most = _TYPE_NAMES[parameter.sort], parameter.least, parameter.most
    if parameter.sort is ParameterType.TEXT:
        return f"{name} of at most {parameter.longest:,} characters"
    if least is None:
        return name
    return f"{name} from {least:g} on" if most is None else f"{name} from {least:g} to {most:g}"


def _shown_value(value: object) -> str:
    text = repr(value[:MAX_SHOWN_CHARACTERS] if isinstance(value, str) else value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}…"


def _refuse_call(tool: str, problem: str) -> None:
    msg = f"cannot call {tool}: {problem}. Nothing was changed."
    raise RefusedError(msg)

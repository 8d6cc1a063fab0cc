"""Our values as plain ones that JSON can hold, and back, exactly.

What a value is made of is read from its type, so that a field that is added to one is in
the next export without a word; one that an older export lacks has its default.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

__all__ = ["from_plain", "plain"]

T = TypeVar("T")

_HINTS: dict[type, dict[str, Any]] = {}
"""The fields of each type with what they hold: worked out once."""


def plain(value: object) -> Any:  # noqa: ANN401 # whatever JSON takes
    """Return a value of ours as dictionaries, lists, texts and numbers."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case tuple() | list():
            return [plain(each) for each in value]
        case Mapping():
            return dict(value)
        case _ if is_dataclass(value):
            return {name: plain(getattr(value, name)) for name in _hints(type(value))}
    return value


def from_plain(kind: type[T], given: Mapping[str, Any]) -> T:
    """Return the value of a kind that plain fields tell of; raise ValueError if they tell none."""
    try:
        values = {
            name: _read(hint, given[name]) for name, hint in _hints(kind).items() if name in given
        }
        return kind(**values)
    except (TypeError, KeyError, AttributeError) as error:
        msg = f"{kind.__name__}: {error}"
        raise ValueError(msg) from error


def _read(hint: Any, given: Any) -> Any:  # noqa: ANN401 # any type's, any value
    if isinstance(hint, UnionType):
        meant = [each for each in get_args(hint) if each is not type(None)]
        return None if given is None else _read(meant[0], given)
    if get_origin(hint) is tuple:
        return _read_tuple(get_args(hint), given)
    # A mapping is kept as it is.
    return _of_type(hint, given) if isinstance(hint, type) else given


def _read_tuple(kinds: tuple[Any, ...], given: Any) -> tuple[Any, ...]:  # noqa: ANN401
    if kinds[-1] is Ellipsis:
        return tuple(_read(kinds[0], each) for each in given)
    return tuple(_read(kind, each) for kind, each in zip(kinds, given, strict=True))


def _of_type(kind: type, given: Any) -> Any:  # noqa: ANN401
    if issubclass(kind, datetime):
        return kind.fromisoformat(given)
    if issubclass(kind, Enum):
        return kind(given)
    return from_plain(kind, given) if is_dataclass(kind) else _number_or_text(kind, given)


def _number_or_text(kind: type, given: Any) -> Any:  # noqa: ANN401
    if kind is float and type(given) is int:
        return float(given)
    # `type` and not `isinstance`: True is no number.
    if type(given) is not kind:
        msg = f"{given!r:.60} is no {kind.__name__}"
        raise TypeError(msg)
    return given


def _hints(kind: type) -> dict[str, Any]:
    if kind not in _HINTS:
        hints = get_type_hints(kind)
        _HINTS[kind] = {each.name: hints[each.name] for each in fields(cast("Any", kind))}
    return _HINTS[kind]

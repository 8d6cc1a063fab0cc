"""Read what others wrote, and believe nothing of it: what is of another kind reads as empty."""

import json
from datetime import UTC, datetime

__all__ = ["Fields", "inner", "listed", "loaded", "moment", "text_of", "texts_in"]

Fields = dict[str, object]

_MICROSECONDS_FROM = 1e14
_MILLISECONDS_FROM = 1e11


def loaded(line: bytes) -> Fields | None:
    """Read a line as a JSON object, bytes that are no text replaced; nothing if it is none."""
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text_of(fields: Fields, *names: str) -> str:
    """Return the first of these fields that is a text with something in it."""
    values = (fields.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def inner(fields: Fields, name: str) -> Fields:
    """Return a field that has fields itself."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def listed(fields: Fields, name: str) -> list[Fields]:
    """Return those elements of a list that have fields."""
    value = fields.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def texts_in(content: object) -> list[str]:
    """Return the texts of a message, which is one or a list of parts."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        return [text_of(content, "text")]
    if not isinstance(content, list):
        return []
    parts = [part if isinstance(part, str) else _text_of_part(part) for part in content]
    return [part for part in parts if part]


def _text_of_part(part: object) -> str:
    return text_of(part, "text") if isinstance(part, dict) else ""


def moment(value: object) -> datetime | None:
    """Read a time, written out or as a number of seconds, milliseconds or microseconds."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip().replace(" UTC", "Z"))
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(_seconds(float(value)), UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _seconds(number: float) -> float:
    if abs(number) >= _MICROSECONDS_FROM:
        return number / 1e6
    return number / 1e3 if abs(number) >= _MILLISECONDS_FROM else number

"""Percent-encoding: any text can be written into a path and read out of it again."""

import re

__all__ = ["decoded", "encoded"]

_ESCAPES = re.compile("(?:%[0-9A-Fa-f]{2})+")
_PLAIN = frozenset("-._~")


def encoded(text: str) -> str:
    """Write a text so that nothing in it parts a path; letters and digits stay as they are."""
    return "".join(each if each.isalnum() or each in _PLAIN else _escaped(each) for each in text)


def decoded(text: str) -> str:
    """Read percent-encoded UTF-8; what is none stays as it is."""
    return _ESCAPES.sub(_unescaped, text)


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode(errors="replace"))


def _unescaped(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]

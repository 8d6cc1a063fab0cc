"""Where in a text something was found, and the text without it."""

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Span", "blanked"]


class Span(NamedTuple):
    """From one position to before another."""

    start: int
    end: int


def blanked(text: str, spans: Iterable[Span]) -> str:
    """Return the text with spaces where the spans are; every other position stays the same."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]]) if pieces else text

"""Find what a message names: files, code, commands, addresses and errors.

These are what an agent searches for word by word, so they are taken once, as
they were written, when the message is captured.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ai_smartness.capture.extract.commands import found_commands
from ai_smartness.capture.extract.failures import found_failures
from ai_smartness.capture.extract.names import found_names
from ai_smartness.capture.extract.paths import Place, found_paths
from ai_smartness.capture.extract.spans import Span, blanked

__all__ = ["MOST_OF_EACH", "Extract", "Place", "extracted"]

MOST_OF_EACH = 64
"""A message that names more is a listing, and its first names tell what of."""

LONGEST_READ_CHARACTERS = 200_000
"""A longer message is a dump; reading all of one would keep others waiting."""

_URL = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?:https?|ftp|ssh|git|file|wss?|postgres(?:ql)?|mysql|redis|mongodb|amqp|s3|gs)://"
    r"|www\.(?=\w)|localhost:\d|git@(?=[\w.-]{1,100}:\w))"
    r"[^\s<>\"'`\\^{}|\u3000-\u9fff\uff00-\uffef]{1,2000}+"
)
_AFTER_URL = ".,;:!?*_~…"
_PAIRS = {")": "(", "]": "["}

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Extract:
    """What a message names, each in the order of first mention, once."""

    paths: tuple[Place, ...] = ()
    identifiers: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The paths alone, each once, whatever lines of it were named."""
        return tuple(dict.fromkeys(place.path for place in self.paths))


def extracted(text: str) -> Extract:
    """Return what a message names; an empty extract for plain prose."""
    text = text[:LONGEST_READ_CHARACTERS]
    # What is found first is blanked, so that a URL is not read as a path too, nor a
    # path as a dotted name.
    urls = [_url_span(text, found) for found in _URL.finditer(text)]
    without_urls = blanked(text, urls)
    paths = found_paths(without_urls)
    without_paths = blanked(without_urls, (span for span, _ in paths))
    return Extract(
        paths=_first(place for _, place in paths),
        identifiers=_first(found_names(without_paths)),
        commands=_first(found_commands(text)),
        urls=_first(text[start:end] for start, end in urls),
        errors=_first(found_failures(text)),
    )


def _first(found: Iterable[_Found]) -> tuple[_Found, ...]:
    seen: dict[_Found, None] = {}
    for each in found:
        seen.setdefault(each)
        if len(seen) == MOST_OF_EACH:
            break
    return tuple(seen)


def _url_span(text: str, found: re.Match[str]) -> Span:
    """Leave out the full stop after a URL and the bracket around it, not those inside."""
    start, end = found.span()
    while end > start:
        last = text[end - 1]
        opening = _PAIRS.get(last)
        if opening is None and last not in _AFTER_URL:
            break
        if opening and text.count(opening, start, end) >= text.count(last, start, end):
            break
        end -= 1
    return Span(start, end)

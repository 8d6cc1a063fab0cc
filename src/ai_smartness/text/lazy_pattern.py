"""Compile a regular expression when it is first used, not when its module is imported."""

import re
from collections.abc import Iterator
from functools import cache

__all__ = ["LazyPattern", "compiled_pattern"]


class LazyPattern:
    """A regular expression that is compiled on first use."""

    __slots__ = ("_flags", "source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self._flags = flags

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Match at a position."""
        return compiled_pattern(self.source, self._flags).match(text, start)

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Return the first match between two positions."""
        stop = len(text) if end is None else end
        return compiled_pattern(self.source, self._flags).search(text, start, stop)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match the whole text."""
        return compiled_pattern(self.source, self._flags).fullmatch(text)

    def finditer(
        self, text: str, start: int = 0, end: int | None = None
    ) -> Iterator[re.Match[str]]:
        """Return all matches between two positions."""
        stop = len(text) if end is None else end
        return compiled_pattern(self.source, self._flags).finditer(text, start, stop)


@cache
def compiled_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled pattern; each is compiled once."""
    return re.compile(source, flags)

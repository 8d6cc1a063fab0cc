"""Patterns that are compiled when they are first needed: a hook needs few of them, and waits."""

import re
from collections.abc import Iterator
from functools import cache

__all__ = ["LazyPattern", "compiled_pattern"]


class LazyPattern:
    """A regular expression, compiled at its first use."""

    __slots__ = ("_flags", "_source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Match from a place on."""
        return compiled_pattern(self._source, self._flags).match(text, start)

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Search between two places."""
        known = compiled_pattern(self._source, self._flags)
        return known.search(text, start) if end is None else known.search(text, start, end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match the whole."""
        return compiled_pattern(self._source, self._flags).fullmatch(text)

    def finditer(
        self,
        text: str,
        start: int = 0,
        end: int | None = None,
    ) -> Iterator[re.Match[str]]:
        """Find all between two places."""
        known = compiled_pattern(self._source, self._flags)
        return known.finditer(text, start, len(text) if end is None else end)


@cache
def compiled_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a pattern; once."""
    return re.compile(source, flags)

"""Find out, without a language model, whether something that was shown was of use.

Names from it that come back in the answer or the tool calls, and that the prompt
did not have, were taken from it.
"""

import re
from collections.abc import Iterable

from ai_smartness.capture.extract import extracted

__all__ = ["was_used"]

RARE_CHARACTERS = 7
"""A shorter word comes back by chance."""

ENOUGH_WORDS = 3
"""Words that come back, where no name does."""

LONGEST_READ = 20_000

_WORD = re.compile(rf"[^\W\d_]{{{RARE_CHARACTERS},}}")


def was_used(shown: Iterable[str], prompt: str, answer: str) -> bool:
    """Say whether what was shown comes back in an answer."""
    text, said = "\n".join(shown), answer[:LONGEST_READ]
    names = _names(text) - _names(prompt)
    if any(name in said for name in names):
        return True
    words = _words(text) - _words(prompt)
    return len(words & _words(said)) >= min(ENOUGH_WORDS, max(1, len(words)))


def _names(text: str) -> set[str]:
    found = extracted(text)
    return {*(place.path for place in found.paths), *found.identifiers, *found.urls}


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}

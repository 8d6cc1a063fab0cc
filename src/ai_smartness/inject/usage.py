"""Find out, without a language model, whether something that was shown was of use.

Names from it that come back in the answer or the tool calls, and that the prompt
did not have, were taken from it.
"""

import re
from collections.abc import Iterable

from ai_smartness.capture.mentions import extract_mentions

__all__ = ["was_used"]

RARE_WORD_CHARACTERS = 7
"""A shorter word comes back by chance."""

MIN_SHARED_WORDS = 3
"""Words that come back, where no name does."""

MAX_READ_CHARACTERS = 20_000

_WORD = re.compile(rf"[^\W\d_]{{{RARE_WORD_CHARACTERS},}}")


def was_used(shown: Iterable[str], prompt: str, answer: str) -> bool:
    """Say whether what was shown comes back in an answer."""
    text, said = "\n".join(shown), answer[:MAX_READ_CHARACTERS]
    names = _named_things(text) - _named_things(prompt)
    if any(name in said for name in names):
        return True
    words = _rare_words(text) - _rare_words(prompt)
    return len(words & _rare_words(said)) >= min(MIN_SHARED_WORDS, max(1, len(words)))


def _named_things(text: str) -> set[str]:
    found = extract_mentions(text)
    return {*(place.path for place in found.paths), *found.identifiers, *found.urls}


def _rare_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}

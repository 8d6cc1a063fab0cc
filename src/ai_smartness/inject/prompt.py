"""Read a prompt: what is asked, and what it takes for granted.

"why that instead of sessions?" says little by itself. A short prompt is read
together with those before it; one that says nothing at all asks for nothing.
"""

from collections.abc import Sequence

from ai_smartness.model.errors import RefusedError
from ai_smartness.retrieve.telling import telling_words

__all__ = ["asked_with", "asks_back", "combined", "says_something"]

SHORT_WORDS = 4
"""With fewer telling words a prompt leans on what was said before it."""

BEFORE_CHARACTERS = 160
"""Of an earlier prompt: it is there for its subject, not for its details."""

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")


def combined(text: str | Sequence[str]) -> str:
    """Return one prompt, of one message or of several at once."""
    given: object = text
    said = [given] if isinstance(given, str) else given
    if isinstance(said, list | tuple) and all(isinstance(each, str) for each in said):
        return "\n".join(said)
    msg = f"a prompt must be text, or a list of texts, not {type(given).__name__}."
    raise RefusedError(msg)


def says_something(prompt: str) -> bool:
    """Say whether a prompt has a word to go by."""
    return bool(telling_words(prompt))


def asked_with(prompt: str, before: Sequence[str]) -> str:
    """Return what to search for: the prompt, and if it is short also those before it."""
    if not _is_short(prompt):
        return prompt
    return "\n".join([prompt, *(text[:BEFORE_CHARACTERS] for text in before)])


def asks_back(prompt: str) -> bool:
    """Say whether a prompt is a question whose subject was named before it.

    "thanks" leans on what was said as well, and asks for nothing.
    """
    return _is_short(prompt) and prompt.rstrip().endswith(_QUESTION_MARKS)


def _is_short(prompt: str) -> bool:
    return len(telling_words(prompt)) < SHORT_WORDS

"""Read a prompt: what is asked, and what it takes for granted.

"why that instead of sessions?" says little by itself. A short prompt is read
together with those before it; one that says nothing at all asks for nothing.
"""

from collections.abc import Sequence

from ai_smartness.model.errors import RefusedError
from ai_smartness.text.keywords import subject_words

__all__ = ["combined_prompt", "has_telling_words", "is_follow_up_question", "query_with_context"]

SHORT_PROMPT_WORDS = 4
"""With fewer telling words a prompt leans on what was said before it."""

EARLIER_PROMPT_CHARACTERS = 160
"""Of an earlier prompt: it is there for its subject, not for its details."""

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")


def combined_prompt(text: str | Sequence[str]) -> str:
    """Return one prompt, of one message or of several at once."""
    given: object = text
    said = [given] if isinstance(given, str) else given
    if isinstance(said, list | tuple) and all(isinstance(each, str) for each in said):
        return "\n".join(said)
    msg = f"a prompt must be text, or a list of texts, not {type(given).__name__}."
    raise RefusedError(msg)


def has_telling_words(prompt: str) -> bool:
    """Say whether a prompt has a word to go by."""
    return bool(subject_words(prompt))


def query_with_context(prompt: str, before: Sequence[str]) -> str:
    """Return what to search for: the prompt, and if it is short also those before it."""
    if not _is_short(prompt):
        return prompt
    return "\n".join([prompt, *(text[:EARLIER_PROMPT_CHARACTERS] for text in before)])


def is_follow_up_question(prompt: str) -> bool:
    """Say whether a prompt is a question whose subject was named before it.

    "thanks" leans on what was said as well, and asks for nothing.
    """
    return _is_short(prompt) and prompt.rstrip().endswith(_QUESTION_MARKS)


def _is_short(prompt: str) -> bool:
    return len(subject_words(prompt)) < SHORT_PROMPT_WORDS

"""Read a prompt: what it asks, and whether it relies on the prompts before it.

"why that instead of sessions?" says little by itself. A short prompt that points at something is
searched for together with the ones before it; a prompt without a telling word is not searched for.
"""

import re
from collections.abc import Sequence

from ai_smartness.model.errors import RefusedError
from ai_smartness.text.keywords import subject_words

__all__ = [
    "combined_prompt",
    "has_telling_words",
    "is_follow_up_question",
    "is_long_prompt",
    "query_with_context",
]

SHORT_PROMPT_WORDS = 4  # a prompt with fewer telling words may rely on what was said before it
LONG_PROMPT_CHARACTERS = 500  # a prompt with several items, or with a text in it
EARLIER_PROMPT_CHARACTERS = 160  # of an earlier prompt: its subject matters, not its details

_POINTING = re.compile(
    r"\b(?:that|this|these|those|it|its|them|they|he|she|him|her|same|ones?|else|there|then|instead"
    r"|again|others?|both|either|former|latter)\b|^\W*(?:and|or|but|so|also|what about)\b",
    re.IGNORECASE,
)
"""Words that stand for something that was named before."""

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")


def combined_prompt(text: str | Sequence[str]) -> str:
    """Join several messages to one prompt."""
    value: object = text
    messages = [value] if isinstance(value, str) else value
    if isinstance(messages, list | tuple) and all(isinstance(line, str) for line in messages):
        return "\n".join(messages)
    msg = f"a prompt must be text, or a list of texts, not {type(value).__name__}."
    raise RefusedError(msg)


def has_telling_words(prompt: str) -> bool:
    """Say whether a prompt has a word that may name its subject."""
    return bool(subject_words(prompt))


def is_long_prompt(prompt: str) -> bool:
    """Say whether a prompt is long enough to ask for several things."""
    return len(prompt) >= LONG_PROMPT_CHARACTERS


def query_with_context(prompt: str, earlier: Sequence[str]) -> str:
    """Return the text to search for: the prompt, and the earlier ones if it leans on them."""
    if not _leans_on_earlier(prompt):
        return prompt
    return "\n".join([prompt, *(text[:EARLIER_PROMPT_CHARACTERS] for text in earlier)])


def is_follow_up_question(prompt: str) -> bool:
    """Say whether a prompt is a question whose subject was named before it.

    "thanks" relies on the conversation as well, but asks for nothing.
    """
    return _leans_on_earlier(prompt) and prompt.rstrip().endswith(_QUESTION_MARKS)


def _leans_on_earlier(prompt: str) -> bool:
    """Say whether a short prompt points at what was named before it.

    In another language than English, any short prompt may.
    """
    if len(subject_words(prompt)) >= SHORT_PROMPT_WORDS:
        return False
    return not prompt.isascii() or _POINTING.search(prompt) is not None

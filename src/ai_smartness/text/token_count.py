"""Estimate how many tokens a text has, rather too many than too few.

We do not have the tokenizer of the agent's model, and a budget does not need it. Against the one
published tokenizer of Claude, over 1,930 messages of real coding sessions, the estimate is 10 %
too high in total. For nine messages of ten it is between 3 % too low and 44 % too high
(`scripts/bench compaction FILE --tokenizer FILE`).
"""

from collections.abc import Callable
from math import ceil

__all__ = ["PLAIN_CHARACTERS_A_TOKEN", "estimate_tokens", "truncated_middle"]

PLAIN_CHARACTERS_A_TOKEN = 3.5  # english prose has about four, code about three
OTHER_CHARACTERS_A_TOKEN = 1.0
"""Beyond ASCII: a Chinese character is about one token, two or three Cyrillic letters are one."""


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens in a text."""
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return ceil(plain / PLAIN_CHARACTERS_A_TOKEN + (len(text) - plain) / OTHER_CHARACTERS_A_TOKEN)


def truncated_middle(text: str, room: int, size: Callable[[str], int] = estimate_tokens) -> str:
    """Return as much of a text as fits into this many tokens, cut in its middle."""
    if size(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if size(_without_middle(text, middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return _without_middle(text, low) if low else ""


def _without_middle(text: str, characters: int) -> str:
    tail = characters // 3
    return f"{text[: characters - tail].rstrip()} […] {text[len(text) - tail :].lstrip()}".strip()

"""Cut what is too long into overlapping stretches.

Nothing is truncated: the stretches cover the whole text, and where there
would be too many they spread evenly over it, its head and tail included.
"""

import math

__all__ = ["chunk_spans", "tokenizable_text"]

OVERLAP_SHARE = 1 / 8
"""How much of a stretch the next one says again, so that no sentence falls in a crack."""


def chunk_spans(length: int, size: int, limit: int) -> list[slice]:
    """Return at most `limit` stretches of at most `size` that cover `length`."""
    if length <= size:
        return [slice(0, length)]
    step = max(1, size - math.ceil(size * OVERLAP_SHARE))
    count = min(limit, 1 + math.ceil((length - size) / step))
    if count <= 1:
        return [slice(0, size)]
    starts = [number * (length - size) // (count - 1) for number in range(count)]
    return [slice(start, start + size) for start in starts]


def tokenizable_text(text: str) -> str:
    """Return the text without what no tokenizer reads: NUL and halves of characters."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")

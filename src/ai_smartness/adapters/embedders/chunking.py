"""Cut a long text into overlapping chunks.

The chunks cover the whole text. If that takes too many, they are spread
evenly over it, including its beginning and end.
"""

import math

__all__ = ["chunk_spans", "tokenizable_text"]

OVERLAP_SHARE = 1 / 8
"""The share of a chunk that the next one repeats, so that no sentence is cut in both."""


def chunk_spans(length: int, size: int, limit: int) -> list[slice]:
    """Return at most `limit` spans of at most `size` that cover `length`."""
    if length <= size:
        return [slice(0, length)]
    step = max(1, size - math.ceil(size * OVERLAP_SHARE))
    count = min(limit, 1 + math.ceil((length - size) / step))
    if count <= 1:
        return [slice(0, size)]
    starts = [number * (length - size) // (count - 1) for number in range(count)]
    return [slice(start, start + size) for start in starts]


def tokenizable_text(text: str) -> str:
    """Return the text without NUL and lone surrogates, which no tokenizer reads."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")

"""Read the one event that the client hands to its hook, with a bound."""

import os

from ai_smartness.watch.given import Given
from ai_smartness.watch.quick_json import loads

__all__ = ["received"]

LONGEST_INPUT_BYTES = 64_000_000
"""A tool's result can be a whole file; more than this is an accident."""

_PIECE_BYTES = 1 << 20


def received(handle: int) -> Given:
    """Read the event; raise ValueError for what is none."""
    text = _whole(handle).decode("utf-8", "replace").removeprefix("\ufeff")
    fields = loads(text)
    if not isinstance(fields, dict):
        msg = "a hook's input is a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - whoever reads catches one kind
    return Given(fields)


def _whole(handle: int) -> bytes:
    pieces, left = [], LONGEST_INPUT_BYTES
    while piece := os.read(handle, _PIECE_BYTES):
        left -= len(piece)
        if left < 0:
            msg = f"the hook's input is over {LONGEST_INPUT_BYTES:,} bytes"
            raise ValueError(msg)
        pieces.append(piece)
    return b"".join(pieces)

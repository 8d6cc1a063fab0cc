"""What fits: whole entries, the best first, within the tokens that are given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ai_smartness.inject.tokens import tokens
from ai_smartness.model.injection import Entry, Reason

__all__ = ["LONGEST_CHARACTERS", "STANDING", "Room", "fitting"]

LONGEST_CHARACTERS = 9_500
"""A client sets aside what a hook adds beyond ten thousand, and the agent sees none of it."""

STANDING = frozenset({Reason.PINNED, Reason.IDENTITY, Reason.PREFERENCE})
"""Shown whatever the prompt is about, and so held to a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much there is room for: in all, for what stands whatever is asked, and how many."""

    tokens: int
    standing_share: float
    entries: int


def fitting(
    entries: Sequence[Entry], room: Room, frame: str, written: Callable[[Entry], str]
) -> tuple[list[Entry], list[Entry]]:
    """Return what fits, each with its tokens, and what was cut, both in the order given."""
    left, characters = room.tokens - tokens(frame), LONGEST_CHARACTERS - len(frame)
    standing = int(room.tokens * room.standing_share)
    kept: list[Entry] = []
    cut: list[Entry] = []
    for entry in entries:
        text = written(entry)
        cost = tokens(text)
        limit = min(left, standing) if entry.reason in STANDING else left
        if cost > limit or len(text) > characters or len(kept) >= room.entries:
            cut.append(entry)
            continue
        kept.append(replace(entry, tokens=cost))
        left, characters = left - cost, characters - len(text)
        standing -= cost if entry.reason in STANDING else 0
    return kept, cut

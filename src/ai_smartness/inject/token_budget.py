"""What fits: whole entries, the best first, within the tokens that are given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ai_smartness.model.injection import InjectedThread, InjectionReason
from ai_smartness.text.token_count import estimate_tokens

__all__ = ["MAX_BLOCK_CHARACTERS", "STANDING_REASONS", "BlockBudget", "entries_within_budget"]

MAX_BLOCK_CHARACTERS = 9_500
"""A client sets aside what a hook adds beyond ten thousand, and the agent sees none of it."""

STANDING_REASONS = frozenset(
    {InjectionReason.PINNED, InjectionReason.IDENTITY, InjectionReason.PREFERENCE},
)
"""Shown whatever the prompt is about, and so held to a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockBudget:
    """How much there is room for: in all, for what stands whatever is asked, and how many."""

    tokens: int
    standing_share: float
    entries: int


def entries_within_budget(
    entries: Sequence[InjectedThread],
    room: BlockBudget,
    frame: str,
    written: Callable[[InjectedThread], str],
) -> tuple[list[InjectedThread], list[InjectedThread]]:
    """Return what fits, each with its tokens, and what was cut, both in the order given."""
    left, characters = room.tokens - estimate_tokens(frame), MAX_BLOCK_CHARACTERS - len(frame)
    standing = int(room.tokens * room.standing_share)
    kept: list[InjectedThread] = []
    cut: list[InjectedThread] = []
    for entry in entries:
        text = written(entry)
        cost = estimate_tokens(text)
        limit = min(left, standing) if entry.reason in STANDING_REASONS else left
        if cost > limit or len(text) > characters or len(kept) >= room.entries:
            cut.append(entry)
            continue
        kept.append(replace(entry, tokens=cost))
        left, characters = left - cost, characters - len(text)
        standing -= cost if entry.reason in STANDING_REASONS else 0
    return kept, cut

"""Keep the block within its token budget: whole entries only, the best first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ai_smartness.model.injection import InjectedThread, InjectionReason
from ai_smartness.text.token_count import estimate_tokens

__all__ = ["MAX_BLOCK_CHARACTERS", "STANDING_REASONS", "BlockBudget", "entries_within_budget"]

MAX_BLOCK_CHARACTERS = 9_500
"""Clients move a hook's output of more than ten thousand to a file that the agent does not see."""

STANDING_REASONS = frozenset(
    {InjectionReason.PINNED, InjectionReason.IDENTITY, InjectionReason.PREFERENCE}
)
"""Entries that are shown for any prompt, and therefore limited to a share of the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockBudget:
    """The most tokens of a block, the share of its standing entries, the most entries."""

    tokens: int
    standing_share: float
    entries: int


def entries_within_budget(
    entries: Sequence[InjectedThread],
    budget: BlockBudget,
    frame: str,
    write_entry: Callable[[InjectedThread], str],
) -> tuple[list[InjectedThread], list[InjectedThread]]:
    """Return the entries that fit, with their tokens, and those that do not, in their order."""
    left, characters = budget.tokens - estimate_tokens(frame), MAX_BLOCK_CHARACTERS - len(frame)
    standing = int(budget.tokens * budget.standing_share)
    fitting: list[InjectedThread] = []
    cut: list[InjectedThread] = []
    for entry in entries:
        text = write_entry(entry)
        cost = estimate_tokens(text)
        limit = min(left, standing) if entry.reason in STANDING_REASONS else left
        if cost > limit or len(text) > characters or len(fitting) >= budget.entries:
            cut.append(entry)
            continue
        fitting.append(replace(entry, tokens=cost))
        left, characters = left - cost, characters - len(text)
        standing -= cost if entry.reason in STANDING_REASONS else 0
    return fitting, cut

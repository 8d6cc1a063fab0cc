"""Keep the block within its token budget: whole entries only, the best first."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.inject.block import Beat, block_frame, entry_text
from ai_smartness.model.injection import InjectedThread, InjectionReason
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.text.token_count import estimate_tokens

__all__ = ["MAX_BLOCK_CHARACTERS", "STANDING_REASONS", "entries_within_budget"]

MAX_BLOCK_CHARACTERS = 9_500
"""Clients move a hook's output of more than ten thousand to a file that the agent does not see."""

STANDING_REASONS = frozenset(
    {InjectionReason.PINNED, InjectionReason.IDENTITY, InjectionReason.PREFERENCE}
)
"""Entries that are shown for any prompt, and therefore limited to a share of the budget."""


def entries_within_budget(
    entries: Sequence[InjectedThread], tokens: int, rules: InjectSettings, beat: Beat, now: datetime
) -> tuple[list[InjectedThread], list[InjectedThread]]:
    """Return the entries that fit, with their tokens, and those that do not, in their order."""
    frame = "".join(block_frame(beat))
    left, characters = tokens - estimate_tokens(frame), MAX_BLOCK_CHARACTERS - len(frame)
    standing = int(tokens * rules.standing_share)
    fitting: list[InjectedThread] = []
    cut: list[InjectedThread] = []
    for entry in entries:
        text = entry_text(entry, now)
        cost = estimate_tokens(text)
        limit = min(left, standing) if entry.reason in STANDING_REASONS else left
        if cost > limit or len(text) > characters or len(fitting) >= rules.most_threads:
            cut.append(entry)
            continue
        fitting.append(replace(entry, tokens=cost))
        left, characters = left - cost, characters - len(text)
        standing -= cost if entry.reason in STANDING_REASONS else 0
    return fitting, cut

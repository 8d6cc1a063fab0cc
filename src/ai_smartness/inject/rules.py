"""The numbers that injection goes by."""

from dataclasses import dataclass

__all__ = ["InjectRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectRules:
    """How much is shown, how relevant it must be, and how often it may be repeated."""

    budget_tokens: int = 1_500
    """Of a prompt, what memory may take: some twenty lines."""
    floor: float = 0.45
    """Where nothing is as relevant nothing is shown: silence costs nothing."""
    standing_share: float = 0.25
    """Of the budget, for pins, identity and preferences, which are shown whatever is asked."""
    most_threads: int = 20
    """Threads in one injection."""
    depth_turns: int = 10
    """Turns until something that was shown may be shown again."""
    recent_hours: float = 6.0
    """What was active since is thought of, if it is relevant at all."""
    recent_session_only: bool = False
    """Think only of what was recent in the same session."""
    important: float = 0.8
    """From this importance on a thread is thought of, if it is relevant at all."""
    same: float = 0.85
    """From this similarity on two texts say the same."""
    in_sight: int = 100
    """Entries of the session that are compared with."""
    lines: int = 3
    """Messages shown of one thread, those that match best."""
    turns_before: int = 2
    """A short prompt is read together with so many before it."""
    beat_minutes: float = 5.0
    """One beat of the memory's time."""

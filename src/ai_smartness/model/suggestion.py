"""Suggestions: found by the memory, and applied only when somebody asks."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.bridge import Relation

__all__ = [
    "HIGH_PRESSURE",
    "Conflict",
    "ForgottenPin",
    "Health",
    "MergeCandidate",
    "RecallHint",
    "SplitCandidate",
    "Suggestions",
]


HIGH_PRESSURE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeCandidate:
    """Two threads that seem to be about one subject; the proposed survivor first."""

    thread_a: str
    thread_b: str
    similarity: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCandidate:
    """A thread whose subject changed: the topics to split off, and their messages."""

    thread_id: str
    reason: str
    topics_to_split: tuple[str, ...]
    messages: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHint:
    """A subject that fits the context and was not mentioned for some time."""

    topic: str
    last_mentioned: str
    thread_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two threads, of which the newer seems to contradict or replace the older."""

    older: str
    newer: str
    relation: Relation
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenPin:
    """A pin that was not used for a long time."""

    thread_id: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How full the memory is, and how much of what it shows is used.

    `tokens_injected` is the recent average for a prompt, of `token_budget`. `hit_rate` is the
    share of shown threads that agents then used.
    """

    active_threads: int
    allowed_threads: int
    context_pressure: float
    tokens_injected: int
    token_budget: int
    hit_rate: float | None
    recommendation: str

    @property
    def is_pressure_high(self) -> bool:
        """Say whether the active threads weigh so much that a clean-up may help."""
        return self.context_pressure >= HIGH_PRESSURE


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """All suggestions for a project; `more_merges` counts those that are not listed."""

    merge_candidates: tuple[MergeCandidate, ...]
    split_candidates: tuple[SplitCandidate, ...]
    recall_hints: tuple[RecallHint, ...]
    conflicts: tuple[Conflict, ...]
    forgotten_pins: tuple[ForgottenPin, ...]
    health: Health
    more_merges: int = 0

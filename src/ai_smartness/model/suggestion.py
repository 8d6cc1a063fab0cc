"""What the memory suggests: found by itself, done by nobody unasked."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.bridge import Relation

__all__ = [
    "Conflict",
    "ForgottenPin",
    "Health",
    "MergeCandidate",
    "RecallHint",
    "SplitCandidate",
    "Suggestions",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeCandidate:
    """Two threads that seem to be about one subject; the one to keep first."""

    thread_a: str
    thread_b: str
    similarity: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCandidate:
    """A thread whose subject changed: what to split off, and which messages that is."""

    thread_id: str
    reason: str
    topics_to_split: tuple[str, ...]
    messages: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHint:
    """A subject that fits the context and has not been spoken of for some time."""

    topic: str
    last_mentioned: str
    thread_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two threads of which one seems to take back or replace what the other says."""

    older: str
    newer: str
    relation: Relation
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenPin:
    """A pin that takes room and has not been of use for long."""

    thread_id: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How full the memory is, and how well what it shows is used.

    `tokens_injected` is what a prompt was given on average lately, of `token_budget`;
    `hit_rate` the share of what was shown that came back in what agents did.
    """

    active_threads: int
    allowed_threads: int
    context_pressure: float
    tokens_injected: int
    token_budget: int
    hit_rate: float | None
    recommendation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """All suggestions for a project at one moment; `more_merges` are found and not listed."""

    merge_candidates: tuple[MergeCandidate, ...]
    split_candidates: tuple[SplitCandidate, ...]
    recall_hints: tuple[RecallHint, ...]
    conflicts: tuple[Conflict, ...]
    forgotten_pins: tuple[ForgottenPin, ...]
    health: Health
    more_merges: int = 0

"""What a compaction of the memory does: which threads are merged, which are put away."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from ai_smartness.model.journal import Outcome

__all__ = [
    "ArchiveReason",
    "ArchiveStep",
    "Compaction",
    "CompactionStep",
    "CompactionStrategy",
    "MemoryLoad",
    "MergeStep",
]


class CompactionStrategy(StrEnum):
    """How much is tidied away at once."""

    GENTLE = "gentle"
    NORMAL = "normal"
    AGGRESSIVE = "aggressive"


class ArchiveReason(StrEnum):
    """Why a thread is put away."""

    AGE = "age"
    CAPACITY = "capacity"


@dataclass(frozen=True, slots=True)
class MergeStep:
    """Threads about one subject, the survivor first; how alike the least alike are to it."""

    threads: tuple[str, ...]
    similarity: float


@dataclass(frozen=True, slots=True)
class ArchiveStep:
    """A thread that is put away, and why."""

    thread: str
    because: ArchiveReason


CompactionStep: TypeAlias = MergeStep | ArchiveStep


@dataclass(frozen=True, slots=True)
class MemoryLoad:
    """How much there is of a memory: its active threads, and what they weigh together."""

    active_threads: int
    total_weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One plan, carried out or, in a dry run, only shown; `weight_decay` is what weights keep."""

    strategy: CompactionStrategy
    dry_run: bool
    steps: tuple[CompactionStep, ...]
    weight_decay: float
    before: MemoryLoad
    after: MemoryLoad
    outcome: Outcome

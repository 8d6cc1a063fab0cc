"""The compaction of a memory: which threads are merged, archived or suspended."""

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
    "SuspendStep",
]


class CompactionStrategy(StrEnum):
    """How much is compacted at once."""

    GENTLE = "gentle"
    NORMAL = "normal"
    AGGRESSIVE = "aggressive"


class ArchiveReason(StrEnum):
    """Why a thread is archived."""

    AGE = "age"
    CAPACITY = "capacity"


@dataclass(frozen=True, slots=True)
class MergeStep:
    """Threads about one subject, the survivor first, and the lowest similarity to it."""

    threads: tuple[str, ...]
    similarity: float


@dataclass(frozen=True, slots=True)
class ArchiveStep:
    """A thread to archive, and why."""

    thread: str
    because: ArchiveReason


@dataclass(frozen=True, slots=True)
class SuspendStep:
    """A thread that the reduced weight makes too light to be active."""

    thread: str


CompactionStep: TypeAlias = MergeStep | ArchiveStep | SuspendStep
"""One step of a plan to compact a project."""


@dataclass(frozen=True, slots=True)
class MemoryLoad:
    """The number of active threads, and their total weight."""

    active_threads: int
    total_weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One plan, applied or, in a dry run, only shown; `weight_decay` is the share weights keep."""

    strategy: CompactionStrategy
    dry_run: bool
    steps: tuple[CompactionStep, ...]
    weight_decay: float
    before: MemoryLoad
    after: MemoryLoad
    outcome: Outcome

"""What the rules need from outside.

A store, an embedder, a language model, a clock: each a protocol that an
adapter fulfils. `tests/contract/` holds what every fulfilment must do.
"""

from ai_smartness.ports.indexes import Vectors, WordIndex
from ai_smartness.ports.kept import (
    Bridges,
    Events,
    Foci,
    Journal,
    Ledger,
    Notes,
    Spending,
    Threads,
)
from ai_smartness.ports.outside import (
    Clock,
    Completion,
    Embedder,
    LanguageModel,
    Progress,
    Worktree,
)
from ai_smartness.ports.store import ProjectCount, ThreadStore

__all__ = [
    "Bridges",
    "Clock",
    "Completion",
    "Embedder",
    "Events",
    "Foci",
    "Journal",
    "LanguageModel",
    "Ledger",
    "Notes",
    "Progress",
    "ProjectCount",
    "Spending",
    "ThreadStore",
    "Threads",
    "Vectors",
    "WordIndex",
    "Worktree",
]

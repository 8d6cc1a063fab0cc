"""What the rules need from outside.

A store, an embedder, a language model, a clock: each a protocol that an
adapter fulfils. `tests/contract/` holds what every fulfilment must do.
"""

from ai_smartness.ports.indexes import VectorIndex, WordIndex
from ai_smartness.ports.services import (
    Clock,
    Completion,
    Embedder,
    LanguageModel,
    Progress,
    Worktree,
)
from ai_smartness.ports.storage import (
    Annotations,
    Bridges,
    Events,
    Foci,
    Journal,
    Ledger,
    ProjectCount,
    Spending,
    Threads,
    ThreadStore,
)

__all__ = [
    "Annotations",
    "Bridges",
    "Clock",
    "Completion",
    "Embedder",
    "Events",
    "Foci",
    "Journal",
    "LanguageModel",
    "Ledger",
    "Progress",
    "ProjectCount",
    "Spending",
    "ThreadStore",
    "Threads",
    "VectorIndex",
    "WordIndex",
    "Worktree",
]

"""The ports: protocols for everything outside, which adapters implement.

A store, an embedder, a language model, a clock. `tests/contract/` tests every implementation.
"""

from ai_smartness.ports.indexes import VectorIndex, WordIndex
from ai_smartness.ports.services import (
    Clock,
    Completion,
    Embedder,
    LanguageModel,
    Progress,
    Reranker,
    Worktree,
)
from ai_smartness.ports.statements import Statements
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
    "Reranker",
    "Spending",
    "Statements",
    "ThreadStore",
    "Threads",
    "VectorIndex",
    "WordIndex",
    "Worktree",
]

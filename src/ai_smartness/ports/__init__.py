"""What the rules need from outside.

A store, an embedder, a language model, a clock: each a protocol that an
adapter fulfils. `tests/contract/` holds what every fulfilment must do.
"""

from ai_smartness.ports.indexes import Vectors, WordIndex
from ai_smartness.ports.kept import Bridges, Events, Journal, Ledger, Notes, Threads
from ai_smartness.ports.outside import Clock, Embedder, LanguageModel, Progress, Worktree
from ai_smartness.ports.store import ProjectCount, ThreadStore

__all__ = [
    "Bridges",
    "Clock",
    "Embedder",
    "Events",
    "Journal",
    "LanguageModel",
    "Ledger",
    "Notes",
    "Progress",
    "ProjectCount",
    "ThreadStore",
    "Threads",
    "Vectors",
    "WordIndex",
    "Worktree",
]

"""The parts a memory is built from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ai_smartness.condense.condenser_registry import CondenserRegistry
    from ai_smartness.ports import Clock, Embedder, LanguageModel, Reranker, ThreadStore, Worktree
    from ai_smartness.ports.erasure import MemoryFiles
    from ai_smartness.ports.safekeeping import StoreFiles

__all__ = ["MemoryParts"]


def _block_events() -> int:
    from ai_smartness.capture.assign.assigner import BLOCK_EVENTS

    return BLOCK_EVENTS


def _condensers() -> CondenserRegistry:
    from ai_smartness.condense.condenser_registry import CondenserRegistry

    return CondenserRegistry()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryParts:
    """Everything a memory is built from; models are loaded on first use.

    A `patient` memory embeds pending messages before it searches. Set it to false where
    a background job embeds them. The language model is used for condensing only, and
    only by a condenser that asks for it. A memory that `finds_statements` judges messages
    when it embeds them, or at once if there is no model. Deletion also covers `files`
    beside the store, and the `store_files` with their copies, if it is kept in files. `linked`
    are projects that the user has linked to this one: what they remember is found from here.
    `turn` is held during a verb, so that threads which share a memory wait for each other.
    """

    store: ThreadStore
    linked: tuple[str, ...] = ()
    embedder: Callable[[], Embedder | None]
    clock: Clock
    worktree: Worktree | None = None
    recall_log: Callable[[str], None] | None = None
    patient: bool = True
    finds_statements: bool = True
    condensers: CondenserRegistry = field(default_factory=_condensers)
    read_file: Callable[[str], str | None] | None = None
    language_model: Callable[[], LanguageModel | None] | None = None
    files: MemoryFiles | None = None
    reranker: Callable[[], Reranker | None] | None = None
    store_files: StoreFiles | None = None
    block_events: int = field(default_factory=_block_events)
    turn: Any = field(default_factory=RLock)

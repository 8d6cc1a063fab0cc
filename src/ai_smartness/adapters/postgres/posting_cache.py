"""Posting blocks of frequent words in the memory of this process, so that they travel once.

Every search asks the server which blocks its words have now, and gets those that are not here
along with the answer. A block is known by its word, its first event and its number of events:
within a generation of a project's words, blocks are only added or joined to larger ones, so no
other block is ever known by the same. A removal of words makes another generation, and everything
of the former one is dropped.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ai_smartness.adapters.postgres.posting_blocks import Postings

__all__ = ["CACHED_EVENTS", "BlockKey", "CachedBlocks", "PostingCache"]

_MOST_BYTES = 64 << 20  # of all projects together

CACHED_EVENTS = 32
"""Of a block that is worth it: a smaller one is sent again."""

BlockKey: TypeAlias = tuple[str, int, int]
"""A term, the first event of a block, and how many events it has."""


@dataclass(frozen=True, slots=True)
class CachedBlocks:
    """What is here of some terms, all of one generation."""

    generation: str = ""
    blocks: Mapping[BlockKey, "Postings"] = field(default_factory=dict)


class PostingCache:
    """What the memories of one process have read from one server, as one role."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._turn = threading.Lock()
        self._most_bytes = most_bytes
        self._bytes = 0
        self._generations: dict[int, str] = {}
        # Those used last are at the end.
        self._terms: OrderedDict[tuple[int, str], Mapping[BlockKey, Postings]] = OrderedDict()

    @property
    def used_bytes(self) -> int:
        """Return how much the blocks take."""
        return self._bytes

    def find(self, project_id: int, terms: Iterable[str]) -> CachedBlocks:
        """Return the blocks of these terms that are here."""
        with self._turn:
            blocks: dict[BlockKey, Postings] = {}
            for key in ((project_id, term) for term in terms):
                if key in self._terms:
                    self._terms.move_to_end(key)
                    blocks |= self._terms[key]
            return CachedBlocks(self._generations.get(project_id, ""), blocks)

    def replace(
        self, project_id: int, generation: str, blocks: Mapping[str, Mapping[BlockKey, "Postings"]]
    ) -> None:
        """Cache the large blocks that the server has now of some terms, and no others of these."""
        with self._turn:
            if self._generations.get(project_id) != generation:
                self._drop_project(project_id)
                self._generations[project_id] = generation
            for term, large in blocks.items():
                self._drop((project_id, term))
                if large:
                    self._terms[project_id, term] = large
                    self._bytes += _size(large)
            while self._bytes > self._most_bytes:
                self._drop(next(iter(self._terms)))

    def clear(self) -> None:
        """Drop everything: the server may go on from an earlier moment."""
        with self._turn:
            self._terms.clear()
            self._generations.clear()
            self._bytes = 0

    def _drop_project(self, project_id: int) -> None:
        for key in [key for key in self._terms if key[0] == project_id]:
            self._drop(key)

    def _drop(self, key: tuple[int, str]) -> None:
        self._bytes -= _size(self._terms.pop(key, {}))


def _size(blocks: Mapping[BlockKey, "Postings"]) -> int:
    return sum(block.size for block in blocks.values())

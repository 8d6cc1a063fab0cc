"""Posting blocks of frequent words in the memory of this process, so that they travel once.

Every search asks the server which blocks its words have now, and gets those that are not here
along with the answer. A block is known by its word, its first event and its number of events:
within a generation of a project's words, blocks are only added or joined to larger ones, so no
other block is ever known by the same. A removal of words makes another generation, and everything
of the former one is dropped.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Block", "BlockKey", "CachedBlocks", "PostingCache"]

_MOST_BYTES = 64 << 20  # of all projects together
_MIN_EVENTS = 32  # a smaller block is sent again sooner than it is asked for

BlockKey: TypeAlias = tuple[str, int, int]
"""A term, the first event of a block, and how many events it has."""

Block: TypeAlias = tuple[bytes, bytes | None]
"""Packed postings, and positions if they were ever needed."""


@dataclass(frozen=True, slots=True)
class CachedBlocks:
    """What is here of some terms, all of one generation."""

    generation: str = ""
    blocks: Mapping[BlockKey, Block] = field(default_factory=dict)


class PostingCache:
    """What the memories of one process have read from one server, as one role."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._turn = threading.Lock()
        self._most_bytes = most_bytes
        self._bytes = 0
        self._generations: dict[int, str] = {}
        # Those used last are at the end.
        self._terms: OrderedDict[tuple[int, str], dict[BlockKey, Block]] = OrderedDict()

    @property
    def used_bytes(self) -> int:
        """Return how much the blocks take."""
        return self._bytes

    def find(self, project_id: int, terms: Collection[str]) -> CachedBlocks:
        """Return the blocks of these terms that are here."""
        with self._turn:
            blocks: dict[BlockKey, Block] = {}
            for key in ((project_id, term) for term in terms):
                if key in self._terms:
                    self._terms.move_to_end(key)
                    blocks |= self._terms[key]
            return CachedBlocks(self._generations.get(project_id, ""), blocks)

    def replace(
        self, project_id: int, generation: str, blocks: Sequence[tuple[BlockKey, Block]]
    ) -> None:
        """Cache the blocks that the server has now of some terms, and no others of these."""
        by_term: dict[str, dict[BlockKey, Block]] = {}
        for key, block in blocks:
            large = by_term.setdefault(key[0], {})
            if key[2] >= _MIN_EVENTS:
                large[key] = block
        with self._turn:
            if self._generations.get(project_id) != generation:
                self._drop_project(project_id)
                self._generations[project_id] = generation
            for term, large in by_term.items():
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


def _size(blocks: Mapping[BlockKey, Block]) -> int:
    return sum(len(postings) + len(positions or b"") for postings, positions in blocks.values())

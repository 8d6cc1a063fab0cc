"""Embed with a table of word pieces: no neural network, only numpy, many languages.

A text is the mean of the vectors of its pieces, so a query takes a fraction of a millisecond. The
table has no probabilities of its pieces; a word is cut into the longest pieces, from its start.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.adapters.embedders.calibration import (
    CalibratedEmbedder,
    chunk_spans,
    tokenizable_text,
)
from ai_smartness.model.errors import StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ai_smartness.adapters.embedders.model_catalogue import ModelRecipe

__all__ = ["StaticEmbedder"]

WORD_START = "▁"  # before a piece that begins a word
CHUNK_PIECES = 256  # as many as a chunk of the other models has tokens
CHUNK_CHARACTERS = 4 * CHUNK_PIECES
KNOWN_WORDS = 20_000  # words whose pieces are looked up once: most come back

_WORD = re.compile(r"\w+")


class StaticEmbedder(CalibratedEmbedder):
    """An embedder that looks the pieces of a text up in a table."""

    def __init__(self, recipe: "ModelRecipe", *, max_chunks: int = 64) -> None:
        self._space = recipe.space
        self._known_anchors = recipe.anchors
        self._max_chunks = max_chunks
        try:
            self._vectors = np.load(recipe.model, mmap_mode="r", allow_pickle=False)
            pieces = recipe.tokenizer.read_text(encoding="utf-8").split("\n")
        except (OSError, ValueError) as error:
            msg = f"cannot load the model {recipe.model}: {error}. Pull it again."
            raise StoreError(msg) from error
        known = enumerate(pieces[: len(self._vectors)])
        self._rows = {piece: row for row, piece in known if piece}
        self._known_word_rows = lru_cache(KNOWN_WORDS)(lambda word: tuple(self._word_rows(word)))

    @property
    def space(self) -> str:
        return self._space

    @property
    def dimension(self) -> int:
        return int(self._vectors.shape[1])

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        return [self._chunk_vectors(tokenizable_text(text)) for text in texts]

    def query(self, text: str) -> "NDArray[np.float32]":
        limit = CHUNK_CHARACTERS * self._max_chunks
        return self._mean_vector(list(self._piece_rows(tokenizable_text(text)[:limit])))

    def _chunk_vectors(self, text: str) -> "NDArray[np.float32]":
        spans = chunk_spans(len(text), CHUNK_CHARACTERS, self._max_chunks)
        return np.stack([self._mean_vector(list(self._piece_rows(text[span]))) for span in spans])

    def _mean_vector(self, rows: list[int]) -> "NDArray[np.float32]":
        mean = self._vectors[rows].astype(np.float32).mean(axis=0) if rows else self._middle
        length = float(np.linalg.norm(mean))
        return np.asarray(mean / length if length else self._middle, np.float32)

    @cached_property
    def _middle(self) -> "NDArray[np.float32]":
        """Return the vector of a text without a word: a vector of no length has no cosine."""
        return np.full(self.dimension, self.dimension**-0.5, np.float32)

    def _piece_rows(self, text: str) -> Iterator[int]:
        for word in _WORD.findall(text.lower()):
            yield from self._known_word_rows(WORD_START + word)

    def _word_rows(self, word: str) -> Iterator[int]:
        """Return the rows of the longest pieces of a word; a strange letter has none."""
        start = 0
        while start < len(word):
            ends = range(min(len(word), start + self._longest), start, -1)
            end = next((end for end in ends if word[start:end] in self._rows), None)
            if end is not None:
                yield self._rows[word[start:end]]
            start = end or start + 1

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._rows), default=1)

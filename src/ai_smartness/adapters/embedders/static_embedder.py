"""Embed with a table of word pieces: no neural network, only numpy, many languages.

A text is the mean of the vectors of its pieces, so a query takes a fraction of a millisecond. The
table has no probabilities of its pieces; a word is cut into the longest pieces, from its start.

A pulled table is stored with one byte a number and a scale for each row, and without the pieces
that are in no word, which leaves 12 MB of 31. The vectors turn so little that their space is the
same.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
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

__all__ = ["StaticEmbedder", "pack_table"]

WORD_START = "▁"  # before a piece that begins a word
CHUNK_PIECES = 256  # as many as a chunk of the other models has tokens
CHUNK_CHARACTERS = 4 * CHUNK_PIECES
KNOWN_WORDS = 20_000  # words whose pieces are looked up once: most come back

LARGEST_BYTE = 127

_WORD = re.compile(r"\w+")


class StaticEmbedder(CalibratedEmbedder):
    """An embedder that looks the pieces of a text up in a table."""

    def __init__(self, recipe: "ModelRecipe", *, max_chunks: int = 64) -> None:
        self._space = recipe.space
        self._known_anchors = recipe.anchors
        self._max_chunks = max_chunks
        try:
            self._table = np.load(recipe.model, mmap_mode="r", allow_pickle=False)
            pieces = recipe.tokenizer.read_text(encoding="utf-8").split("\n")
        except (OSError, ValueError) as error:
            msg = f"cannot load the model {recipe.model}: {error}. Pull it again."
            raise StoreError(msg) from error
        known = enumerate(pieces[: len(self._table)])
        self._rows = {piece: row for row, piece in known if piece}
        self._known_word_rows = lru_cache(KNOWN_WORDS)(lambda word: tuple(self._word_rows(word)))

    @property
    def space(self) -> str:
        return self._space

    @property
    def dimension(self) -> int:
        return int(self._row_vectors([0]).shape[1])

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        return [self._chunk_vectors(tokenizable_text(text)) for text in texts]

    def query(self, text: str) -> "NDArray[np.float32]":
        limit = CHUNK_CHARACTERS * self._max_chunks
        return self._mean_vector(list(self._piece_rows(tokenizable_text(text)[:limit])))

    def _chunk_vectors(self, text: str) -> "NDArray[np.float32]":
        spans = chunk_spans(len(text), CHUNK_CHARACTERS, self._max_chunks)
        return np.stack([self._mean_vector(list(self._piece_rows(text[span]))) for span in spans])

    def _mean_vector(self, rows: list[int]) -> "NDArray[np.float32]":
        mean = self._row_vectors(rows).mean(axis=0) if rows else self._middle
        length = float(np.linalg.norm(mean))
        return np.asarray(mean / length if length else self._middle, np.float32)

    def _row_vectors(self, rows: list[int]) -> "NDArray[np.float32]":
        taken = self._table[rows]
        if taken.dtype.names is None:  # pulled before tables were packed
            return np.asarray(taken, np.float32)
        scales = taken["scale"].astype(np.float32)
        return np.asarray(taken["vector"] * scales[:, np.newaxis], np.float32)

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


def pack_table(table: Path, pieces: Path) -> None:
    """Rewrite a table of floats with one byte a number, without the pieces that no word has.

    The same table always becomes the same bytes, so that their sha256 can be in the catalogue.
    """
    vectors = np.load(table, allow_pickle=False)
    if vectors.dtype.names is not None:
        return
    texts = pieces.read_text(encoding="utf-8").split("\n")
    found = [row for row, piece in enumerate(texts) if _is_findable(piece)]
    vectors = vectors[found].astype(np.float32)
    scales = (np.abs(vectors).max(axis=1) / LARGEST_BYTE).astype("<f2")
    divisors = np.where(scales > 0, scales, 1).astype(np.float32)[:, np.newaxis]
    packed = np.empty(len(found), [("scale", "<f2"), ("vector", "i1", (vectors.shape[1],))])
    packed["scale"] = scales
    packed["vector"] = np.clip(np.rint(vectors / divisors), -LARGEST_BYTE, LARGEST_BYTE)
    np.save(table, packed, allow_pickle=False)
    pieces.write_text("\n".join(texts[row] for row in found), encoding="utf-8", newline="\n")


def _is_findable(piece: str) -> bool:
    """Say whether a piece can be part of a word: words are lower case and without signs."""
    letters = piece.removeprefix(WORD_START)
    return (
        piece != "" and piece == piece.lower() and (not letters or bool(_WORD.fullmatch(letters)))
    )

"""Embed with a model on this machine.

A text always gets the same vector: each chunk runs alone. Quantised models scale by
the largest value in a run, so texts that share a batch change each other (cosine down
to 0.985), and a batch is not faster on one core. The number of threads has no effect.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.adapters.embedders.calibration import (
    CalibratedEmbedder,
    chunk_spans,
    tokenizable_text,
)
from ai_smartness.adapters.embedders.onnx_session import OnnxModel
from ai_smartness.adapters.embedders.text_tokenizer import open_tokenizer
from ai_smartness.ports import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ai_smartness.adapters.embedders.model_catalogue import ModelRecipe, Pooling

__all__ = ["OnnxEmbedder"]

QUERY_CHUNKS = 4
"""A query gets one vector, quickly: for a long one, the mean of at most this many chunks."""

RECENT_QUERIES = 8  # one prompt is searched for and judged with the same vector

CHUNK_TOKENS = 256
"""Shorter than most models allow: search finds a long answer by its relevant passage, and
half the length takes less than half the time."""

CHARACTERS_PER_TOKEN = 6
"""More than any language has on average. A text too long for all its chunks at this rate is cut
by characters first, because a tokenizer needs 200 bytes and a microsecond per token."""

MOST_PIECES, MOST_PLAIN_PIECES = 1.7, 1.85
"""Pieces of a word, on average, of a language that a model reads: with letters beyond a to z, and
without. In English a word has 1 to 1.5, more in jargon, in German 2 to 3, in Russian 4 to 7.
French and Spanish have 1.4 to 1.9, and share many words with English: they are half read."""

SPELLED_SHARE = 0.6  # of plain words in several pieces: in English jargon the others are in one
FEWEST_WORDS = 4  # of plain letters: fewer may all be names of programs
READ_CHARACTERS = 1_000  # of a text, to know its language


_PLAIN_WORD = re.compile(r"(?<![\w./`-])[^\W\d_]+(?![\w./`(-])")  # no part of a path or a name
_CODE_WORD = re.compile(r"[a-z][A-Z]|^[A-Z]+$")


class OnnxEmbedder(CalibratedEmbedder):
    """An embedder that runs a model in this process."""

    def __init__(
        self,
        recipe: "ModelRecipe",
        *,
        threads: int = 1,
        max_chunks: int = 64,
        other_languages: Embedder | None = None,
    ) -> None:
        self._recipe = recipe
        self._other_languages = other_languages
        self._known_anchors = recipe.anchors
        self._max_chunks = max_chunks
        self._tokenizer = open_tokenizer(recipe.tokenizer)
        self._model = OnnxModel(recipe.model, threads)
        self._recent_queries = lru_cache(RECENT_QUERIES)(self._query_vector)
        self._recently_read = lru_cache(RECENT_QUERIES)(self._knows_words)

    @property
    def space(self) -> str:
        return self._recipe.space

    @cached_property
    def dimension(self) -> int:
        declared = self._model.output_shape[-1]
        return declared if isinstance(declared, int) else len(self.query(""))

    @property
    def other_languages(self) -> Embedder | None:
        return self._other_languages

    def reads(self, text: str) -> bool:
        """Say whether the model knows the words of a text, and need not spell them."""
        return self._recently_read(text[:READ_CHARACTERS])

    def _knows_words(self, text: str) -> bool:
        plain = _PLAIN_WORD.findall(tokenizable_text(text))
        words = [word.lower() for word in plain if not _CODE_WORD.search(word)]
        pieces = [len(self._tokenizer.token_ids(word)) for word in words]
        if not "".join(words).isascii():
            return sum(pieces) <= MOST_PIECES * len(words)
        spelled = sum(count > 1 for count in pieces)
        return (
            len(words) < FEWEST_WORDS
            or sum(pieces) <= MOST_PLAIN_PIECES * len(words)
            or spelled < SPELLED_SHARE * len(words)
        )

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        return [
            self._chunk_vectors(text, self._recipe.document_prefix, self._max_chunks)
            for text in texts
        ]

    def query(self, text: str) -> "NDArray[np.float32]":
        return self._recent_queries(text)

    def _query_vector(self, text: str) -> "NDArray[np.float32]":
        rows = self._chunk_vectors(text, self._recipe.query_prefix, QUERY_CHUNKS)
        vector = _unit_vector(rows.mean(axis=0))
        vector.flags.writeable = False
        return vector

    def _chunk_vectors(self, text: str, prefix: str, limit: int) -> "NDArray[np.float32]":
        """Embed the chunks of one text, one run each."""
        opening = self._tokenizer.head + self._tokenizer.token_ids(prefix)
        tail = self._tokenizer.tail
        length = min(self._recipe.max_tokens, CHUNK_TOKENS)
        room = max(1, length - len(opening) - len(tail))
        chunks = self._token_chunks(tokenizable_text(text), room, limit)
        return np.stack([self._run_model(opening + chunk + tail) for chunk in chunks])

    def _token_chunks(self, text: str, room: int, limit: int) -> list[list[int]]:
        """Cut a text into chunks of tokens."""
        width = room * CHARACTERS_PER_TOKEN
        if len(text) <= width * limit:
            tokens = self._tokenizer.token_ids(text)
            return [tokens[span] for span in chunk_spans(len(tokens), room, limit)]
        spans = chunk_spans(len(text), width, limit)
        *most, last = (self._tokenizer.token_ids(text[span]) for span in spans)
        return [*(tokens[:room] for tokens in most), last[-room:]]

    def _run_model(self, tokens: list[int]) -> "NDArray[np.float32]":
        """Run the model over one chunk."""
        return _unit_vector(_pooled_vector(self._model.run(tokens), self._recipe.pooling))


def _pooled_vector(output: "NDArray[np.float32]", pooling: "Pooling") -> "NDArray[np.float32]":
    """Return one vector; some models pool by themselves."""
    if output.ndim == 1:
        return output
    pooled: NDArray[np.float32] = output[0] if pooling == "cls" else output.mean(axis=0)
    return pooled


def _unit_vector(vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, dtype=np.float32)

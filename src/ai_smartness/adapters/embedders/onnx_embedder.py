"""Embed with a model on this machine.

A text always gets the same vector: each chunk runs alone. Quantised models scale by
the largest value in a run, so texts that share a batch change each other (cosine down
to 0.985), and a batch is not faster on one core. The number of threads has no effect.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from onnxruntime.capi import (  # type: ignore[import-untyped]
    onnxruntime_pybind11_state as onnx_errors,
)
from tokenizers import Tokenizer

from ai_smartness.adapters.embedders.calibration import (
    CalibratedEmbedder,
    chunk_spans,
    tokenizable_text,
)
from ai_smartness.model.errors import StoreError
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

MODEL_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
"""The inputs that we can provide; most models take two or three of them."""

MOST_PIECES, MOST_PLAIN_PIECES = 1.7, 1.85
"""Pieces of a word, on average, of a language that a model reads: with letters beyond a to z, and
without. In English a word has 1 to 1.5, more in jargon, in German 2 to 3, in Russian 4 to 7.
French and Spanish have 1.4 to 1.9, and share many words with English: they are half read."""

SPELLED_SHARE = 0.6  # of plain words in several pieces: in English jargon the others are in one
FEWEST_WORDS = 4  # of plain letters: fewer may all be names of programs
READ_CHARACTERS = 1_000  # of a text, to know its language

SEVERITY_FATAL = 4  # the log level that keeps onnxruntime from writing to our stderr


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
        self._tokenizer = Tokenizer.from_file(str(recipe.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._head, self._tail = _special_tokens(self._tokenizer)
        self._session = _open_session(recipe.model, threads)
        self._inputs = _wanted_inputs(self._session, recipe.model)
        self._recent_queries = lru_cache(RECENT_QUERIES)(self._query_vector)

    @property
    def space(self) -> str:
        return self._recipe.space

    @cached_property
    def dimension(self) -> int:
        declared = self._session.get_outputs()[0].shape[-1]
        return declared if isinstance(declared, int) else len(self.query(""))

    @property
    def other_languages(self) -> Embedder | None:
        return self._other_languages

    def reads(self, text: str) -> bool:
        """Say whether the model knows the words of a text, and need not spell them."""
        plain = _PLAIN_WORD.findall(tokenizable_text(text[:READ_CHARACTERS]))
        words = [word.lower() for word in plain if not _CODE_WORD.search(word)]
        pieces = [len(self._token_ids(word)) for word in words]
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
        opening = self._head + self._token_ids(prefix)
        length = min(self._recipe.max_tokens, CHUNK_TOKENS)
        room = max(1, length - len(opening) - len(self._tail))
        chunks = self._token_chunks(tokenizable_text(text), room, limit)
        return np.stack([self._run_model(opening + chunk + self._tail) for chunk in chunks])

    def _token_chunks(self, text: str, room: int, limit: int) -> list[list[int]]:
        """Cut a text into chunks of tokens."""
        width = room * CHARACTERS_PER_TOKEN
        if len(text) <= width * limit:
            tokens = self._token_ids(text)
            return [tokens[span] for span in chunk_spans(len(tokens), room, limit)]
        *most, last = (self._token_ids(text[span]) for span in chunk_spans(len(text), width, limit))
        return [*(tokens[:room] for tokens in most), last[-room:]]

    def _token_ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _run_model(self, tokens: list[int]) -> "NDArray[np.float32]":
        """Run the model over one chunk."""
        ids = np.asarray([tokens], dtype=np.int64)
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        wanted = {name: feeds[name] for name in feeds if name in self._inputs}
        try:
            outputs = self._session.run(None, wanted)
        except _ONNX_ERRORS as error:
            msg = f"the model did not embed: {error}. `ais doctor` checks it."
            raise StoreError(msg) from error
        output = np.asarray(outputs[0], dtype=np.float32)[0]
        return _unit_vector(_pooled_vector(output, self._recipe.pooling))


def _pooled_vector(output: "NDArray[np.float32]", pooling: "Pooling") -> "NDArray[np.float32]":
    """Return one vector; some models pool by themselves."""
    if output.ndim == 1:
        return output
    pooled: NDArray[np.float32] = output[0] if pooling == "cls" else output.mean(axis=0)
    return pooled


def _unit_vector(vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, dtype=np.float32)


def _special_tokens(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the tokens that this tokenizer adds before and after every text."""
    sample = tokenizer.encode("a")
    inner = [number for number, special in enumerate(sample.special_tokens_mask) if not special]
    ids = list(sample.ids)
    return (ids[: inner[0]], ids[inner[-1] + 1 :]) if inner else (ids, [])


def _wanted_inputs(session: onnxruntime.InferenceSession, model: Path) -> set[str]:
    """Return the names of the model's inputs; refuse inputs that we cannot provide."""
    wanted = {node.name for node in session.get_inputs()}
    if strange := wanted - MODEL_INPUTS:
        msg = (
            f"cannot embed with {model}: it asks for {', '.join(sorted(strange))}, and a text "
            f"embedder is fed {', '.join(sorted(MODEL_INPUTS))}. Export it for feature extraction."
        )
        raise StoreError(msg)
    return wanted


def _open_session(model: Path, threads: int) -> onnxruntime.InferenceSession:
    """Open the model without log output and without busy waiting."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = SEVERITY_FATAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except _ONNX_ERRORS as error:
        msg = f"cannot load the model {model}: {error}. Pull it again or use another file."
        raise StoreError(msg) from error


_ONNX_ERRORS = (
    onnx_errors.Fail,
    onnx_errors.InvalidArgument,
    onnx_errors.InvalidGraph,
    onnx_errors.InvalidProtobuf,
    onnx_errors.NoSuchFile,
    onnx_errors.NotImplemented,
    onnx_errors.RuntimeException,
)

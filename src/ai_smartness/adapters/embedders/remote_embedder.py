"""Embed with a server that speaks OpenAI's `/v1/embeddings`.

Ollama, LM Studio and vLLM do. The setting is a URL with the model's name behind a
hash sign. The key, if one is needed, is never printed and never sent to a redirect.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from functools import cached_property
from http.client import HTTPException
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

import numpy as np

from ai_smartness.adapters.embedders.calibration import (
    CalibratedEmbedder,
    chunk_spans,
    tokenizable_text,
)
from ai_smartness.adapters.http import NoRedirect, is_loopback
from ai_smartness.model.errors import RefusedError, StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RemoteEmbedder"]

CHUNK_CHARACTERS = 1500
"""Most embedding models read this in full: some 400 tokens of English, 500 of code."""

BATCH_TEXTS = 32
TIMEOUT_SECONDS = 60  # long, because a server may load its model on the first call
QUERY_CHUNKS = 4


class RemoteEmbedder(CalibratedEmbedder):
    """An embedder behind a URL such as `http://localhost:11434/v1#nomic-embed-text`."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        max_chunks: int = 64,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        base, self._model = urldefrag(url)
        if not self._model:
            msg = f"cannot tell which model {url} should use. Write it behind a #: {url}#NAME."
            raise RefusedError(msg)
        self._url = f"{base.rstrip('/')}/embeddings"
        self._key = key
        self._max_chunks = max_chunks
        self._timeout_seconds = timeout_seconds
        # Servers on this machine are not reached through a proxy.
        handlers = [urllib.request.ProxyHandler({})] if is_loopback(url) else []
        self._opener = urllib.request.build_opener(NoRedirect, *handlers)

    @property
    def space(self) -> str:
        """Return the model and its dimension; a server does not report its revision."""
        return f"http:{self._model}@{self.dimension}"

    @cached_property
    def dimension(self) -> int:
        return len(self.query("How long is a vector?"))

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        if not texts:
            return []
        chunks = [_text_chunks(text, self._max_chunks) for text in texts]
        rows = self._embed_chunks(list(chain.from_iterable(chunks)))
        ends = list(accumulate(len(text_chunks) for text_chunks in chunks))
        return [rows[start:end] for start, end in pairwise([0, *ends])]

    def query(self, text: str) -> "NDArray[np.float32]":
        mean = self._embed_chunks(_text_chunks(text, QUERY_CHUNKS)).mean(axis=0, keepdims=True)
        return _unit_rows(mean).reshape(-1)

    def _embed_chunks(self, chunks: Sequence[str]) -> "NDArray[np.float32]":
        """Request the vectors of all chunks, in batches."""
        rows: list[Any] = []
        for start in range(0, len(chunks), BATCH_TEXTS):
            batch = chunks[start : start + BATCH_TEXTS]
            rows += self._parse_vectors(self._request_vectors(batch), len(batch))
        try:
            return _unit_rows(np.asarray(rows, dtype=np.float32).reshape(len(rows), -1))
        except (TypeError, ValueError) as error:
            msg = "its vectors are not numbers of one length"
            raise self._server_error(msg) from error

    def _parse_vectors(self, answer: bytes, count: int) -> list[Any]:
        """Return the vectors of an answer, in the order of the texts."""
        try:
            entries = json.loads(answer)["data"]
            rows = [row["embedding"] for row in sorted(entries, key=lambda row: row["index"])]
        except (ValueError, KeyError, TypeError) as error:
            msg = "its answer is not a list of embeddings"
            raise self._server_error(msg) from error
        if len(rows) != count:
            msg = f"it gave {len(rows)} vectors for {count} texts"
            raise self._server_error(msg)
        return rows

    def _request_vectors(self, batch: Sequence[str]) -> bytes:
        body = json.dumps({"model": self._model, "input": list(batch)}).encode()
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310 - the model cache accepts only http URLs
        try:
            with self._opener.open(request, timeout=self._timeout_seconds) as response:
                answer: bytes = response.read()
                return answer
        except urllib.error.HTTPError as error:
            with error:
                msg = f"it answered {error.code} {error.reason}"
                raise self._server_error(msg) from error
        except (OSError, HTTPException) as error:
            raise self._server_error(str(getattr(error, "reason", error))) from error

    def _server_error(self, why: str) -> StoreError:
        return StoreError(
            f"cannot embed with {self._model} at {self._url}: {why}. Start the server, check the "
            "URL and the model's name, or choose another with `ais model use`."
        )


def _text_chunks(text: str, limit: int) -> list[str]:
    """Cut a text by characters: the server's tokenizer is unknown, and refuses an empty text."""
    clean = tokenizable_text(text)
    return [clean[span].strip() or " " for span in chunk_spans(len(clean), CHUNK_CHARACTERS, limit)]


def _unit_rows(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)

"""Memories of conversations: kept for another run, asked at any moment, with any model."""

import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.memory import Memory
from ai_smartness.memory.base import ignore_progress
from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.ports import Clock, Embedder, ThreadStore
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.statements.find import line_passages
from ai_smartness.wiring import build_memory, load_embedder
from kit.conversations import Conversation

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PROJECT",
    "Known",
    "embed_for_search",
    "model",
    "remembered",
    "seen_with",
]

PROJECT = "bench"
BATCH_EVENTS = 200


class VectorCache:
    """Vectors of texts in a file in the user's cache, so that another run need not embed them."""

    def __init__(self, space: str) -> None:
        folder = Path(memory_paths(None, None, os.environ).cache)
        folder.mkdir(parents=True, exist_ok=True)
        # A question is embedded in a thread beside the search by words; nobody else asks meanwhile.
        self._connection = sqlite3.connect(
            folder / f"bench-vectors-{space}.db", timeout=60, check_same_thread=False
        )
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, rows INTEGER, vector BLOB)"
        )

    def find(self, kind: str, text: str) -> "NDArray[np.float32] | None":
        """Return the rows of a text, if they are known."""
        found = self._connection.execute(
            "SELECT rows, vector FROM vectors WHERE key = ?", (_key(kind, text),)
        ).fetchone()
        return np.frombuffer(found[1], np.float32).reshape(found[0], -1) if found else None

    def add(self, kind: str, texts: "Mapping[str, NDArray[np.float32]]") -> None:
        """Remember the rows of texts."""
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                (
                    (_key(kind, text), len(rows), rows.astype(np.float32).tobytes())
                    for text, rows in texts.items()
                ),
            )


def _key(kind: str, text: str) -> bytes:
    return blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Known:
    """An embedder that embeds a text once, in this run and in later ones."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._queries: dict[str, NDArray[np.float32]] = {}
        self._cache = VectorCache(embedder.space)

    @property
    def space(self) -> str:
        """Name the model and its revision."""
        return self._embedder.space

    @property
    def dimension(self) -> int:
        """Tell the length of a vector."""
        return self._embedder.dimension

    @property
    def unrelated_cosine(self) -> float:
        """Tell the cosine of two documents that have nothing to do with each other."""
        return self._embedder.unrelated_cosine

    @property
    def cosine_range(self) -> float:
        """Tell how far the cosine of the unrelated is from that of the same."""
        return self._embedder.cosine_range

    @property
    def other_languages(self) -> Embedder | None:
        """Return the model for texts that this one does not read."""
        return self._embedder.other_languages

    def reads(self, text: str) -> bool:
        """Say whether the model knows the language of a text."""
        return self._embedder.reads(text)

    def similarity(self, cosine: float) -> float:
        """Map the model's cosine to 0–1."""
        return self._embedder.similarity(cosine)

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Return for each text its chunks as rows."""
        wanted = dict.fromkeys(texts)
        rows = {
            text: rows for text in wanted if (rows := self._cache.find("text", text)) is not None
        }
        unknown = [text for text in wanted if text not in rows]
        if unknown:
            fresh = dict(zip(unknown, self._embedder.documents(unknown), strict=True))
            self._cache.add("text", fresh)
            rows |= fresh
        return [rows[text] for text in texts]

    def query(self, text: str) -> "NDArray[np.float32]":
        """Return the vector to search with."""
        if text not in self._queries:
            known = self._cache.find("query", text)
            if known is None:
                known = self._embedder.query(text)[None]
                self._cache.add("query", {text: known})
            self._queries[text] = known[0]
        return self._queries[text]


def model(name: str | None = None) -> Embedder | None:
    """Load the model that is named, or the one of the settings; none for `none`."""
    where = memory_paths(None, None, os.environ)
    settings = load_settings(where, os.environ).settings
    if name:
        settings = replace(settings, embedder=replace(settings.embedder, model=name))
    if settings.embedder.model == "none":
        return None
    found = load_embedder(where, settings)
    if found is None:
        chosen = settings.embedder.model
        sys.exit(f"No embedding model {chosen} here: run `ais model pull {chosen}` first.")
    return found


def remembered(
    conversation: Conversation,
    file: Path | str,
    embedders: Sequence[Known],
    store: ThreadStore | None = None,
) -> Memory:
    """Return a memory of the conversation, embedded by every model; what is there is not redone.

    It is in the file, or in another store.
    """
    where = memory_paths(None, None, os.environ)
    memory = build_memory(where, Settings(), PROJECT, file)
    if store is not None:
        memory = Memory(replace(memory._parts, store=store), PROJECT, Settings())  # noqa: SLF001
    memory.capture(conversation.messages)
    for embedder in embedders:
        embed_for_search(memory, embedder)
    return memory


def embed_for_search(memory: Memory, embedder: Embedder, after: int = 0) -> int:
    """Embed what a search reads: all messages, and the sentences of people after a seq.

    Judging what is a statement takes as long again, and no search reads it. Returns the last seq.
    """
    seen_with(memory, embedder)._embed_messages(ignore_progress)  # noqa: SLF001 # no verb does less
    store, seq = memory._store, after  # noqa: SLF001 # past the door on purpose
    while events := store.events.after_seq(PROJECT, seq, BATCH_EVENTS):
        seq = events[-1].seq
        known = store.statements.line_vectors(embedder.space, [event.seq for event in events])
        people = [event for event in events if event.role.casefold() not in ANSWERING_ROLES]
        vectors = {
            event.seq: [rows[0] for rows in embedder.documents(passages)]
            for event in people
            if event.seq not in known and (passages := line_passages(event))
        }
        store.statements.save_line_vectors(embedder.space, vectors)
    return seq


def seen_with(memory: Memory, embedder: Embedder | None, clock: Clock | None = None) -> Memory:
    """Return the same memory with another model, and at another time."""
    parts, rules = memory._parts, memory._settings  # noqa: SLF001 # put together anew
    parts = replace(parts, embedder=lambda: embedder, clock=clock or parts.clock)
    return Memory(parts, PROJECT, rules)

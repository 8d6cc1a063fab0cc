"""The raw cost of what no search by words and meaning can do without, part by part."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ai_smartness.adapters.vector_search.exact_search import dot_products
from ai_smartness.ports import Embedder
from ai_smartness.text.keywords import query_terms
from kit.made_up import vectors

__all__ = ["raw_floor"]

FOUND = 100


def raw_floor(path: Path, embedder: Embedder) -> dict[str, Callable[[str], object]]:
    """Return three calls: one FTS5 query, one query embedding, one scan of as many vectors."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    index = connection.execute(
        "SELECT name FROM sqlite_master WHERE name GLOB 'words_[0-9]*' AND sql LIKE '%fts5%'"
    ).fetchone()[0]
    size = connection.execute('SELECT max("rows") FROM embedded').fetchone()[0]
    blocks = [block.astype(np.float16) for block in vectors(size, embedder.dimension)]
    matrix, vector = np.concatenate(blocks), embedder.query("a question")

    found = f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY rank LIMIT 100"  # noqa: S608

    def words(question: str) -> object:
        match = " OR ".join(f'"{term}"' for term in query_terms(question))
        return connection.execute(found, (match,)).fetchall()

    def scan(_question: str) -> object:
        scores = dot_products(matrix, vector[None])[:, 0]
        return np.argpartition(scores, -FOUND)[-FOUND:]

    # A question that the embedder has not just seen.
    embed: Callable[[str], object] = lambda question: embedder.query(f"{question} ")  # noqa: E731
    return {"one FTS5 query": words, "one query embedding": embed, "one vector scan": scan}

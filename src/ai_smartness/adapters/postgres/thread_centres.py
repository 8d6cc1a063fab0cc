"""The centres of threads in PostgreSQL, and vectors as pgvector sends them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.tables.rows import VectorSet
from ai_smartness.adapters.tables.sql_database import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ThreadCentreTable", "packed_rows"]

_COMPUTED_THREADS = 200
_HEADER_BYTES = 4  # of a halfvec, before its numbers


class ThreadCentreTable:
    """Reads the centres of threads, and computes missing ones.

    A centre is the mean of a thread's messages. Triggers delete it when one of their vectors
    changes.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def centres_of(
        self, vectors: VectorSet, thread_ids: Sequence[str]
    ) -> "dict[str, NDArray[np.float32]]":
        """Return the centre, of unit length, of each of these threads that has vectors."""
        from ai_smartness.adapters.vector_search.exact_search import unpacked_vector

        packed: dict[str, bytes | None] = dict(
            self._database.all_in(
                "SELECT thread_id, vector FROM centres WHERE space_id = ? AND thread_id IN ({})",
                thread_ids,
                (vectors.space_id,),
            )
        )
        missing = [id_ for id_ in thread_ids if id_ not in packed]
        for start in range(0, len(missing), _COMPUTED_THREADS):
            packed |= self._computed_centres(vectors, missing[start : start + _COMPUTED_THREADS])
        return {id_: unpacked_vector(vector) for id_, vector in packed.items() if vector}

    def _computed_centres(self, vectors: VectorSet, ids: Sequence[str]) -> dict[str, bytes | None]:
        from ai_smartness.adapters.vector_search.exact_search import thread_means

        with self._database.unit():
            # Whoever adds or moves a vector has this lock, and deletes the centre.
            self._database.lock_project_row(vectors.project_id)
            present = self._database.all_in("SELECT id FROM threads WHERE id IN ({})", ids)
            rows = self._database.all_in(
                "SELECT e.thread_id, v.seq, halfvec_send(v.vector) FROM events e JOIN vectors v "
                "ON v.space_id = ? AND v.seq = e.seq "
                "WHERE e.thread_id IN ({}) ORDER BY e.thread_id, v.seq, v.chunk",
                ids,
                (vectors.space_id,),
            )
            means: dict[str, bytes | None] = dict.fromkeys(row[0] for row in present)
            means |= thread_means(packed_rows(rows))
            self._database.run_many(
                "INSERT INTO centres (thread_id, space_id, vector) VALUES (?, ?, ?) "
                "ON CONFLICT (thread_id, space_id) DO UPDATE SET vector = excluded.vector",
                [(id_, vectors.space_id, vector) for id_, vector in sorted(means.items())],
            )
        return means


def packed_rows(rows: Iterable[Row]) -> list[Row]:
    """Return rows whose last column, sent by pgvector, is as SQLite stores a vector."""
    import numpy as np

    return [
        (*row[:-1], np.frombuffer(row[-1], ">f2", offset=_HEADER_BYTES).astype("<f2").tobytes())
        for row in rows
    ]

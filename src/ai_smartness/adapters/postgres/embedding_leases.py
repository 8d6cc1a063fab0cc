"""Which process embeds which messages, if several have the same backlog.

A process leases some messages for a minute before it embeds them. Others skip them, and take them
if the minute is over: the process may have been killed. A lease ends early when the vectors are
stored. It is no lock: if two embed a message after all, the first vectors stay.
"""

from collections.abc import Iterable
from uuid import uuid4

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.tables.sql_database import Value

__all__ = ["EmbeddingLeases"]

_SECONDS = 60

_LEASE = (
    "WITH wanted AS (SELECT seq FROM events WHERE {condition} AND NOT EXISTS (SELECT 1 FROM "
    "embedding_leases l WHERE l.seq = events.seq AND l.space_id = ?3 AND l.holder <> ?4::uuid "
    "AND l.until > now()) ORDER BY seq LIMIT ?5 FOR NO KEY UPDATE SKIP LOCKED) "
    "INSERT INTO embedding_leases AS held (space_id, seq, holder, until) "
    f"SELECT ?3, seq, ?4::uuid, now() + interval '{_SECONDS} seconds' FROM wanted "
    "ON CONFLICT (space_id, seq) DO UPDATE SET holder = excluded.holder, until = excluded.until "
    # Another process may have leased it since this statement began to look.
    "WHERE held.holder = excluded.holder OR held.until <= now() RETURNING seq"
)


class EmbeddingLeases:
    """The leases of one holder."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._holder = str(uuid4())
        self._held: set[int] = set()

    def lease(
        self, condition: str, project_id: int, space: tuple[int, str], limit: int
    ) -> list[int]:
        """Lease the first events of a project that meet a condition, and return their numbers.

        In the condition `?1` is the project, and `?2` the name of the space.
        """
        space_id, name = space
        values = (project_id, name, space_id, self._holder, limit)
        while True:
            with self._database.unit():
                leased = [
                    row[0] for row in self._database.all(_LEASE.format(condition=condition), values)
                ]
            self._held.update(leased)
            # Another holder may have embedded it, and ended its lease, while the statement ran.
            wanted = f"SELECT seq FROM events WHERE {condition} AND seq = ANY(?3::bigint[])"
            among = f"{{{','.join(map(str, leased))}}}"
            seqs = sorted(row[0] for row in self._database.all(wanted, (project_id, name, among)))
            if seqs or not leased:
                return seqs

    def end(self, space: str, seqs: Iterable[int]) -> None:
        """End the leases of events that have their vectors, and those that have run out."""
        ended = sorted(self._held.intersection(seqs))
        if ended:
            self._held.difference_update(ended)
            self._database.run(
                "DELETE FROM embedding_leases WHERE seq = ANY(?) AND space_id = "
                "(SELECT id FROM spaces WHERE name = ?) OR until <= now()",
                (list[Value](ended), space),
            )

"""The bridges of an SQLite file."""

from collections.abc import Sequence
from typing import cast

from ai_smartness.adapters.storage.sqlite.database import Database, Row
from ai_smartness.adapters.storage.sqlite.rows import microseconds, moment
from ai_smartness.model.bridge import Bridge, Relation

__all__ = ["SqliteBridges"]

_COLUMNS = "id, source, target, relation, weight, reason, confidence, made_by, last_used"


class SqliteBridges:
    """Fulfils the port `Bridges`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, bridges: Sequence[Bridge]) -> None:
        """Add bridges, each in the place of the one with its id."""
        with self._database.unit():
            self._database.many(
                f"INSERT OR REPLACE INTO bridges ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 # our own columns
                (_row(bridge) for bridge in bridges),
            )

    def of(self, thread_id: str) -> list[Bridge]:
        """Return the bridges from and to a thread, the heaviest first."""
        rows = self._database.all(
            f"SELECT {_COLUMNS} FROM bridges WHERE source = ? OR target = ? "  # noqa: S608 # our own columns
            "ORDER BY weight DESC, id",
            (thread_id, thread_id),
        )
        return [_bridge(row) for row in rows]

    def remove(self, ids: Sequence[str]) -> None:
        """Take bridges away."""
        with self._database.unit():
            self._database.many("DELETE FROM bridges WHERE id = ?", ((each,) for each in ids))


def _row(bridge: Bridge) -> Row:
    return (
        bridge.id,
        bridge.source,
        bridge.target,
        bridge.relation.value,
        bridge.weight,
        bridge.reason,
        bridge.confidence,
        bridge.made_by,
        microseconds(bridge.last_used),
    )


def _bridge(row: Row) -> Bridge:
    id_, source, target, relation, weight, reason, confidence, made_by, last_used = row
    return Bridge(
        id=str(id_),
        source=str(source),
        target=str(target),
        relation=Relation(str(relation)),
        weight=cast("float", weight),
        reason=str(reason),
        confidence=cast("float", confidence),
        made_by=str(made_by),
        last_used=moment(last_used),
    )

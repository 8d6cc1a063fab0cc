"""The bridges of an SQLite file."""

from collections.abc import Sequence
from typing import cast

from ai_smartness.adapters.storage.sqlite.database import Database, Row, Value
from ai_smartness.adapters.storage.sqlite.rows import microseconds, moment
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError

__all__ = ["BRIDGE_COLUMNS", "SqliteBridges", "bridge_of", "row_of_bridge"]

BRIDGE_COLUMNS = (
    "id, source, target, relation, weight, reason, confidence, made_by, last_used, unwanted"
)
_NAMES = BRIDGE_COLUMNS.split(", ")
_MARKS = ", ".join("?" * len(_NAMES))
_AMBIGUOUS_SHOWN = 3


class SqliteBridges:
    """Fulfils the port `Bridges`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, bridges: Sequence[Bridge]) -> None:
        """Add bridges, each in the place of the one with its id."""
        with self._database.unit():
            self._database.many(
                f"INSERT OR REPLACE INTO bridges ({BRIDGE_COLUMNS}) VALUES ({_MARKS})",  # noqa: S608 # our own columns
                (row_of_bridge(bridge) for bridge in bridges),
            )

    def get(self, bridge_id: str) -> Bridge:
        """Return the bridge with this id, or with this unique start of an id."""
        found = self._where(
            "id >= ? AND id < ? ORDER BY id LIMIT ?",
            (bridge_id, bridge_id + "\U0010ffff", _AMBIGUOUS_SHOWN + 1)
            if bridge_id
            else ("", "", 0),
        )
        exact = [bridge for bridge in found if bridge.id == bridge_id]
        if exact or len(found) == 1:
            return (exact or found)[0]
        if not found:
            msg = f"there is no bridge {bridge_id or '(empty id)'}. `ais bridges` lists them."
            raise NotFoundError(msg)
        some = ", ".join(bridge.id for bridge in found[:_AMBIGUOUS_SHOWN])
        msg = f"{bridge_id} is the start of several bridge ids ({some} …). Give more of it."
        raise RefusedError(msg)

    def of(self, thread_id: str, *, unwanted: bool = False) -> list[Bridge]:
        """Return the bridges from and to a thread, the heaviest first; also unwanted ones."""
        return self._where(
            "(source = ? OR target = ?) AND unwanted <= ? ORDER BY weight DESC, id",
            (thread_id, thread_id, int(unwanted)),
        )

    def all(self, project: str) -> list[Bridge]:
        """Return the bridges from the project's threads, the heaviest first."""
        return self._where(
            "unwanted = 0 AND source IN (SELECT t.id FROM threads t JOIN projects p "
            "ON p.id = t.project_id WHERE p.name = ?) ORDER BY weight DESC, id",
            (project,),
        )

    def of_change(self, project: str, limit: int) -> list[Bridge]:
        """Return bridges by which a thread contradicts, updates or replaces another."""
        rows = self._database.all(
            f"SELECT {BRIDGE_COLUMNS} FROM bridges INDEXED BY bridges_of_change "  # noqa: S608 # our own columns
            "WHERE relation IN ('contradicts', 'updates', 'replaces') AND unwanted = 0 "
            "AND EXISTS (SELECT 1 FROM threads t JOIN projects p ON p.id = t.project_id "
            "WHERE t.id = source AND p.name = ?) ORDER BY last_used DESC, id LIMIT ?",
            (project, limit),
        )
        return [bridge_of(row) for row in rows]

    def remove(self, ids: Sequence[str]) -> None:
        """Take bridges away."""
        with self._database.unit():
            self._database.many("DELETE FROM bridges WHERE id = ?", ((each,) for each in ids))

    def _where(self, condition: str, values: Sequence[Value]) -> list[Bridge]:
        rows = self._database.all(
            f"SELECT {BRIDGE_COLUMNS} FROM bridges WHERE {condition}",  # noqa: S608 # our own columns
            values,
        )
        return [bridge_of(row) for row in rows]


def row_of_bridge(bridge: Bridge) -> Row:
    """Lay a bridge out by `BRIDGE_COLUMNS`."""
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
        int(bridge.unwanted),
    )


def bridge_of(row: Row) -> Bridge:
    """Read a bridge from `BRIDGE_COLUMNS`."""
    id_, source, target, relation, weight, reason, confidence, made_by, last_used, unwanted = row
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
        unwanted=bool(unwanted),
    )

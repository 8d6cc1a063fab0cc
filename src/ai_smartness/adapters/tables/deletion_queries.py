"""Find the events to delete, and the events related to them."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from ai_smartness.adapters.tables.event_tables import NOT_COMPACTION, EventTable, neighbour
from ai_smartness.adapters.tables.rows import BRIDGE_ROWS, to_microseconds
from ai_smartness.adapters.tables.sql_database import (
    ProjectIds,
    ProjectTables,
    Row,
    SqlDatabase,
    Value,
)
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.erasure import Selection, forgotten_hash
from ai_smartness.model.event import Event

__all__ = ["ErasureQueries"]

_BATCH_ROWS = 1_000
_BATCH_TEXTS = 200


class ErasureQueries(ProjectTables):
    """Finds events; a part of `ErasureTables`."""

    def __init__(self, database: SqlDatabase, projects: ProjectIds, events: EventTable) -> None:
        super().__init__(database, projects)
        self._events = events

    def selected_seqs(self, selection: Selection) -> list[int]:
        condition, values = _selection_condition(selection, self._projects)
        if selection.matching is None:
            seqs = self._database.all(
                f"SELECT seq FROM events WHERE {condition} ORDER BY seq", values
            )
            return [row[0] for row in seqs]
        wanted = _folded_text(selection.matching)
        rows = self._walk_events(
            f"SELECT seq, text || ' ' || payload FROM events WHERE {condition}", values
        )
        return [seq for seq, text in rows if wanted in _folded_text(text)]

    def forgotten_hashes(self) -> set[bytes]:
        return {row[0] for row in self._database.all("SELECT mark FROM forgotten")}

    def seqs_with_hashes(self, marks: Collection[bytes]) -> list[int]:
        rows = self._walk_events(
            "SELECT seq, (SELECT name FROM projects WHERE id = project_id), id FROM events "
            f"WHERE {NOT_COMPACTION}"
        )
        return [seq for seq, name, id_ in rows if forgotten_hash(name, id_) in marks]

    def event_texts(self, seqs: Collection[int] | None = None) -> Iterator[str]:
        if seqs is not None:
            self._database.choose_events(seqs)
            rows = self._walk_chosen("e.text, e.payload")
        else:
            # With the columns that identify an event, and the parts of its words.
            rows = self._walk_events(
                "SELECT seq, text, payload, (SELECT parts FROM event_words w "
                "WHERE w.seq = events.seq), id, session, role, source FROM events WHERE TRUE"
            )
        while batch := list(islice(rows, _BATCH_TEXTS)):
            yield "\n".join(str(value) for row in batch for value in row[1:] if value is not None)

    def stored_names(self) -> Iterator[str]:
        for query in (
            "SELECT name FROM projects",
            "SELECT id, client FROM sessions",
            "SELECT path, head, state FROM imports",
            "SELECT id, tags FROM threads",
            "SELECT id FROM bridges",
            "SELECT DISTINCT actor, client, session, verb FROM journal",
            "SELECT DISTINCT session FROM ledger_pages",
            "SELECT thread_id FROM journal_threads",
            "SELECT name FROM spaces",
            "SELECT id FROM statements",
            "SELECT statement_id FROM statement_reviews",
            "SELECT judge FROM statement_progress",
        ):
            for row in self._database.all(query):
                yield "\n".join(str(value) for value in row if value is not None)

    def events_with_seqs(self, seqs: Collection[int]) -> Iterator[Event]:
        ordered = iter(sorted(seqs))
        while batch := list(islice(ordered, _BATCH_ROWS)):
            yield from self._events.by_seq(batch).values()

    def all_compactions(self) -> Iterator[Event]:
        rows = self._database.all(
            "SELECT e.seq FROM projects p JOIN events e ON e.project_id = p.id "
            "AND e.type = 'COMPACTION'"
        )
        yield from self.events_with_seqs([row[0] for row in rows])

    def next_in_session(self, seqs: Collection[int]) -> list[int]:
        self._database.choose_events(seqs)
        # The next one of the session by its index; a next one that is chosen has its own next one.
        rows = self._database.all(
            f"SELECT DISTINCT {neighbour('min', '>')} FROM events e "
            f"WHERE e.seq IN {self._database.chosen_seqs} AND e.{NOT_COMPACTION}"
        )
        gone = set(seqs)
        return sorted(seq for (seq,) in rows if isinstance(seq, int) and seq not in gone)

    def all_bridges(self) -> list[Bridge]:
        rows = self._database.all(f"SELECT {BRIDGE_ROWS.columns} FROM bridges")
        return [BRIDGE_ROWS.value(row) for row in rows]

    def _walk_chosen(self, columns: str) -> Iterator[Row]:
        """Yield `seq` and these columns of the chosen events."""
        return self._walk_events(
            f"SELECT e.seq, {columns} FROM {self._database.chosen_seqs} c "
            f"{self._database.ORDERED_JOIN} events e ON e.seq = c.seq WHERE TRUE",
            of="c.",
        )

    def _walk_events(self, query: str, values: Sequence[Value] = (), of: str = "") -> Iterator[Row]:
        """Yield the rows of a query over events, whose first column is `seq`, in batches."""
        seq = 0
        while rows := self._database.all(
            f"{query} AND {of}seq > {seq} ORDER BY {of}seq LIMIT {_BATCH_ROWS}", values
        ):
            yield from rows
            seq = rows[-1][0]


def _selection_condition(selection: Selection, projects: ProjectIds) -> tuple[str, list[Value]]:
    conditions, values = [NOT_COMPACTION], list[Value]()
    if selection.messages:
        conditions.append(f"id IN ({', '.join('?' * len(selection.messages))})")
        values += selection.messages
    project = None if selection.project is None else projects.find_id(selection.project) or 0
    for condition, value in (
        ("project_id = ?", project),
        ("thread_id = ?", selection.thread),
        ("session = ?", selection.session),
        ("at >= ?", None if selection.since is None else to_microseconds(selection.since)),
        ("at < ?", None if selection.until is None else to_microseconds(selection.until)),
    ):
        if value is not None:
            conditions.append(condition)
            values.append(value)
    return " AND ".join(conditions), values


def _folded_text(text: str) -> str:
    return " ".join(text.casefold().split())

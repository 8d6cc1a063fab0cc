"""Take away what an SQLite file otherwise never lets go of.

Only here are events deleted and journal entries rewritten. What goes is known
afterwards by a hash of its id alone, so that nobody brings it back.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.adapters.storage.sqlite.events import SqliteEvents, mark_of
from ai_smartness.adapters.storage.sqlite.forget_proof import Proof
from ai_smartness.adapters.storage.sqlite.forget_purge import purge
from ai_smartness.adapters.storage.sqlite.forget_reading import CHOSEN, Reading
from ai_smartness.adapters.storage.sqlite.journal import SqliteJournal, laid_out
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.model.forgetting import Trace
from ai_smartness.model.journal import JournalEntry
from ai_smartness.ports import Progress

__all__ = ["SqliteOblivion"]

_INDEXED = (
    "e.project_id, e.text, (SELECT parts FROM event_words w WHERE w.seq = e.seq), "
    "(SELECT context FROM event_words w WHERE w.seq = e.seq)"
)


class SqliteOblivion(Reading):
    """Fulfils the port `Oblivion`."""

    def __init__(
        self,
        database: Database,
        projects: Projects,
        events: SqliteEvents,
        journal: SqliteJournal,
        drop_graphs: Callable[[], None],
    ) -> None:
        super().__init__(database, projects, events)
        self._journal = journal
        self._drop_graphs = drop_graphs
        self._proof = Proof(database)

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Let things go, in any order, while inside: what is left must fit together again."""
        # With every deletion SQLite would look for vectors of the event, through all of them.
        self._database.run("PRAGMA foreign_keys = OFF")
        self._database.run("PRAGMA secure_delete = ON")
        try:
            yield
        finally:
            self._database.run("PRAGMA foreign_keys = ON")

    def unindex(self, seqs: Collection[int]) -> None:
        """Take the words of events out of the full-text index."""
        self._choose(seqs)
        for number, index in self._proof.indexes():
            self._database.many(
                f"INSERT INTO {index} ({index}, rowid, text, parts, context) "  # noqa: S608 # ours
                "VALUES ('delete', ?, ?, ?, ?)",
                (
                    (seq, text, parts, context)
                    for seq, project, text, parts, context in self._walk_chosen(_INDEXED)
                    if project == number and parts is not None
                ),
            )
        self._database.run(f"DELETE FROM event_words WHERE seq IN {CHOSEN}")  # noqa: S608 # ours

    def remove(self, seqs: Collection[int]) -> None:
        """Take events away with all that is kept for each, and remember their ids as hashes."""
        self.unindex(seqs)
        self._remember()
        for project, space in self._database.all("SELECT project_id, space_id FROM embedded"):
            of_shelf = f"project_id = ? AND space_id = ? AND seq IN {CHOSEN}"
            gone = self._database.number(
                f"SELECT count(*) FROM vectors WHERE {of_shelf}",  # noqa: S608 # ours
                (project, space),
            )
            if gone:
                self._database.run(f"DELETE FROM vectors WHERE {of_shelf}", (project, space))  # noqa: S608
                self._database.run(
                    'UPDATE embedded SET "rows" = "rows" - ?, generation = generation + 1 '
                    "WHERE project_id = ? AND space_id = ?",
                    (gone, project, space),
                )
        for table in ("notes", "events"):
            self._database.run(f"DELETE FROM {table} WHERE seq IN {CHOSEN}")  # noqa: S608 # ours

    def remove_threads(self, thread_ids: Collection[str]) -> None:
        """Take threads away that have no events, with their bridges and what was shown of them."""
        self._database.run("CREATE TEMP TABLE IF NOT EXISTS leaving (id TEXT PRIMARY KEY)")
        self._database.run("DELETE FROM temp.leaving")
        self._database.many("INSERT INTO temp.leaving VALUES (?)", ((id_,) for id_ in thread_ids))
        for table, column in (
            ("bridges", "source"),
            ("bridges", "target"),
            ("centres", "thread_id"),
            ("ledger", "thread_id"),
            ("focus", "topic"),
            ("threads", "id"),
        ):
            self._database.run(
                f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM temp.leaving)"  # noqa: S608 # ours
            )

    def remove_project(self, project: str) -> None:
        """Take away what is left of a project that has no events."""
        number = self._projects.number(project)
        for statement in (
            (
                "DELETE FROM journal_threads WHERE seq IN "
                "(SELECT seq FROM journal WHERE project_id = ?1)"
            ),
            *(
                f"DELETE FROM {table} WHERE project_id = ?1"  # noqa: S608 # our own tables
                for table in (
                    "journal",
                    "sessions",
                    "ledger",
                    "ledger_pages",
                    "focus",
                    "common_words",
                    "embedded",
                    "threads",
                )
            ),
            "DELETE FROM projects WHERE id = ?1",
        ):
            self._database.run(statement, (number,))
        self._projects.forget()

    def remove_session(self, session: str, project: str | None) -> None:
        """Take away what is kept of a session beside its events."""
        number = None if project is None else self._projects.number(project)
        for table, column in (
            ("sessions", "id"),
            ("ledger", "session"),
            ("ledger_pages", "session"),
            ("focus", "session"),
        ):
            self._database.run(
                f"DELETE FROM {table} WHERE {column} = ?1 "  # noqa: S608 # our own tables
                "AND (?2 IS NULL OR project_id = ?2)",
                (session, number),
            )

    def journal(self, after: int, limit: int) -> list[JournalEntry]:
        """Return entries of all projects after a number, in their order."""
        rows = self._database.all(
            "SELECT seq FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
        )
        return [self._journal.get(cast("int", row[0])) for row in rows]

    def rewrite(self, entries: Sequence[JournalEntry]) -> None:
        """Put entries in the places of those with their numbers."""
        with self._unlocked():
            self._database.many(
                "UPDATE journal SET arguments = ?, said = ?, change = ? WHERE seq = ?",
                (
                    (_json(each.arguments), each.said, _json(laid_out(each.change)), each.seq)
                    for each in entries
                ),
            )

    def note(self, entry: JournalEntry, messages: int) -> None:
        """Write down in the journal that so many messages went."""
        written = self._journal.write(entry)
        with self._unlocked():
            # As if they had moved: whoever has them in mind looks anew.
            self._database.run(
                "UPDATE journal SET moved = ? WHERE seq = ?", (messages, written.seq)
            )

    @contextmanager
    def _unlocked(self) -> Iterator[None]:
        lock = self._database.one(
            "SELECT sql FROM sqlite_master WHERE name = 'journal_never_changes'"
        )
        self._database.run("DROP TRIGGER IF EXISTS journal_never_changes")
        yield
        if lock is not None:
            self._database.run(str(lock[0]))

    def retold(self, titled: Callable[[str, str], str], reworded: Callable[[str], str]) -> None:
        """Say anew what the ledger tells: titles by their thread's id, and why it was shown."""
        pages = self._database.all("SELECT number, skipped FROM ledger_pages")
        told = [
            (
                json.dumps(
                    [
                        [id_, titled(id_, title), reworded(why), score]
                        for id_, title, why, score in json.loads(str(skipped))
                    ],
                    ensure_ascii=False,
                ),
                number,
            )
            for number, skipped in pages
            if skipped != "[]"
        ]
        self._database.many("UPDATE ledger_pages SET skipped = ? WHERE number = ?", told)
        whys = self._database.all("SELECT DISTINCT why FROM ledger")
        changed = [(reworded(str(why)), why) for (why,) in whys if reworded(str(why)) != why]
        self._database.many("UPDATE ledger SET why = ? WHERE why = ?", changed)

    def purge(self, progress: Progress) -> None:
        """Leave nothing of what was taken away: in indexes, free pages, logs, graph files."""
        self._drop_graphs()
        purge(self._database, self._proof.indexes(), progress)

    def seal(self) -> None:
        """Leave one plain file, without a log beside it."""
        self._database.run("PRAGMA journal_mode = DELETE")

    def terms(self, words: Collection[str]) -> set[str]:
        """Return those words that a full-text index knows other words by."""
        return self._proof.terms(words)

    def holding(self, words: Collection[str]) -> list[Trace]:
        """Return the words that the store still holds, and in what; messages are not read."""
        return self._proof.holding(words)

    def _remember(self) -> None:
        rows = self._walk_chosen("(SELECT name FROM projects WHERE id = e.project_id), e.id")
        self._database.many(
            "INSERT OR IGNORE INTO forgotten (mark) VALUES (?)",
            [(mark_of(str(name), str(id_)),) for _, name, id_ in rows],
        )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

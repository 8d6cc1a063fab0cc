"""What was worked out about the events of an SQLite file."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

from ai_smartness.adapters.storage.sqlite.database import Database, Row
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.model.note import Mention, Named, Note, Placed, Proposal
from ai_smartness.model.thread import Kind

__all__ = ["SqliteNotes"]

_AT_ONCE = 500


class SqliteNotes:
    """Fulfils the port `Notes`."""

    def __init__(self, database: Database, projects: Projects) -> None:
        self._database = database
        self._projects = projects

    def add(self, notes: Sequence[Note]) -> None:
        """Keep notes, each in the place of what its event had."""
        with self._database.unit():
            self._database.many(
                "INSERT OR REPLACE INTO notes (seq, placed, mentions, proposals, commit_id) "
                "VALUES (?, ?, ?, ?, ?)",
                (_row(note) for note in notes),
            )

    def of(self, seqs: Iterable[int]) -> dict[int, Note]:
        """Return the notes of these events."""
        wanted = list(seqs)
        found: dict[int, Note] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            marks = ", ".join(str(seq) for seq in wanted[start : start + _AT_ONCE])
            rows = self._database.all(
                "SELECT seq, placed, mentions, proposals, commit_id FROM notes "  # noqa: S608 # numbers
                f"WHERE seq IN ({marks})"
            )
            found.update((note.seq, note) for note in map(_note, rows))
        return found

    def told(self, project: str) -> int:
        """Return the number up to which the project's events have been told of."""
        return self._database.number("SELECT told FROM projects WHERE name = ?", (project,))

    def mark_told(self, project: str, seq: int) -> None:
        """Set the number up to which the project's events have been told of."""
        with self._database.unit():
            number = self._projects.made(project)
            self._database.run("UPDATE projects SET told = ? WHERE id = ?", (seq, number))


def _row(note: Note) -> Row:
    placed = note.placed
    return (
        note.seq,
        _json([placed.reason, placed.score, placed.margin, placed.evidence, placed.held]),
        _json([[each.named, each.name, each.line, each.digest] for each in note.mentions]),
        _json([[each.kind, each.sentence, each.plainness] for each in note.proposals]),
        note.commit,
    )


def _note(row: Row) -> Note:
    seq, placed, mentions, proposals, commit = row
    reason, score, margin, evidence, held = json.loads(str(placed))
    return Note(
        seq=int(seq or 0),
        placed=Placed(
            reason, score, margin, tuple((name, value) for name, value in evidence), bool(held)
        ),
        mentions=tuple(
            Mention(Named(named), name, line, digest)
            for named, name, line, digest in _listed(str(mentions))
        ),
        proposals=tuple(
            Proposal(Kind(kind), sentence, plainness)
            for kind, sentence, plainness in _listed(str(proposals))
        ),
        commit=None if commit is None else str(commit),
    )


def _listed(written: str) -> list[Any]:
    # Most messages name nothing and state nothing.
    return [] if written == "[]" else cast("list[Any]", json.loads(written))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

"""Counts while an import goes on, and what it comes to at the end."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from ai_smartness.importing.messages import Kept
from ai_smartness.model.imported import Imported, InProject, NotRead
from ai_smartness.ports.history import Source, Unread

__all__ = ["Tally"]

MOST_NAMES = 200
"""Of kinds of things that were left out: a file may name as many as it likes."""


class Tally:
    """What was found, kept and left out so far."""

    def __init__(self) -> None:
        self.formats: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.unchanged = 0
        self.other_files = 0
        self.not_read: list[NotRead] = []
        self._added: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._sessions: defaultdict[str, set[str]] = defaultdict(set)

    def found(self, kept: Kept) -> None:
        """Count the session of a message."""
        if kept.message.session:
            self._sessions[kept.project].add(kept.message.session)

    def captured(self, project: str, added: int, known: int) -> None:
        """Count messages."""
        self._added[project] += added
        self._known[project] += known

    def left_out(self, skipped: Mapping[str, int]) -> None:
        """Count what is not worth remembering."""
        for name, count in skipped.items():
            fits = name in self.skipped or len(self.skipped) < MOST_NAMES
            self.skipped[name if fits else "others"] += count

    def unread(self, unread: Unread) -> None:
        """Take note of a file that could not be read; one that nobody asked for is no trouble."""
        if unread.why:
            self.trouble(unread.path, unread.why)
        else:
            self.other_files += 1

    def trouble(self, path: Path, why: str) -> None:
        """Take note of what could not be read; the same of one file once."""
        trouble = NotRead(path, why)
        if trouble not in self.not_read[-20:]:
            self.not_read.append(trouble)

    def read(self, source: Source) -> None:
        """Count a file that was read."""
        self.formats[source.format] += 1

    def result(self, *, dry_run: bool) -> Imported:
        """Return what it comes to."""
        names = sorted({*self._added, *self._known})
        projects = {
            name: InProject(self._added[name], self._known[name], len(self._sessions[name]))
            for name in names
        }
        return Imported(
            read=sum(self.formats.values()),
            unchanged=self.unchanged,
            sessions=len(set().union(*self._sessions.values())) if self._sessions else 0,
            added=sum(self._added.values()),
            known=sum(self._known.values()),
            formats=dict(self.formats),
            skipped=dict(self.skipped.most_common()),
            projects=projects,
            not_read=tuple(self.not_read),
            other_files=self.other_files,
            dry_run=dry_run,
        )

"""Keep up with the transcripts that clients write: what no hook told of is remembered too.

Only of projects the memory knows, and only what was written lately: `ais import` brings in the
rest. What hooks have captured is known by its ids.
"""

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from ai_smartness.entrypoints.daemon.opened import Memories, Work
from ai_smartness.ports.history import Source
from ai_smartness.settings import load, places
from ai_smartness.watch.project import project_at
from ai_smartness.wiring import past_sessions

__all__ = ["FIRST_LOOK_SECONDS", "LOOK_SECONDS", "KeepUp"]

FIRST_LOOK_SECONDS = 5.0
LOOK_SECONDS = 60.0
"""Between two looks at the folders; a look at a thousand files takes a hundredth of a second."""

LATELY = timedelta(days=7)
QUIET = timedelta(minutes=20)
"""Later than it takes a session to be held for over."""

ANYWHERE = "/"
"""It is the whole memory that is asked, from nowhere in particular."""


class KeepUp:
    """Looks at the transcripts now and then."""

    def __init__(self, home: str, memories: Memories, now: Callable[[], datetime]) -> None:
        self._home = home
        self._memories = memories
        self._now = now
        self._seen: dict[str, tuple[int, int, bool]] = {}
        self._folders: dict[str, str] = {}

    def look(self, breathe: Callable[[int, int], None]) -> tuple[int, list[str]]:
        """Import what is new; return how much, and the projects that have to be embedded."""
        if not self._is_wanted():
            return 0, []
        self._transcripts = past_sessions(os.environ)
        changed = [each for each in self._written_lately() if self._has_changed(each)]
        with self._memories.of(ANYWHERE, Work.DRAIN) as memory:
            known = {each.project for each in memory.projects()}
            theirs = [each for each in changed if self._project(each) in known]
            added = 0
            if theirs:
                done = memory.import_history(
                    self._transcripts, theirs, home=self._home, gently=True, progress=breathe
                )
                added = done.added
            waiting = memory.unembedded()
        # Only now: what broke off is looked at again.
        self._seen.update((str(each.path), self._standing(each)) for each in changed)
        return added, [each for each in waiting if each.startswith("/")]

    def _is_wanted(self) -> bool:
        usual = places(None, None, os.environ)
        where = places(
            None if str(usual.home) == self._home else Path(self._home), None, os.environ
        )
        # Where there is no memory yet, none is made for this.
        return where.database.exists() and load(where, os.environ).settings.history.keep_up

    def _written_lately(self) -> list[Source]:
        from_ns = (self._now() - LATELY).timestamp() * 1e9
        found = (each for each in self._transcripts.live() if isinstance(each, Source))
        return [each for each in found if each.changed_ns >= from_ns]

    def _has_changed(self, source: Source) -> bool:
        return self._seen.get(str(source.path)) != self._standing(source)

    def _standing(self, source: Source) -> tuple[int, int, bool]:
        """Return by what a change is seen; an answer may be told only once nobody writes."""
        quiet = self._now().timestamp() - source.changed_ns / 1e9 > QUIET.total_seconds()
        return source.size, source.changed_ns, quiet

    def _project(self, source: Source) -> str:
        path = str(source.path)
        if not self._folders.get(path):
            self._folders[path] = self._transcripts.folder_of(source)
        folder = self._folders[path]
        return project_at(folder).name if folder.startswith("/") else ""

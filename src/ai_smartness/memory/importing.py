"""The verb that brings in what was said before there was a memory, or while nobody listened."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ai_smartness.importing.bring import BATCH_MESSAGES, Bringing, bring_in
from ai_smartness.importing.messages import Placing
from ai_smartness.memory.core import quiet
from ai_smartness.memory.keeping import Keeping
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Message
from ai_smartness.model.imported import Imported
from ai_smartness.ports import Progress
from ai_smartness.ports.history import History, Source, Unread

__all__ = ["Importing"]

GENTLE_MESSAGES = 64

MOST_PROJECTS = 2
"""Kept in mind at once: each takes up to a hundred megabytes, and a folder is of one project."""


class Importing(Keeping):
    """Files of the past become events on threads."""

    def import_history(  # noqa: PLR0913 - one for each thing that can be chosen
        self,
        history: History,
        found: Sequence[Source | Unread],
        *,
        home: str = "",
        project: str | None = None,
        dry_run: bool = False,
        gently: bool = False,
        progress: Progress = quiet,
    ) -> Imported:
        """Read files on from where they were read before, and keep what is new in them.

        Each message goes to the project it was said in, or all to the one that is named. It is
        found by its words at once; `embed` makes it findable by its meaning. `home` is where the
        memory's own files are, which agents may have read. Gently, others that write never wait
        long, and it takes longer.
        """
        known = [each.project for each in self._store.projects()]
        work = Bringing(
            store=self._store,
            history=history,
            placing=Placing(self.project, known, home, project),
            stored=_Storing(self._without_model).stored,
            now=self._clock.now(),
            dry_run=dry_run,
            batch=GENTLE_MESSAGES if gently else BATCH_MESSAGES,
        )
        return bring_in(work, found, progress)

    def unembedded(self) -> list[str]:
        """Name the projects that have messages to be embedded; none where there is no model."""
        embedder = self._at_hand()
        if embedder is None:
            return []
        names = (each.project for each in self._store.projects())
        return [name for name in names if self._store.vectors.pending(name, embedder.space)]

    def _without_model(self, project: str) -> Keeping:
        """Return the memory seen from a project; a history is embedded later, in its own time."""
        parts = replace(self._parts, embedder=lambda: None, worktree=None)
        return Keeping(parts, project, self._rules, self.who)


class _Storing:
    """Stores messages, each batch in its project; the model is not asked."""

    def __init__(self, seen_from: Callable[[str], Keeping]) -> None:
        self._seen_from = seen_from
        self._opened: dict[str, Keeping] = {}

    def stored(self, project: str, messages: Sequence[Message]) -> tuple[int, int, Sequence[str]]:
        """Store messages; say how many were new, how many known, and why others were refused."""
        if not messages:
            return 0, 0, ()
        try:
            captured = self._of(project).capture(messages)
        except RefusedError as error:
            if len(messages) == 1:
                return 0, 0, (f"refused: {error}"[:100],)
            half = len(messages) // 2
            one, other = (
                self.stored(project, messages[:half]),
                self.stored(project, messages[half:]),
            )
            return one[0] + other[0], one[1] + other[1], [*one[2], *other[2]]
        return captured.stored, captured.known, ()

    def _of(self, project: str) -> Keeping:
        memory = self._opened.pop(project, None) or self._seen_from(project)
        self._opened[project] = memory
        if len(self._opened) > MOST_PROJECTS:
            del self._opened[next(iter(self._opened))]
        return memory

"""The verbs for the memory as a whole: import, export, look for secrets, and forget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase, ignore_progress
from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from ai_smartness.capture.capture import Captured
    from ai_smartness.forget.forget_everywhere import ForgetRun
    from ai_smartness.model.erasure import ForgetResult, Selection, StoredSecret
    from ai_smartness.model.event import Message
    from ai_smartness.model.transfer import ExportHeader, ImportResult, LoadResult
    from ai_smartness.ports import Progress, ThreadStore
    from ai_smartness.ports.transfer import TranscriptFile, TranscriptHistory, UnreadableFile
    from ai_smartness.transfer.markdown_export import MarkdownPage

__all__ = ["UpkeepVerbs"]

GENTLE_MESSAGES = 64

MAX_OPEN_PROJECTS = 2
"""Projects kept in memory during an import: each takes up to a hundred megabytes."""

BACKUP_CHOICES = ("rewrite", "remove")


class UpkeepVerbs(MemoryBase):
    """The memory is filled, copied, checked and emptied."""

    def import_history(  # noqa: PLR0913 - one for each thing that can be chosen
        self,
        history: TranscriptHistory,
        found: Sequence[TranscriptFile | UnreadableFile],
        *,
        home: str = "",
        project: str | None = None,
        dry_run: bool = False,
        trust: bool = False,
        gently: bool = False,
        progress: Progress = ignore_progress,
    ) -> ImportResult:
        """Read transcript files from where they were last read, and store what is new in them.

        Each message goes to the project it was said in, or all to the named one. Keyword
        search finds it at once, search by meaning after `embed`. `home` is the folder of
        the memory's own files, which agents may have read. Files that are not a client's own
        records are file content or imported lines, unless you `trust` them. With `gently`,
        other writers never wait long and the import takes longer.
        """
        from ai_smartness.transfer.history_messages import ProjectFinder
        from ai_smartness.transfer.import_history import BATCH_MESSAGES, ImportJob, import_sources

        known = [counts.project for counts in self._store.project_counts()]
        job = ImportJob(
            store=self._parts.store,
            history=history,
            projects=ProjectFinder(self.project, known, home, project, trust=trust),
            store_messages=_ImportWriter(self._capture_without_model).store_messages,
            now=self._clock(),
            dry_run=dry_run,
            batch_messages=GENTLE_MESSAGES if gently else BATCH_MESSAGES,
        )
        return import_sources(job, found, progress)

    def unembedded(self) -> list[str]:
        """Name the projects with messages that are not embedded yet; none without a model."""
        from ai_smartness.capture.embed import all_models

        spaces = [model.space for model in all_models(self._usable_embedder())]
        index = self._store.vector_index
        names = (counts.project for counts in self._store.project_counts())
        return [name for name in names if any(index.count_missing(name, one) for one in spaces)]

    def export(
        self,
        write: Callable[[str], object],
        *,
        project: str | None = None,
        progress: Progress = ignore_progress,
    ) -> ExportHeader:
        """Write the memory, or one project, as lines of JSON.

        Derived data (full text, vectors) is left out and rebuilt on import. The export
        shows one moment; others can go on writing meanwhile.
        """
        from ai_smartness.transfer.export import export

        return export(self._parts.store, project, write, progress)

    def take_in(
        self, lines: Iterable[bytes], *, dry_run: bool = False, progress: Progress = ignore_progress
    ) -> LoadResult:
        """Load an export: an empty memory becomes its copy, another one gets what is new.

        It is all or nothing. Others cannot write meanwhile; their captures wait.
        """
        from ai_smartness.transfer.load_export import load_export

        return load_export(self._parts.store, lines, progress, dry_run=dry_run)

    def pages(
        self, *, project: str | None = None, taken: Iterable[str] = ()
    ) -> Iterator[MarkdownPage]:
        """Return the memory as Markdown pages, one for each thread and one that lists them.

        None of them gets a name in `taken`.
        """
        from ai_smartness.transfer.markdown_export import PresentWeights, markdown_pages

        self._describe_new()
        now = PresentWeights(self._decayed_thread, self._faded_bridge)
        return markdown_pages(self._parts.store, project, taken, now)

    def redaction_counts(self) -> dict[str, int]:
        """Count the secrets that were replaced in the project's messages, by kind."""
        from ai_smartness.forget.stored_secrets import counted_redactions
        from ai_smartness.text.markers import REDACTED_OPEN

        return counted_redactions(self._store.events.texts_with(self.project, REDACTED_OPEN))

    def kept_secrets(self, *, progress: Progress = ignore_progress) -> list[StoredSecret]:
        """Return the secrets in the store, of every project, without revealing them."""
        from ai_smartness.forget.stored_secrets import stored_secrets

        return stored_secrets(self._parts.store, progress)

    def forget(
        self,
        selection: Selection,
        *,
        backups: str = "rewrite",
        dry_run: bool = False,
        progress: Progress = ignore_progress,
    ) -> ForgetResult:
        """Delete messages for good, and search every file for words that only they contained.

        This cannot be undone. Backups and other copies beside the store are rewritten, or
        removed with `backups="remove"`. Exports that were written elsewhere are yours. If the
        process is killed, `finish_forgetting`, or the same call again, does the rest.
        """
        from ai_smartness.forget.selection import forget_preview, resolved_selection

        if backups not in BACKUP_CHOICES:
            msg = f"backups can be rewritten or removed, not {backups!r}: give rewrite or remove."
            raise RefusedError(msg)
        if not dry_run:
            finished = self._forget_run(progress).finish_interrupted()
            if finished is not None and finished[0].is_of(selection):
                self._reset_caches()
                return finished[1]
        resolved = resolved_selection(self._store_of(selection), selection, self.project)
        if dry_run:
            return forget_preview(self._parts.store, resolved)
        try:
            return self._forget_run(progress).forget(resolved, selection, backups)
        finally:
            self._reset_caches()

    def finish_forgetting(self, *, progress: Progress = ignore_progress) -> ForgetResult | None:
        """Finish a deletion that was interrupted; None if there is none, or it still runs."""
        files = self._parts.files
        if files is None or not files.is_forgetting():
            return None
        finished = self._forget_run(progress).finish_interrupted()
        self._reset_caches()
        return finished[1] if finished else None

    def _forget_run(self, progress: Progress) -> ForgetRun:
        from ai_smartness.forget.forget_everywhere import ForgetRun

        return ForgetRun(
            store=self._parts.store,
            files=self._parts.files,
            store_files=self._parts.store_files,
            who=self.who,
            now=self._clock(),
            progress=progress,
        )

    def rename_project(self, name: str) -> None:
        """Give the project another name; everything that it remembers goes along.

        The folders that belong to it are linked by `ais project`.
        """
        if any(count.project == name for count in self._store.project_counts()):
            msg = f"cannot rename {self.project}: there is a project {name} already."
            raise RefusedError(msg)
        self._parts.store.rename_project(self.project, name)

    def _store_of(self, selection: Selection) -> ThreadStore:
        """Return the store as seen from the project that is named, or else from this one."""
        if selection.project is None:
            return self._store
        return self._parts.store.limited_to((selection.project,))

    def _capture_without_model(self, project: str) -> Callable[[Sequence[Message]], Captured]:
        """Return the capture of a project without embedding: a history is embedded later."""
        parts = replace(self._parts, embedder=lambda: None, worktree=None, finds_statements=False)
        parts = replace(parts, linked=())
        memory = type(self)(parts, project, self._settings, self.who)
        return memory._capture_messages  # noqa: SLF001 - of its own class

    def _reset_caches(self) -> None:
        """Drop the state that has read the forgotten messages."""
        for name in ("_assign_state", "_describer"):
            with suppress(AttributeError):
                delattr(self, name)


class _ImportWriter:
    """Stores the messages of an import, each batch in its project."""

    def __init__(
        self, capture_in: Callable[[str], Callable[[Sequence[Message]], Captured]]
    ) -> None:
        self._capture_in = capture_in
        self._captures: dict[str, Callable[[Sequence[Message]], Captured]] = {}

    def store_messages(
        self, project: str, messages: Sequence[Message]
    ) -> tuple[int, int, Sequence[str]]:
        """Store messages; return how many were new, how many known, and why others were refused."""
        if not messages:
            return 0, 0, ()
        try:
            captured = self._capture_for(project)(messages)
        except RefusedError as error:
            if len(messages) == 1:
                return 0, 0, (f"refused: {error}"[:100],)
            half = len(messages) // 2
            first = self.store_messages(project, messages[:half])
            second = self.store_messages(project, messages[half:])
            return first[0] + second[0], first[1] + second[1], [*first[2], *second[2]]
        return captured.stored, captured.known, ()

    def _capture_for(self, project: str) -> Callable[[Sequence[Message]], Captured]:
        capture = self._captures.pop(project, None) or self._capture_in(project)
        self._captures[project] = capture
        if len(self._captures) > MAX_OPEN_PROJECTS:
            del self._captures[next(iter(self._captures))]
        return capture

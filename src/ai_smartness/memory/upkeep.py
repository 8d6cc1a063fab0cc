"""The verb that brings in what was said before there was a memory, or while nobody listened.

The verbs that take a memory out whole, and in again.

The verb that looks for secrets in what is kept: written before secrets were taken out.

What is captured now has none. `forget` takes away what is found.

The verb that forgets: out of the store, the files beside it and its copies, with a proof.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import count

from ai_smartness.forget.forget import ErasureRequest, forget, selected_seqs
from ai_smartness.forget.memory_files import StoreCopies, clean_files, remaining_inbox_texts
from ai_smartness.forget.proof import ErasureProof
from ai_smartness.memory.base import MemoryBase, ignore_progress
from ai_smartness.memory.messages import CaptureVerbs, ReadVerbs
from ai_smartness.model.erasure import ForgetResult, Selection, StoredSecret, described_secret
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.event import Message
from ai_smartness.model.transfer import ExportHeader, ImportResult, LoadResult
from ai_smartness.ports import Progress
from ai_smartness.ports.erasure import MemoryFiles
from ai_smartness.ports.transfer import TranscriptFile, TranscriptHistory, UnreadableFile
from ai_smartness.redact import find_secrets, redacted_fields
from ai_smartness.threads.change_plan import refuse_absorbed
from ai_smartness.transfer.export import export
from ai_smartness.transfer.history_messages import ProjectFinder
from ai_smartness.transfer.import_history import BATCH_MESSAGES, ImportJob, import_sources
from ai_smartness.transfer.load_export import load_export
from ai_smartness.transfer.markdown_export import MarkdownPage, markdown_pages

__all__ = ["ExportVerbs", "ForgetVerbs", "ImportVerbs", "RedactVerbs"]


GENTLE_MESSAGES = 64

MAX_OPEN_PROJECTS = 2
"""Kept in mind at once: each takes up to a hundred megabytes, and a folder is of one project."""


class ImportVerbs(CaptureVerbs):
    """Files of the past become events on threads."""

    def import_history(  # noqa: PLR0913 - one for each thing that can be chosen
        self,
        history: TranscriptHistory,
        found: Sequence[TranscriptFile | UnreadableFile],
        *,
        home: str = "",
        project: str | None = None,
        dry_run: bool = False,
        gently: bool = False,
        progress: Progress = ignore_progress,
    ) -> ImportResult:
        """Read files on from where they were read before, and keep what is new in them.

        Each message goes to the project it was said in, or all to the one that is named. It is
        found by its words at once; `embed` makes it findable by its meaning. `home` is where the
        memory's own files are, which agents may have read. Gently, others that write never wait
        long, and it takes longer.
        """
        known = [each.project for each in self._store.project_counts()]
        work = ImportJob(
            store=self._store,
            history=history,
            projects=ProjectFinder(self.project, known, home, project),
            store_messages=_ImportWriter(self._without_model).store_messages,
            now=self._clock.now(),
            dry_run=dry_run,
            batch_messages=GENTLE_MESSAGES if gently else BATCH_MESSAGES,
        )
        return import_sources(work, found, progress)

    def unembedded(self) -> list[str]:
        """Name the projects that have messages to be embedded; none where there is no model."""
        embedder = self._usable_embedder()
        if embedder is None:
            return []
        names = (each.project for each in self._store.project_counts())
        return [
            name for name in names if self._store.vector_index.count_missing(name, embedder.space)
        ]

    def _without_model(self, project: str) -> CaptureVerbs:
        """Return the memory seen from a project; a history is embedded later, in its own time."""
        parts = replace(self._parts, embedder=lambda: None, worktree=None)
        return CaptureVerbs(parts, project, self._settings, self.who)


class _ImportWriter:
    """Stores messages, each batch in its project; the model is not asked."""

    def __init__(self, seen_from: Callable[[str], CaptureVerbs]) -> None:
        self._seen_from = seen_from
        self._opened: dict[str, CaptureVerbs] = {}

    def store_messages(
        self,
        project: str,
        messages: Sequence[Message],
    ) -> tuple[int, int, Sequence[str]]:
        """Store messages; say how many were new, how many known, and why others were refused."""
        if not messages:
            return 0, 0, ()
        try:
            captured = self._memory_for(project).capture(messages)
        except RefusedError as error:
            if len(messages) == 1:
                return 0, 0, (f"refused: {error}"[:100],)
            half = len(messages) // 2
            one, other = (
                self.store_messages(project, messages[:half]),
                self.store_messages(project, messages[half:]),
            )
            return one[0] + other[0], one[1] + other[1], [*one[2], *other[2]]
        return captured.stored, captured.known, ()

    def _memory_for(self, project: str) -> CaptureVerbs:
        memory = self._opened.pop(project, None) or self._seen_from(project)
        self._opened[project] = memory
        if len(self._opened) > MAX_OPEN_PROJECTS:
            del self._opened[next(iter(self._opened))]
        return memory


class ExportVerbs(MemoryBase):
    """A memory is written out, and read in."""

    def export(
        self,
        write: Callable[[str], object],
        *,
        project: str | None = None,
        progress: Progress = ignore_progress,
    ) -> ExportHeader:
        """Write all that is kept as lines of JSON; of one project, if one is named.

        What follows from it (full text, vectors) is not written, and made anew where it is
        taken in. It is of one moment, and others can go on writing meanwhile.
        """
        return export(self._store, project, write, progress)

    def take_in(
        self,
        lines: Iterable[bytes],
        *,
        dry_run: bool = False,
        progress: Progress = ignore_progress,
    ) -> LoadResult:
        """Store what was exported: an empty memory becomes the same one, another gets what is new.

        All of it or nothing; others cannot write meanwhile, and what they capture waits.
        """
        return load_export(self._store, lines, progress, dry_run=dry_run)

    def pages(
        self,
        *,
        project: str | None = None,
        taken: Iterable[str] = (),
    ) -> Iterator[MarkdownPage]:
        """Return the memory as pages of markdown, a thread each, and one that lists them.

        Their names are none of those that are taken.
        """
        self._describe_new()
        return markdown_pages(self._store, project, taken, self._decayed_thread)


SCAN_BATCH = 1_000
ALL_PAGES = 1_000_000
"""All of them: of a session only the newest are kept."""

MESSAGE = "message"


class RedactVerbs(ReadVerbs):
    """What is kept is looked through for secrets."""

    def kept_secrets(self, *, progress: Progress = ignore_progress) -> list[StoredSecret]:
        """Return the secrets that the store holds, of every project, without telling them."""
        projects = [each.project for each in self._store.project_counts()]
        total = sum(self._store.events.count(each) for each in projects)
        found, done = list[StoredSecret](), count(1)
        for project in projects:
            for where, id_, value in self._stored_values(project):
                found += _secrets_in_value(value, where, id_, project)
                if where == MESSAGE:
                    progress(next(done), total)
        return found

    def _stored_values(self, project: str) -> Iterator[tuple[str, str, object]]:
        """Yield everything of a project that was said, titled, linked, shown or journalled."""
        yield from self._message_values(project)
        for thread in self._store.threads.all(project):
            yield "thread", thread.id, thread
            for event in self._store.events.compactions_of(thread.id):
                yield "compaction", event.id, {"text": event.text, "payload": event.payload}
        for bridge in self._store.bridges.all(project):
            yield "bridge", bridge.id, bridge
        for focus in self._store.foci.all(project):
            yield "focus", focus.session or "lasting", focus
        for page in self._store.ledger.latest_pages(project, None, ALL_PAGES):
            yield "ledger", f"{page.session} turn {page.turn}", page
        yield from self._journal_values(project)

    def _message_values(self, project: str) -> Iterator[tuple[str, str, object]]:
        seq = 0
        while events := self._store.events.after_seq(project, seq, SCAN_BATCH):
            for event in events:
                yield MESSAGE, event.id, {"text": event.text, "payload": event.payload}
            seq = events[-1].seq

    def _journal_values(self, project: str) -> Iterator[tuple[str, str, object]]:
        before = None
        while entries := self._store.journal.latest_entries(project, SCAN_BATCH, before):
            for entry in entries:
                yield "journal", str(entry.seq), entry
            before = entries[-1].seq


def _secrets_in_value(value: object, where: str, id_: str, project: str) -> list[StoredSecret]:
    found = list[StoredSecret]()
    for name, text in _texts_in(value, ""):
        each = [(secret.kind, text[secret.start : secret.end]) for secret in find_secrets(text)]
        if not each and name and redacted_fields({name: text}) != {name: text}:
            # It is one by the name of its field.
            each = [("secret", text)]
        place = f"{where} {name}".strip()
        found += [
            described_secret(kind, secret, where=place, id_=id_, project=project)
            for kind, secret in each
        ]
    return found


def _texts_in(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Yield every text within a value, with the name of the field it is in."""
    match value:
        case str():
            yield name, value
        case Mapping():
            for each, inner in value.items():
                yield from _texts_in(inner, str(each))
        case Sequence() | frozenset():
            for inner in value:
                yield from _texts_in(inner, name)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from _texts_in(getattr(value, field.name), field.name)


PREVIEW_EXAMPLES = 20
BACKUP_CHOICES = ("rewrite", "remove")


class ForgetVerbs(ReadVerbs):
    """What is kept is let go of."""

    def forget(
        self,
        selection: Selection,
        *,
        backups: str = "rewrite",
        dry_run: bool = False,
        progress: Progress = ignore_progress,
    ) -> ForgetResult:
        """Forget messages for good, and search every file for what they alone have said.

        It cannot be undone. Backups and other copies beside the store are rewritten, or with
        `backups="remove"` removed; what was exported elsewhere is the user's own.
        """
        if backups not in BACKUP_CHOICES:
            msg = f"backups can be rewritten or removed, not {backups!r}: give rewrite or remove."
            raise RefusedError(msg)
        selection = self._resolved_selection(selection)
        if dry_run:
            return self._forget_preview(selection)
        files = self._parts.files
        own = files.program_words() if files else frozenset[str]()
        deed = ErasureRequest(
            selection=selection,
            who=self.who,
            now=self._clock.now(),
            own_words=own,
            pending_texts=remaining_inbox_texts(files, selection),
        )
        gone = forget(self._store, deed)
        self._reset_caches()
        self._purge_traces(progress)
        told, copies = dict[str, str](), None
        if files is not None:
            told = clean_files(files, selection, gone)
            copies = self._forget_in_copies(files, replace(deed, words=gone.traces.words), backups)
            told |= copies.outcomes
        proof = ErasureProof(self._store, gone.traces.words, copies.words if copies else {}, own)
        left = proof.traces_in_store()
        read, found = proof.traces_in_files(files) if files is not None else (0, [])
        return ForgetResult(
            messages=gone.messages,
            threads=len(gone.threads),
            described=gone.described,
            compactions=gone.compactions,
            changes=gone.changes,
            projects=gone.projects,
            files={name: done for name, done in told.items() if done},
            words=len(gone.traces.words),
            kept=gone.kept_words,
            read=read,
            left=(*left, *found),
        )

    def _forget_in_copies(
        self,
        files: MemoryFiles,
        deed: ErasureRequest,
        backups: str,
    ) -> StoreCopies:
        """Forget in every copy of the store, or remove them."""
        opened = self._parts.open_copy
        if opened is None:
            msg = "copies of the store cannot be opened here. Give `Parts` an `open_copy`."
            raise RefusedError(msg)
        copies = StoreCopies(files, opened)
        if backups == "remove":
            copies.remove_copies()
        else:
            marks = frozenset(self._store.erasure.forgotten_hashes())
            copies.rewrite_copies(replace(deed, marks=marks))
        return copies

    def _purge_traces(self, progress: Progress) -> None:
        try:
            self._store.erasure.purge_traces(progress)
        except StoreError as error:
            msg = (
                "what was named is forgotten, but its traces could not be wiped out of the file: "
                f"{error} Then forget a message that is forgotten already, by its id, once more."
            )
            raise StoreError(msg) from error
        for each in self._store.project_counts():
            self._store.word_index.refresh_index(each.project)

    def _resolved_selection(self, selection: Selection) -> Selection:
        """Return what is meant by whole ids; refuse what is not there."""
        if selection == Selection(project=selection.project) and selection.project is None:
            msg = "say what is to be forgotten: a message, a thread, a session, a project, a time."
            raise RefusedError(msg)
        if selection.messages:
            project = selection.project or self.project
            gone = self._store.events.forgotten_ids(project, selection.messages)
            ids = tuple(
                each if each in gone else self._store.events.get(project, each).id
                for each in selection.messages
            )
            return replace(selection, project=project, messages=ids)
        if selection.thread is not None:
            thread = self._store.threads.get(selection.thread)
            refuse_absorbed(thread, "forget")
            return replace(selection, thread=thread.id, project=thread.project)
        if selection.matching is not None and not selection.matching.strip():
            msg = "an empty text is in every message. Give the words that are to be forgotten."
            raise RefusedError(msg)
        self._refuse_unknown(selection)
        return selection

    def _refuse_unknown(self, selection: Selection) -> None:
        known = {each.project for each in self._store.project_counts()}
        if selection.project is not None and selection.project not in known:
            msg = f"there is no project {selection.project}. `ais status` lists them."
            raise NotFoundError(msg)
        if selection.session is not None and not selected_seqs(self._store, selection):
            msg = (
                f"there is no message of session {selection.session} in "
                f"{selection.project or 'any project'}. `ais search` shows what is of which."
            )
            raise NotFoundError(msg)

    def _forget_preview(self, selection: Selection) -> ForgetResult:
        seqs = selected_seqs(self._store, selection)
        of_threads, projects = Counter[str](), Counter[str]()
        for event in self._store.erasure.events_with_seqs(seqs):
            of_threads[event.thread_id] += 1
            projects[event.project] += 1
        counts = self._store.events.counts_by_thread(list(of_threads))
        whole = sum(counts[id_] == count for id_, count in of_threads.items())
        return ForgetResult(
            messages=len(seqs),
            threads=whole,
            described=len(of_threads) - whole,
            projects=dict(projects),
            examples=tuple(self._store.erasure.events_with_seqs(seqs[:PREVIEW_EXAMPLES])),
            dry_run=True,
        )

    def _reset_caches(self) -> None:
        """Let go of what is in mind: the desk and the teller have heard what is forgotten."""
        for name in ("_assign_state", "_describer"):
            with suppress(AttributeError):
                delattr(self, name)

"""Delete messages from a store, the files beside it and its copies, and prove that they are gone.

What is to be deleted is written down first, in hashes. A deletion that was interrupted is
finished from that, and may be finished any number of times.
"""

from collections.abc import Container
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.forget.forget import Erasure, ErasureRequest, forget
from ai_smartness.forget.intent import ForgetIntent, HashedTraces, parsed_intent
from ai_smartness.forget.memory_files import (
    StoreCopies,
    clean_files,
    remaining_inbox_texts,
    selected_record_ids,
)
from ai_smartness.forget.proof import ErasureProof
from ai_smartness.model.erasure import ForgetResult, Selection
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.journal import Actor
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.ports.erasure import MemoryFiles
from ai_smartness.ports.safekeeping import StoreFiles

__all__ = ["ForgetRun"]


@dataclass(frozen=True, slots=True)
class _AnyOf:
    """Ids that one of several collections contains."""

    parts: tuple[Container[str], ...]

    def __contains__(self, id_: object) -> bool:
        return any(id_ in part for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRun:
    """One deletion, everywhere: who asks for it and when, and where the messages may be."""

    store: ThreadStore
    files: MemoryFiles | None
    store_files: StoreFiles | None
    who: Actor
    now: datetime
    progress: Progress

    def forget(self, selection: Selection, asked: Selection, backups: str) -> ForgetResult:
        """Delete the selected messages; `asked` is the selection before its ids were completed."""
        if self.files is None:
            request = self._request(selection)
            return self._finish(request, forget(self.store, request), (), backups)
        with self.files.intent_file() as file:
            if file is None:
                raise RefusedError(_RUNNING)
            intent = ForgetIntent.of(selection, asked, backups)
            waiting = selected_record_ids(self.files, selection)
            request = self._request(selection)

            def write_intent(erasure: Erasure) -> None:
                ids, words = erasure.ids | waiting, erasure.traces.words
                messages = erasure.result.messages
                file.write(intent.completed(messages, erasure.marks, ids, words).as_text())

            try:
                erasure = forget(self.store, request, write_intent)
            except BaseException:
                # The transaction was rolled back: nothing is forgotten.
                file.remove()
                raise
            result = self._finish(request, erasure, erasure.ids, backups)
            file.remove()
            return result

    def finish_interrupted(self) -> tuple[ForgetIntent, ForgetResult] | None:
        """Finish a deletion whose process was killed; None if there is none, or it still runs."""
        if self.files is None or not self.files.is_forgetting():
            return None
        with self.files.intent_file() as file:
            intent = parsed_intent(file.text()) if file else None
            if file is None:
                return None
            if intent is None:
                # Killed before the transaction was committed.
                file.remove()
                return None
            selection = intent.remaining_selection(self.store.erasure.stored_names())
            request = replace(
                self._request(selection, intent),
                marks=intent.event_hashes,
                hashed=HashedTraces(intent),
            )
            erasure = forget(self.store, request)
            ids = _AnyOf((erasure.ids, intent))
            result = self._finish(request, erasure, ids, intent.backups)
            file.remove()
            words = max(result.words, len(intent.words))
            return intent, replace(result, messages=intent.messages, words=words, interrupted=True)

    def _request(self, selection: Selection, ids: Container[str] = ()) -> ErasureRequest:
        return ErasureRequest(
            selection=selection,
            who=self.who,
            now=self.now,
            own_words=self.files.program_words() if self.files else frozenset(),
            pending_texts=remaining_inbox_texts(self.files, selection, ids),
        )

    def _finish(
        self, request: ErasureRequest, erasure: Erasure, ids: Container[str], backups: str
    ) -> ForgetResult:
        """Remove the traces from the store's file, the other files and the copies; then search."""
        self._purge_traces()
        outcomes, copies = dict[str, str](), None
        if self.files is not None:
            outcomes = clean_files(self.files, request.selection, erasure.traces, ids)
        if self.store_files is not None:
            copies = self._forget_in_copies(
                self.store_files, replace(request, words=erasure.traces.words), backups
            )
            outcomes |= copies.outcomes
        proof = ErasureProof(
            self.store, erasure.traces, copies.traces if copies else {}, request.own_words
        )
        in_store = proof.traces_in_store()
        own = self.store_files.store_files() if self.store_files else ()
        read, in_files = proof.traces_in_files(self.files, own) if self.files else (0, [])
        changed = {name: outcome for name, outcome in outcomes.items() if outcome}
        return replace(
            erasure.result,
            files=changed,
            read=read,
            left=(*in_store, *in_files),
            unreached=(*self.store.erasure.unreached_places(), *self._dumps()),
        )

    def _dumps(self) -> list[str]:
        """Name the dumps that are left: the words may be in them, and they are compressed."""
        return [
            f"the dump {dump}: nothing in it can be searched or deleted; `--backups remove` "
            "removes it."
            for dump in (self.store_files.dumps() if self.store_files else ())
        ]

    def _forget_in_copies(
        self, files: StoreFiles, request: ErasureRequest, backups: str
    ) -> StoreCopies:
        """Forget in every copy of the store, or remove the copies."""
        copies = StoreCopies(files)
        if backups == "remove":
            copies.remove_copies()
        else:
            marks = frozenset(self.store.erasure.forgotten_hashes()) | request.marks
            copies.rewrite_copies(replace(request, marks=marks))
        return copies

    def _purge_traces(self) -> None:
        try:
            self.store.erasure.purge_traces(self.progress)
        except StoreError as error:
            msg = (
                "what was named is forgotten, but its traces could not be wiped out of the file: "
                f"{error} Any next command, or the daemon, will finish it."
            )
            raise StoreError(msg) from error
        for counts in self.store.project_counts():
            self.store.word_index.refresh_index(counts.project)


_RUNNING = (
    "another process is forgetting messages just now. Nothing was changed; try again when it has "
    "ended."
)

"""The verb that forgets: out of the store, the files beside it and its copies, with a proof."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace

from ai_smartness.forgetting.beside import clean, still_waiting
from ai_smartness.forgetting.copies import Copies
from ai_smartness.forgetting.forget import Deed, forget, meant
from ai_smartness.forgetting.proof import Proof
from ai_smartness.memory.core import quiet
from ai_smartness.memory.looking import Looking
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.forgetting import Forgotten, Selection
from ai_smartness.ports import Progress
from ai_smartness.ports.forgetting import OwnFiles
from ai_smartness.threads.plan import refuse_absorbed

__all__ = ["Forgetting"]

EXAMPLES = 20
BACKUPS = ("rewrite", "remove")


class Forgetting(Looking):
    """What is kept is let go of."""

    def forget(
        self,
        selection: Selection,
        *,
        backups: str = "rewrite",
        dry_run: bool = False,
        progress: Progress = quiet,
    ) -> Forgotten:
        """Forget messages for good, and search every file for what they alone have said.

        It cannot be undone. Backups and other copies beside the store are rewritten, or with
        `backups="remove"` removed; what was exported elsewhere is the user's own.
        """
        if backups not in BACKUPS:
            msg = f"backups can be rewritten or removed, not {backups!r}: give rewrite or remove."
            raise RefusedError(msg)
        selection = self._resolved(selection)
        if dry_run:
            return self._foreseen(selection)
        files = self._parts.files
        own = files.own_words() if files else frozenset[str]()
        deed = Deed(
            selection=selection,
            who=self.who,
            now=self._clock.now(),
            own=own,
            beside=still_waiting(files, selection),
        )
        gone = forget(self._store, deed)
        self._look_anew()
        self._purge(progress)
        told, copies = dict[str, str](), None
        if files is not None:
            told = clean(files, selection, gone)
            copies = self._in_copies(files, replace(deed, words=gone.traces.words), backups)
            told |= copies.told
        proof = Proof(self._store, gone.traces.words, copies.words if copies else {}, own)
        left = proof.of_store()
        read, found = proof.of_files(files) if files is not None else (0, [])
        return Forgotten(
            messages=gone.messages,
            threads=len(gone.threads),
            described=gone.described,
            compactions=gone.compactions,
            changes=gone.changes,
            projects=gone.projects,
            files={name: done for name, done in told.items() if done},
            words=len(gone.traces.words),
            kept=gone.kept,
            read=read,
            left=(*left, *found),
        )

    def _in_copies(self, files: OwnFiles, deed: Deed, backups: str) -> Copies:
        """Forget in every copy of the store, or remove them."""
        opened = self._parts.open_copy
        if opened is None:
            msg = "copies of the store cannot be opened here. Give `Parts` an `open_copy`."
            raise RefusedError(msg)
        copies = Copies(files, opened)
        if backups == "remove":
            copies.remove()
        else:
            marks = frozenset(self._store.oblivion.marks())
            copies.rewrite(replace(deed, marks=marks))
        return copies

    def _purge(self, progress: Progress) -> None:
        try:
            self._store.oblivion.purge(progress)
        except StoreError as error:
            msg = (
                "what was named is forgotten, but its traces could not be wiped out of the file: "
                f"{error} Then forget a message that is forgotten already, by its id, once more."
            )
            raise StoreError(msg) from error
        for each in self._store.projects():
            self._store.words.settle(each.project)

    def _resolved(self, selection: Selection) -> Selection:
        """Return what is meant by whole ids; refuse what is not there."""
        if selection == Selection(project=selection.project) and selection.project is None:
            msg = "say what is to be forgotten: a message, a thread, a session, a project, a time."
            raise RefusedError(msg)
        if selection.messages:
            project = selection.project or self.project
            gone = self._store.events.forgotten(project, selection.messages)
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
        known = {each.project for each in self._store.projects()}
        if selection.project is not None and selection.project not in known:
            msg = f"there is no project {selection.project}. `ais status` lists them."
            raise NotFoundError(msg)
        if selection.session is not None and not meant(self._store, selection):
            msg = (
                f"there is no message of session {selection.session} in "
                f"{selection.project or 'any project'}. `ais search` shows what is of which."
            )
            raise NotFoundError(msg)

    def _foreseen(self, selection: Selection) -> Forgotten:
        seqs = meant(self._store, selection)
        of_threads, projects = Counter[str](), Counter[str]()
        for event in self._store.oblivion.events(seqs):
            of_threads[event.thread_id] += 1
            projects[event.project] += 1
        counts = self._store.events.counts(list(of_threads))
        whole = sum(counts[id_] == count for id_, count in of_threads.items())
        return Forgotten(
            messages=len(seqs),
            threads=whole,
            described=len(of_threads) - whole,
            projects=dict(projects),
            examples=tuple(self._store.oblivion.events(seqs[:EXAMPLES])),
            dry_run=True,
        )

    def _look_anew(self) -> None:
        """Let go of what is in mind: the desk and the teller have heard what is forgotten."""
        for name in ("_desk", "_teller"):
            with suppress(AttributeError):
                delattr(self, name)

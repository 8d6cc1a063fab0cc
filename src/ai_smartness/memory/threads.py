"""The verbs that change threads and bridges: each is checked first, done at once, and undoable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase, VerbCall
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.thread import Kind, SplitLock, Status
from ai_smartness.redact import redacted_text

if TYPE_CHECKING:
    from ai_smartness.model.bridge import BridgeDraft
    from ai_smartness.model.journal import JournalEntry, Outcome
    from ai_smartness.model.split import SplitPart, SplitProposal

__all__ = ["ThreadVerbs"]


class ThreadVerbs(MemoryBase):
    """Threads are put in order."""

    def merge(
        self, survivor: str, absorbed: str, *, force: bool = False, dry_run: bool = False
    ) -> Outcome:
        """Move the messages of one thread to another, and archive the emptied thread."""
        from ai_smartness.threads.merge import merge

        arguments = {"survivor": survivor, "absorbed": absorbed, "force": force}
        self._embed_threads(survivor, absorbed)
        now, days = self._clock(), self._settings.decay.half_life_days
        plan = partial(merge, self._store, survivor, absorbed, now=now, half_life_days=days)
        return self._run_verb(VerbCall("merge", arguments, dry_run), partial(plan, force=force))

    def propose_split(self, thread_id: str) -> SplitProposal:
        """List a thread's messages, and the groups in which its subject changed."""
        from ai_smartness.model.split import SplitProposal
        from ai_smartness.threads.change_plan import refuse_absorbed
        from ai_smartness.threads.message_order import ordered_messages
        from ai_smartness.threads.split_proposal import proposed_parts

        self._describe_new()
        thread = self._decayed_thread(self._store.threads.get(thread_id))
        refuse_absorbed(thread, "split")
        self._embed_threads(thread.id)
        events = ordered_messages(self._store, thread.id)
        titles = self._store.threads.titles(thread.project)
        embedder = self._usable_embedder()
        if embedder is None:
            parts = proposed_parts(events, [], 0.0, titles)
        else:
            seqs = [event.seq for event in events]
            vectors = self._store.vector_index.event_centres(thread.project, embedder.space, seqs)
            rows = [vectors.get(seq) for seq in seqs]
            parts = proposed_parts(events, rows, embedder.unrelated_cosine, titles)
        return SplitProposal(thread, tuple(events), parts)

    def split(
        self,
        thread_id: str,
        parts: Sequence[SplitPart],
        *,
        lock: SplitLock = SplitLock.COMPACTION,
        session: str | None = None,
        dry_run: bool = False,
    ) -> Outcome:
        """Move groups of a thread's messages to threads of their own, locked against merging.

        A `compaction` lock ends with the next context compaction of the session, or
        without one, of the session that spoke last on the thread.
        """
        from ai_smartness.threads.split import split

        parts = [replace(part, title=redacted_text(part.title)) for part in parts]
        titles = [part.title for part in parts]
        arguments = {"thread": thread_id, "titles": titles, "lock": lock.value}
        self._embed_threads(thread_id)
        plan = partial(split, self._store, thread_id, parts, lock=lock, session=session)
        call = VerbCall("split", arguments, dry_run, session)
        return self._run_verb(call, partial(plan, now=self._clock()))

    def unlock(self, thread_id: str, *, force: bool = False, dry_run: bool = False) -> Outcome:
        """Allow a split thread to be merged again; a `force` lock needs force."""
        from ai_smartness.threads.locks import unlock

        call = VerbCall("unlock", {"thread": thread_id, "force": force}, dry_run)
        return self._run_verb(call, partial(unlock, self._store, thread_id, force=force))

    def context_compacted(self, session: str) -> Outcome:
        """Record that the agent's context was compacted: start an epoch and release its locks."""
        from ai_smartness.threads.locks import release_session_locks

        call = VerbCall("context_compacted", {"session": session}, session=session)
        with self._store.unit(*self._visible_projects()):
            stored, seq = self._stored_session(session), self._store.events.last_seq(self.project)
            epoch = replace(stored, epoch=stored.epoch + 1, epoch_seq=seq, crossed=0.0)
            self._store.threads.save_session(epoch)
            plan = partial(release_session_locks, self._store, self.project, session)
            return self._run_verb(call, plan)

    def archive(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Archive a thread; search still finds it."""
        return self._set_status("archive", thread_id, Status.ARCHIVED, dry_run=dry_run)

    def suspend(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Suspend a thread until it is recalled."""
        return self._set_status("suspend", thread_id, Status.SUSPENDED, dry_run=dry_run)

    def reactivate(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Make a thread active again that was archived, suspended or has faded."""
        from ai_smartness.threads.lifecycle import reactivate

        now, days = self._clock(), self._settings.decay.half_life_days
        call = VerbCall("reactivate", {"thread": thread_id}, dry_run)
        return self._run_verb(call, partial(reactivate, self._store, thread_id, now, days))

    def move(self, message_id: str, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Move one message to another thread."""
        from ai_smartness.threads.move import move

        call = VerbCall("move", {"message": message_id, "thread": thread_id}, dry_run)
        return self._run_verb(call, partial(move, self._store, message_id, thread_id))

    def rename(self, thread_id: str, title: str, *, dry_run: bool = False) -> Outcome:
        """Give a thread a title that is never replaced by a derived one."""
        from ai_smartness.threads.rename import rename

        title = redacted_text(title)
        call = VerbCall("rename", {"thread": thread_id, "title": title}, dry_run)
        return self._run_verb(call, partial(rename, self._store, thread_id, title))

    def confirm(self, thread_id: str, kind: Kind, *, dry_run: bool = False) -> Outcome:
        """Set a thread's kind, as one of its messages proposes or as the user knows better."""
        from ai_smartness.threads.lifecycle import confirm_kind

        call = VerbCall("kind", {"thread": thread_id, "kind": kind.value}, dry_run)
        return self._run_verb(call, partial(confirm_kind, self._store, thread_id, kind))

    def link(self, wanted: BridgeDraft, *, dry_run: bool = False) -> Outcome:
        """Create a bridge between two threads."""
        from ai_smartness.threads.link import link

        wanted = replace(wanted, reason=redacted_text(wanted.reason))
        arguments = {
            "source": wanted.source,
            "relation": wanted.relation.value,
            "target": wanted.target,
            "weight": wanted.weight,
            "reason": wanted.reason,
        }
        plan = partial(link, self._store, wanted, self.who.kind, self._clock())
        return self._run_verb(VerbCall("link", arguments, dry_run), plan)

    def keep_apart(self, first: str, second: str, *, dry_run: bool = False) -> Outcome:
        """Say that two threads are not one subject: no merge is suggested, and none compacted."""
        from ai_smartness.threads.link import keep_apart

        call = VerbCall("keep_apart", {"first": first, "second": second}, dry_run)
        plan = partial(keep_apart, self._store, (first, second), self.who.kind, self._clock())
        return self._run_verb(call, plan)

    def keep_whole(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Say that a thread is one subject: no split of it is suggested."""
        from ai_smartness.threads.split import keep_whole

        call = VerbCall("keep_whole", {"thread": thread_id}, dry_run)
        return self._run_verb(call, partial(keep_whole, self._store, thread_id))

    def unlink(self, bridge_id: str, *, dry_run: bool = False) -> Outcome:
        """Remove a bridge for good: it is not derived again."""
        from ai_smartness.threads.link import unlink

        call = VerbCall("unlink", {"bridge": bridge_id}, dry_run)
        return self._run_verb(call, partial(unlink, self._store, bridge_id))

    def follow(self, bridge_id: str, *, dry_run: bool = False) -> Outcome:
        """Use a bridge: it gains weight, and its decay starts again."""
        from ai_smartness.threads.link import follow

        now, days = self._clock(), self._settings.decay.half_life_days
        call = VerbCall("follow", {"bridge": bridge_id}, dry_run)
        return self._run_verb(call, partial(follow, self._store, bridge_id, now, days))

    def log(
        self,
        thread_id: str | None = None,
        *,
        limit: int = 20,
        before: int | None = None,
        with_reads: bool = False,
    ) -> list[JournalEntry]:
        """Return the latest changes of the project, or those of one thread, the newest first.

        A recall that made suspended threads active again is a read, and listed on request.
        """
        from ai_smartness.threads.history import full_thread_id

        journal = self._store.journal
        if thread_id is None:
            return journal.latest_entries(self.project, limit, before, with_reads=with_reads)
        entries = journal.entries_touching(full_thread_id(self._store, thread_id))
        changes = [entry for entry in entries if with_reads or not entry.is_read]
        return [entry for entry in changes if before is None or entry.seq < before][:limit]

    def undo(self, number: int | None = None, *, dry_run: bool = False) -> Outcome:
        """Undo a change: the one with this number, or the latest that is in force."""
        from ai_smartness.threads.undo import undo

        seq = self._entry_to_undo(number).seq
        call = VerbCall("undo", {"change": seq}, dry_run, undoes=seq)
        return self._run_verb(call, partial(undo, self._store, seq))

    def _set_status(self, verb: str, thread_id: str, status: Status, *, dry_run: bool) -> Outcome:
        from ai_smartness.threads.lifecycle import suspend_or_archive

        plan = partial(suspend_or_archive, self._store, thread_id, status)
        return self._run_verb(VerbCall(verb, {"thread": thread_id}, dry_run), plan)

    def _entry_to_undo(self, number: int | None) -> JournalEntry:
        from ai_smartness.threads.undo import last_change_in_force

        if number is None:
            return last_change_in_force(self._store, self.project)
        entry = self._store.journal.get(number)
        if entry.project != self.project:
            msg = (
                f"cannot undo change {entry.seq} here: it is of project {entry.project}. "
                f"Run `ais --project '{entry.project}' undo {entry.seq}`."
            )
            raise RefusedError(msg)
        return entry

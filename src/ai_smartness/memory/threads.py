"""The verbs that change what is kept: each is checked first, done at once, and can be undone.

A verb works out its change, then carries it out with its journal entry in one
transaction. With `dry_run` it only says what it would do.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.capture.embed import embed_events
from ai_smartness.memory.messages import ReadVerbs
from ai_smartness.model.bridge import BridgeDraft
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry, Outcome
from ai_smartness.model.session import Session
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.thread import Kind, SplitLock, Status, Thread
from ai_smartness.redact import redacted_fields, redacted_text
from ai_smartness.threads.change_plan import ChangePlan, carry_out, refuse_absorbed
from ai_smartness.threads.history import full_thread_id
from ai_smartness.threads.lifecycle import confirm_kind, reactivate, suspend_or_archive
from ai_smartness.threads.links import follow, link, unlink
from ai_smartness.threads.locks import release_session_locks, unlock
from ai_smartness.threads.merge import merge
from ai_smartness.threads.message_order import ordered_messages
from ai_smartness.threads.move import move
from ai_smartness.threads.rename import rename
from ai_smartness.threads.split import split
from ai_smartness.threads.split_proposal import proposed_parts
from ai_smartness.threads.undo import last_change_in_force, undo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

__all__ = ["ThreadVerbs", "VerbCall"]

_LOG = logging.getLogger(__name__)

EMBEDDED_AT_ONCE = 512
"""Messages of a thread, the latest: some seconds at most. Others are embedded with the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbCall:
    """A verb as it was called."""

    verb: str
    arguments: Mapping[str, object]
    dry_run: bool = False
    session: str | None = None
    undoes: int | None = None


class ThreadVerbs(ReadVerbs):
    """What is kept is put in order."""

    def merge(
        self,
        survivor: str,
        absorbed: str,
        *,
        force: bool = False,
        dry_run: bool = False,
    ) -> Outcome:
        """Put the messages of one thread on another, and archive the one that gave them."""
        arguments = {"survivor": survivor, "absorbed": absorbed, "force": force}
        deed = VerbCall(verb="merge", arguments=arguments, dry_run=dry_run)
        self._embed_threads(survivor, absorbed)
        now, days = self._clock.now(), self._settings.decay.half_life_days
        plan = partial(merge, self._store, survivor, absorbed, now=now, half_life_days=days)
        return self._run_verb(deed, partial(plan, force=force))

    def propose_split(self, thread_id: str) -> SplitProposal:
        """List a thread's messages, and the groups in which its subject changed."""
        self._describe_new()
        thread = self._decayed_thread(self._store.threads.get(thread_id))
        refuse_absorbed(thread, "split")
        self._embed_threads(thread.id)
        events = ordered_messages(self._store, thread.id)
        taken = {other.title for other in self._store.threads.all(thread.project)}
        parts = proposed_parts(
            events,
            self._message_vectors(thread, events),
            self._unrelated_cosine(),
            taken,
        )
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
        """Put groups of a thread's messages on threads of their own, locked against merging.

        A `compaction` lock goes with the next context compaction of the session,
        without one, of the session that spoke last on the thread.
        """
        parts = [replace(part, title=redacted_text(part.title)) for part in parts]
        titles = [part.title for part in parts]
        arguments = {"thread": thread_id, "titles": titles, "lock": lock.value}
        deed = VerbCall(verb="split", arguments=arguments, dry_run=dry_run, session=session)
        self._embed_threads(thread_id)
        plan = partial(split, self._store, thread_id, parts, lock=lock, session=session)
        return self._run_verb(deed, partial(plan, now=self._clock.now()))

    def unlock(self, thread_id: str, *, force: bool = False, dry_run: bool = False) -> Outcome:
        """Let a split thread be merged again; a `force` lock needs force."""
        arguments = {"thread": thread_id, "force": force}
        deed = VerbCall(verb="unlock", arguments=arguments, dry_run=dry_run)
        return self._run_verb(deed, partial(unlock, self._store, thread_id, force=force))

    def context_compacted(self, session: str) -> Outcome:
        """Take note that the agent's context was compacted: a new epoch, and its locks are off."""
        deed = VerbCall(verb="context_compacted", arguments={"session": session}, session=session)
        with self._store.unit():
            known = self._store.threads.find_session(self.project, session)
            begun = known or Session(id=session, project=self.project)
            seen = self._store.events.last_seq(self.project)
            anew = replace(begun, epoch=begun.epoch + 1, epoch_seq=seen, crossed=0.0)
            self._store.threads.save_session(anew)
            return self._run_verb(
                deed,
                partial(release_session_locks, self._store, self.project, session),
            )

    def archive(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Put a thread away; it is still found."""
        deed = VerbCall(verb="archive", arguments={"thread": thread_id}, dry_run=dry_run)
        return self._run_verb(
            deed,
            partial(suspend_or_archive, self._store, thread_id, Status.ARCHIVED),
        )

    def suspend(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Put a thread aside until it is recalled."""
        deed = VerbCall(verb="suspend", arguments={"thread": thread_id}, dry_run=dry_run)
        return self._run_verb(
            deed,
            partial(suspend_or_archive, self._store, thread_id, Status.SUSPENDED),
        )

    def reactivate(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Bring a thread back that was put away or has faded."""
        deed = VerbCall(verb="reactivate", arguments={"thread": thread_id}, dry_run=dry_run)
        now, days = self._clock.now(), self._settings.decay.half_life_days
        return self._run_verb(deed, partial(reactivate, self._store, thread_id, now, days))

    def move(self, message_id: str, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Put one message on another thread."""
        arguments = {"message": message_id, "thread": thread_id}
        deed = VerbCall(verb="move", arguments=arguments, dry_run=dry_run)
        return self._run_verb(deed, partial(move, self._store, message_id, thread_id))

    def rename(self, thread_id: str, title: str, *, dry_run: bool = False) -> Outcome:
        """Give a thread a title that stays."""
        title = redacted_text(title)
        arguments = {"thread": thread_id, "title": title}
        deed = VerbCall(verb="rename", arguments=arguments, dry_run=dry_run)
        return self._run_verb(deed, partial(rename, self._store, thread_id, title))

    def confirm(self, thread_id: str, kind: Kind, *, dry_run: bool = False) -> Outcome:
        """Say what a thread is, as one of its messages proposes or as the user knows better."""
        arguments = {"thread": thread_id, "kind": kind.value}
        deed = VerbCall(verb="kind", arguments=arguments, dry_run=dry_run)
        return self._run_verb(deed, partial(confirm_kind, self._store, thread_id, kind))

    def link(self, wanted: BridgeDraft, *, dry_run: bool = False) -> Outcome:
        """Make a bridge between two threads."""
        wanted = replace(wanted, reason=redacted_text(wanted.reason))
        arguments = {
            "source": wanted.source,
            "relation": wanted.relation.value,
            "target": wanted.target,
            "weight": wanted.weight,
            "reason": wanted.reason,
        }
        deed = VerbCall(verb="link", arguments=arguments, dry_run=dry_run)
        return self._run_verb(
            deed,
            partial(link, self._store, wanted, self.who.kind, self._clock.now()),
        )

    def unlink(self, bridge_id: str, *, dry_run: bool = False) -> Outcome:
        """Take a bridge away; it is not found anew."""
        deed = VerbCall(verb="unlink", arguments={"bridge": bridge_id}, dry_run=dry_run)
        return self._run_verb(deed, partial(unlink, self._store, bridge_id))

    def follow(self, bridge_id: str, *, dry_run: bool = False) -> Outcome:
        """Use a bridge: it grows heavier, and its fading starts anew."""
        deed = VerbCall(verb="follow", arguments={"bridge": bridge_id}, dry_run=dry_run)
        now, days = self._clock.now(), self._settings.decay.half_life_days
        return self._run_verb(deed, partial(follow, self._store, bridge_id, now, days))

    def log(
        self,
        thread_id: str | None = None,
        *,
        limit: int = 20,
        before: int | None = None,
    ) -> list[JournalEntry]:
        """Return the latest changes of the project, or those of one thread, the newest first."""
        if thread_id is None:
            return self._store.journal.latest_entries(self.project, limit, before)
        entries = self._store.journal.entries_touching(full_thread_id(self._store, thread_id))
        return [each for each in entries if before is None or each.seq < before][:limit]

    def undo(self, number: int | None = None, *, dry_run: bool = False) -> Outcome:
        """Take a change back: the one with this number, or the latest that is in force."""
        entry = self._entry_to_undo(number)
        arguments = {"change": entry.seq}
        deed = VerbCall(verb="undo", arguments=arguments, dry_run=dry_run, undoes=entry.seq)
        return self._run_verb(deed, partial(undo, self._store, entry.seq))

    def _entry_to_undo(self, number: int | None) -> JournalEntry:
        if number is None:
            return last_change_in_force(self._store, self.project)
        entry = self._store.journal.get(number)
        if entry.project != self.project:
            msg = (
                f"cannot undo change {entry.seq} here: it is of project {entry.project}. "
                f"Run `ais --project {entry.project} undo {entry.seq}`."
            )
            raise RefusedError(msg)
        return entry

    def _message_vectors(self, thread: Thread, events: Sequence[Event]) -> "list[Vector | None]":
        """Return the vectors of messages, as far as there are any."""
        embedder = self._usable_embedder()
        if embedder is None:
            return []
        seqs = [event.seq for event in events]
        vectors = self._store.vector_index.event_centres(thread.project, embedder.space, seqs)
        return [vectors.get(seq) for seq in seqs]

    def _embed_threads(self, *thread_ids: str) -> None:
        """Embed the messages of threads that are not yet: their centre is told by all of them."""
        embedder = self._usable_embedder()
        if embedder is None:
            return
        for id_ in thread_ids:
            thread = self._store.threads.get(id_)
            events = self._store.events.of_thread(thread.id)
            try:
                embed_events(self._store, embedder, thread.project, events[-EMBEDDED_AT_ONCE:])
            except StoreError as trouble:
                # Out of reach: a thread is put in order all the same, and embedded when it can be.
                _LOG.warning("%s is not embedded: %s", thread.id, trouble)

    def _run_verb(self, deed: VerbCall, plan_of: Callable[[], ChangePlan]) -> Outcome:
        """Tell what was captured since, then work a change out and carry it out."""
        self._describe_new()
        return self._apply_plan(deed, plan_of)

    def _apply_plan(self, deed: VerbCall, plan_of: Callable[[], ChangePlan]) -> Outcome:
        """Work a change out and carry it out, unless that is only to be seen."""
        if deed.dry_run:
            return self._verb_outcome(deed, plan_of(), None)
        with self._store.unit():
            # Worked out under the lock: what it goes by cannot change before it is done.
            plan = plan_of()
            number = (
                carry_out(self._store, self._journal_entry(deed, plan)).seq if plan.change else None
            )
            return self._verb_outcome(deed, plan, number)

    def _journal_entry(self, deed: VerbCall, plan: ChangePlan) -> JournalEntry:
        return JournalEntry(
            project=plan.project,
            at=self._clock.now(),
            who=self.who,
            verb=deed.verb,
            arguments=redacted_fields(dict(deed.arguments)),
            said=plan.sentence,
            change=plan.change,
            session=deed.session,
            undoes=deed.undoes,
        )

    def _verb_outcome(self, deed: VerbCall, plan: ChangePlan, number: int | None) -> Outcome:
        edits = {edit.id: edit.after for edit in plan.change.threads}
        after = (
            edits[id_] if id_ in edits else self._store.threads.get(id_)
            for id_ in plan.thread_ids
            if id_ in edits or self._store.threads.has(id_)
        )
        return Outcome(
            verb=deed.verb,
            said=plan.sentence,
            number=number,
            threads=tuple(self._decayed_thread(thread) for thread in after if thread is not None),
            change=plan.change,
        )

"""Undo a change.

What is still as the change left it becomes exactly what it was before. Growth by later
messages is kept. A later deliberate change stands in the way, and is named.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import NoReturn

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import (
    BridgeEdit,
    Change,
    FocusEdit,
    JournalEntry,
    Move,
    ReviewEdit,
    ThreadEdit,
)
from ai_smartness.model.link import MergeLink, Remedy, UndoLink
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, restored_set_aside, with_compactions_moved
from ai_smartness.threads.message_order import in_conversation_order
from ai_smartness.threads.rate import unrated_thread
from ai_smartness.threads.redescribe import Redescriber

__all__ = ["last_change_in_force", "undo"]

DERIVED_FIELDS = frozenset(
    {"summary", "topics", "files", "commit", "drift", "revision", "last_active", "created_at"}
)
"""Fields that follow from a thread's messages."""

GROWING_FIELDS = DERIVED_FIELDS | {"title", "status"}
"""Fields that new messages change, and somebody can change too."""

USAGE_FIELDS = frozenset({"ratings", "relevance", "weight", "activation_count"})
"""Fields that use changes: a useful thread is rated, a suspended one that answers gets active."""

PAGE_ENTRIES = 10  # entries read at a time: that of a long merge names thousands of messages

_FIELD_NAMES = tuple(field.name for field in fields(Thread))


def last_change_in_force(store: ThreadStore, project: str) -> JournalEntry:
    """Return the project's latest change that is neither undone nor itself an undo.

    A read is no change: what it made active again stays active.
    """
    for entry in _latest_entries(store, project):
        in_force = entry.undone_by is None and entry.undoes is None
        if in_force and entry.change and not entry.is_forgotten:
            return entry
    msg = f"there is nothing to undo in project {project}. `ais log` lists its changes."
    raise NotFoundError(msg)


def undo(store: ThreadStore, number: int) -> ChangePlan:
    """Plan to undo a change of the journal."""
    entry = store.journal.get(number)
    if entry.verb == "forget" or entry.is_forgotten:
        msg = (
            f"cannot undo change {entry.seq} ({entry.verb}): what is forgotten is gone. "
            "`ais log` shows what else can be undone."
        )
        raise RefusedError(msg)
    if not entry.change:
        msg = (
            f"cannot undo change {entry.seq} ({entry.verb}): it only tells what was done, and "
            "changed nothing in the memory."
        )
        raise RefusedError(msg)
    if entry.undone_by is not None:
        problem = f"cannot undo change {entry.seq}: change {entry.undone_by} did so already."
        remedy = Remedy(UndoLink(entry.undone_by), "To bring it back, run {}")
        raise RefusedError(problem, remedy)
    change = _Undo(store, entry).inverse_change()
    if not change:
        msg = f"cannot undo change {entry.seq} ({entry.verb}): nothing of it is left to take back."
        raise RefusedError(msg)
    sentence = f"Undid change {entry.seq}: {entry.said}"
    if entry.undoes is not None:
        undone = store.journal.get(entry.undoes)
        sentence = f"Brought back change {undone.seq}: {undone.said}"
    return ChangePlan(entry.project, sentence, change, entry.change.touched_threads)


class _Undo:
    """One undo: the inverse change, compared with the present state.

    In every edit of the inverse, `before` is the state that the change left, and `after`
    the one to restore.
    """

    def __init__(self, store: ThreadStore, entry: JournalEntry) -> None:
        self._store = store
        self._entry = entry
        self._inverse = entry.change.inverse
        self._moves = list(self._moves_back())

    def inverse_change(self) -> Change:
        """Return the change that undoes the entry; refuse if something stands in the way."""
        edits = [edit for back in self._inverse.threads if (edit := self._thread_edit(back))]
        edits, self._moves = with_compactions_moved(self._store, edits, self._moves)
        threads_after = {edit.id: edit.after for edit in edits}
        self._refuse_stranding(threads_after)
        bridges = {
            back.id: self._bridge_edit(back, threads_after) for back in self._inverse.bridges
        }
        for id_ in (edit.id for edit in edits if edit.after is None):
            for bridge in self._store.bridges.of(id_, unwanted=True):
                bridges[bridge.id] = BridgeEdit(bridge, None)
        for edit in edits:
            self._refuse_leaving_behind(edit, bridges)
        foci = (self._focus_edit(back) for back in self._inverse.foci)
        reviews = (self._review_edit(back) for back in self._inverse.reviews)
        return Change(
            tuple(edits),
            tuple(self._moves),
            tuple(filter(None, bridges.values())),
            tuple(filter(None, foci)),
            tuple(filter(None, reviews)),
        )

    # Messages and threads.

    def _moves_back(self) -> Iterator[Move]:
        """Yield the moves back; a message that capture itself has moved since stays there."""
        for move in self._inverse.moves:
            events = self._store.events.by_seq(move.seqs)
            if len(events) < len(set(move.seqs)):
                self._refuse_undo("a message that it moved is not in this memory", None)
            staying = tuple(seq for seq in move.seqs if events[seq].thread_id == move.source)
            for seq in move.seqs:
                if events[seq].thread_id != move.source:
                    self._refuse_if_moved(events[seq])
            if staying:
                yield Move(move.source, move.target, staying)

    def _refuse_if_moved(self, event: Event) -> None:
        for later in self._later_entries(event.thread_id):
            if any(event.seq in move.seqs for move in later.change.moves):
                self._refuse_undo(f"message {event.id} is on {event.thread_id}", later)

    def _thread_edit(self, back: ThreadEdit) -> ThreadEdit | None:
        now = self._stored_thread(back.id)
        if back.before is None:
            if now is not None:
                self._refuse_for_thread(now.id, f"there is a thread {now.id} again")
            return back
        if now is None:
            self._refuse_for_thread(back.id, f"thread {back.id} is no longer there")
        if back.after is None:
            self._refuse_loss(now)
            return ThreadEdit(now, None)
        after = self._restored_thread(now, back.before, back.after)
        into = after.merged_into
        # A thread that was merged since it was archived must not come back into use.
        if into and now.status is Status.ARCHIVED and after.status is not now.status:
            self._refuse_undo(f"{now.id} was merged into {into}", self._who_changed(now.id, "tags"))
        return None if after == now else ThreadEdit(now, after)

    def _restored_thread(self, now: Thread, left: Thread, was: Thread) -> Thread:
        """Return the thread as it was, with its growth since the change left it."""
        set_aside = restored_set_aside(now, left, was)
        now, left, was = (replace(thread, set_aside=()) for thread in (now, left, was))
        changed, since = _changed_fields(left, was), _changed_fields(now, left)
        for name in sorted(changed & since):
            later = self._who_changed(now.id, name)
            if getattr(now, name) != getattr(was, name) and (
                later or name not in GROWING_FIELDS | USAGE_FIELDS
            ):
                self._refuse_undo(f"the {name} of {now.id} is another now", later)
        restored = replace(now, **{name: getattr(was, name) for name in changed - since})
        if "ratings" in changed & since and now.ratings != was.ratings:
            restored = unrated_thread(restored, left, was)
        if since & GROWING_FIELDS:
            restored = self._regrown_thread(restored, now)
        return replace(restored, set_aside=set_aside)

    def _who_changed(self, thread_id: str, name: str) -> JournalEntry | None:
        """Return a later change of this field; those that messages make do not count."""
        if name in DERIVED_FIELDS:
            return None
        for later in self._later_entries(thread_id):
            for edit in later.change.threads:
                if edit.id == thread_id and (
                    edit.before is None
                    or edit.after is None
                    or name in _changed_fields(edit.before, edit.after)
                ):
                    return later
        return None

    def _regrown_thread(self, restored: Thread, now: Thread) -> Thread:
        """Return a thread that has grown since, described by the messages it will have."""
        grown = replace(restored, revision=now.revision + 1)
        if not any(now.id in (move.source, move.target) for move in self._moves):
            return grown
        events = in_conversation_order(self._events_after(now.id))
        return self._redescriber.redescribed_thread(grown, events) if events else grown

    @cached_property
    def _redescriber(self) -> Redescriber:
        return Redescriber(self._store, self._entry.project)

    def _events_after(self, thread_id: str) -> list[Event]:
        """Return the events that a thread will have after the undo."""
        leaving = {seq for move in self._moves if move.source == thread_id for seq in move.seqs}
        coming = [seq for move in self._moves if move.target == thread_id for seq in move.seqs]
        stored = self._store.events.of_thread(thread_id)
        events = [event for event in stored if event.seq not in leaving]
        events += self._store.events.by_seq(coming).values()
        return sorted(events, key=lambda event: event.seq)

    def _refuse_loss(self, now: Thread) -> None:
        """Refuse to remove a thread that holds more than the change put there."""
        for later in self._later_entries(now.id):
            self._refuse_undo(f"{later.verb} came after it on {now.id}", later)
        left = self._events_after(now.id)
        if left:
            some = ", ".join(event.id for event in left[:3])
            msg = (
                f"cannot undo change {self._entry.seq} ({self._entry.verb}): {now.id}, which it "
                f"made, holds {len(left)} that came later ({some}). Move them first with "
                "`ais threads move MESSAGE THREAD`."
            )
            raise RefusedError(msg)

    def _refuse_stranding(self, threads_after: Mapping[str, Thread | None]) -> None:
        """Refuse to move messages to a merged thread, and to leave a thread empty."""
        for move in self._moves:
            target = threads_after.get(move.target) or self._stored_thread(move.target)
            if target is None or target.merged_into:
                self._refuse_for_thread(move.target, f"{move.target} was merged away")
            source = threads_after.get(move.source, self._stored_thread(move.source))
            if source is not None and not source.merged_into and not self._events_after(source.id):
                self._refuse_for_thread(source.id, f"{source.id} would be left empty")

    def _refuse_leaving_behind(self, edit: ThreadEdit, bridges: Collection[str]) -> None:
        """Refuse to merge a thread again that has new messages or bridges."""
        into = edit.after.merged_into if edit.after else None
        if into is None or (edit.before and edit.before.merged_into):
            return
        new = any(bridge.id not in bridges for bridge in self._store.bridges.of(edit.id))
        if new or self._events_after(edit.id):
            problem = (
                f"cannot undo change {self._entry.seq} ({self._entry.verb}): {edit.id} has got "
                "messages or bridges since, which would stay behind."
            )
            raise RefusedError(problem, Remedy(MergeLink(into, edit.id), "Run {} instead"))

    # Bridges, foci and reviews.

    def _bridge_edit(
        self, back: BridgeEdit, threads_after: Mapping[str, Thread | None]
    ) -> BridgeEdit | None:
        known = self._store.bridges.of(back.thread_ids[0], unwanted=True)
        now = next((bridge for bridge in known if bridge.id == back.id), None)
        if now == back.after:
            return None
        if now != back.before:
            for later in self._later_entries(back.thread_ids[0]):
                if any(edit.id == back.id for edit in later.change.bridges):
                    self._refuse_undo(f"bridge {back.id} is another now", later)
        if back.after is not None:
            self._refuse_loose_end(back.after, threads_after)
        return BridgeEdit(now, back.after)

    def _refuse_loose_end(self, bridge: Bridge, threads_after: Mapping[str, Thread | None]) -> None:
        for end in (bridge.source, bridge.target):
            thread = threads_after.get(end) or self._stored_thread(end)
            if thread is None:
                self._refuse_for_thread(end, f"thread {end} is no longer there")
            if thread.merged_into and not bridge.unwanted:
                self._refuse_for_thread(end, f"{end} was merged into {thread.merged_into}")

    def _focus_edit(self, back: FocusEdit) -> FocusEdit | None:
        foci = self._store.foci.all(self._entry.project)
        now = next((focus for focus in foci if focus.key == back.key), None)
        if now == back.after:
            return None
        if now != back.before:
            topic = (back.after or back.before or now).topic  # type: ignore[union-attr] # one is there
            later = self._latest_entry(
                lambda change: any(edit.key == back.key for edit in change.foci)
            )
            self._refuse_undo(f'the focus on "{topic}" is another now', later)
        return FocusEdit(now, back.after)

    def _review_edit(self, back: ReviewEdit) -> ReviewEdit | None:
        reviews = self._store.statements.reviews(self._entry.project)
        now = next((review for review in reviews if review.statement_id == back.id), None)
        if now == back.after:
            return None
        if now != back.before:
            later = self._latest_entry(
                lambda change: any(edit.id == back.id for edit in change.reviews)
            )
            self._refuse_undo(f"the review of {back.id} is another now", later)
        return ReviewEdit(now, back.after)

    def _latest_entry(self, makes: Callable[[Change], bool]) -> JournalEntry | None:
        """Return the latest change of this kind, if it came after this one."""
        for entry in _latest_entries(self._store, self._entry.project):
            if entry.seq <= self._entry.seq:
                return None
            if entry.undone_by is None and makes(entry.change):
                return entry
        return None

    # What came after the change.

    def _stored_thread(self, id_: str) -> Thread | None:
        return self._store.threads.get(id_) if self._store.threads.has(id_) else None

    def _later_entries(self, thread_id: str) -> list[JournalEntry]:
        """Return the later changes of a thread that are in force."""
        entries = self._store.journal.entries_touching(thread_id, self._entry.seq)
        undone = {entry.seq for entry in entries if entry.undone_by is not None}
        return [
            entry
            for entry in entries
            if not entry.is_read
            and entry.seq not in undone
            and not (entry.undoes and entry.undoes in undone)
        ]

    def _refuse_for_thread(self, thread_id: str, because: str) -> NoReturn:
        self._refuse_undo(because, next(iter(self._later_entries(thread_id)), None))

    def _refuse_undo(self, because: str, later: JournalEntry | None) -> NoReturn:
        problem = f"cannot undo change {self._entry.seq} ({self._entry.verb}): {because}."
        if later is None:
            msg = f"{problem} `ais log` shows what came after it."
            raise RefusedError(msg)
        first = f"Undo change {later.seq} ({later.verb}) first: {{}}"
        raise RefusedError(problem, Remedy(UndoLink(later.seq), first))


def _latest_entries(store: ThreadStore, project: str) -> Iterator[JournalEntry]:
    """Yield the project's changes, the latest first."""
    before: int | None = None
    read_page = partial(store.journal.latest_entries, project, PAGE_ENTRIES, with_reads=False)
    while entries := read_page(before):
        yield from entries
        before = entries[-1].seq


def _changed_fields(before: Thread, after: Thread) -> set[str]:
    return {name for name in _FIELD_NAMES if getattr(before, name) != getattr(after, name)}

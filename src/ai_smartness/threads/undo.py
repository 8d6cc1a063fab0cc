"""Take a change back.

What is as the change left it becomes what it was before, exactly. What only
grew since, by messages that came in, keeps its growth. What somebody changed on
purpose since stands in the way, and is named.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from typing import NoReturn

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import BridgeEdit, Change, FocusEdit, JournalEntry, Move, ThreadEdit
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
"""What follows from the messages that a thread has."""

GROWING_FIELDS = DERIVED_FIELDS | {"title", "status"}
"""What messages that come in change by themselves, and somebody can change too."""

USAGE_FIELDS = frozenset({"ratings", "relevance"})
"""What use changes by itself: a thread that was of use is rated for it."""

PAGE_ENTRIES = 10
"""Entries at a time: that of a long merge names thousands of messages."""


def last_change_in_force(store: ThreadStore, project: str) -> JournalEntry:
    """Return the project's latest change that is neither undone nor itself an undo."""
    before: int | None = None
    while entries := store.journal.latest_entries(project, PAGE_ENTRIES, before):
        for entry in entries:
            in_force = entry.undone_by is None and entry.undoes is None
            if in_force and entry.change and not entry.is_forgotten:
                return entry
        before = entries[-1].seq
    msg = f"there is nothing to undo in project {project}. `ais log` lists its changes."
    raise NotFoundError(msg)


def undo(store: ThreadStore, number: int) -> ChangePlan:
    """Plan to take a journalled change back."""
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
    said = f"Undid change {entry.seq}: {entry.said}"
    if entry.undoes is not None:
        undone = store.journal.get(entry.undoes)
        said = f"Brought back change {undone.seq}: {undone.said}"
    return ChangePlan(entry.project, said, change, entry.change.touched_threads)


class _Undo:
    """One undo on its way: the change turned around, held against what is there now."""

    def __init__(self, store: ThreadStore, entry: JournalEntry) -> None:
        self._store = store
        self._entry = entry
        self._back = entry.change.inverse
        self._moves = list(self._moves_back())
        self._redescriber: Redescriber | None = None

    def inverse_change(self) -> Change:
        """Return the change that takes the entry back; refuse what stands in the way."""
        threads = [edit for each in self._back.threads if (edit := self._thread_edit(each))]
        threads, self._moves = with_compactions_moved(self._store, threads, self._moves)
        after = {edit.id: edit.after for edit in threads}
        self._refuse_stranding(after)
        bridges = {each.id: self._bridge_edit(each, after) for each in self._back.bridges}
        for id_ in (edit.id for edit in threads if edit.after is None):
            for bridge in self._store.bridges.of(id_, unwanted=True):
                bridges[bridge.id] = BridgeEdit(bridge, None)
        for edit in threads:
            self._refuse_leaving_behind(edit, bridges)
        changed = (each for each in bridges.values() if each is not None)
        foci = (self._focus_edit(each) for each in self._back.foci)
        return Change(tuple(threads), tuple(self._moves), tuple(changed), tuple(filter(None, foci)))

    def _moves_back(self) -> Iterator[Move]:
        """Yield what goes back; a message that capture itself put elsewhere since stays there."""
        for move in self._back.moves:
            now = self._store.events.by_seq(move.seqs)
            there = tuple(seq for seq in move.seqs if now[seq].thread_id == move.source)
            for seq in move.seqs:
                if now[seq].thread_id != move.source:
                    self._refuse_if_moved(now[seq])
            if there:
                yield Move(move.source, move.target, there)

    def _refuse_if_moved(self, event: Event) -> None:
        for later in self._later_entries(event.thread_id):
            if any(event.seq in move.seqs for move in later.change.moves):
                self._refuse_undo(f"message {event.id} is on {event.thread_id}", later)

    def _thread_edit(self, back: ThreadEdit) -> ThreadEdit | None:
        now = self._stored_thread(back.id)
        if back.before is None:
            return self._restored_edit(back, now)
        if now is None:
            self._refuse_undo(
                f"thread {back.id} is no longer there", self._first_later_entry(back.id)
            )
        if back.after is None:
            self._refuse_loss(now)
            return ThreadEdit(now, None)
        after = self._thread_put_back(now, back.before, back.after)
        self._refuse_awakening(now, after)
        return None if after == now else ThreadEdit(now, after)

    def _refuse_awakening(self, now: Thread, after: Thread) -> None:
        """Refuse to bring back into use what was merged away since it was archived."""
        into = after.merged_into
        if into and now.status is Status.ARCHIVED and after.status is not now.status:
            self._refuse_undo(f"{now.id} was merged into {into}", self._who_changed(now.id, "tags"))

    def _restored_edit(self, back: ThreadEdit, now: Thread | None) -> ThreadEdit:
        if now is not None:
            self._refuse_undo(f"there is a thread {now.id} again", self._first_later_entry(now.id))
        return back

    def _thread_put_back(self, now: Thread, left: Thread, was: Thread) -> Thread:
        """Return the thread as it was, with what grew since the change left it."""
        now, aside = replace(now, set_aside=()), restored_set_aside(now, left, was)
        left, was = replace(left, set_aside=()), replace(was, set_aside=())
        changed = {
            name for name in _field_names(Thread) if getattr(left, name) != getattr(was, name)
        }
        since = {name for name in _field_names(Thread) if getattr(now, name) != getattr(left, name)}
        for name in sorted(changed & since):
            later = self._who_changed(now.id, name)
            if getattr(now, name) != getattr(was, name) and (
                later or name not in GROWING_FIELDS | USAGE_FIELDS
            ):
                self._refuse_undo(f"the {name} of {now.id} is another now", later)
        back = replace(now, **{name: getattr(was, name) for name in changed - since})
        if "ratings" in changed & since and now.ratings != was.ratings:
            back = unrated_thread(back, left, was)
        grown = self._regrown_thread(back, now) if since & GROWING_FIELDS else back
        return replace(grown, set_aside=aside)

    def _who_changed(self, thread_id: str, name: str) -> JournalEntry | None:
        """Return a later change of this field; those that messages make anyway do not count."""
        if name in DERIVED_FIELDS:
            return None
        for later in self._later_entries(thread_id):
            for edit in later.change.threads:
                if edit.id == thread_id and _differs_in(edit, name):
                    return later
        return None

    def _regrown_thread(self, back: Thread, now: Thread) -> Thread:
        """Return a thread that grew since, described by the messages it will have."""
        grown = replace(back, revision=now.revision + 1)
        if not any(now.id in (move.source, move.target) for move in self._moves):
            return grown
        if self._redescriber is None:
            self._redescriber = Redescriber(self._store, now.project)
        events = in_conversation_order(self._events_then(now.id))
        return self._redescriber.redescribed_thread(grown, events) if events else grown

    def _events_then(self, thread_id: str) -> list[Event]:
        gone = {seq for move in self._moves if move.source == thread_id for seq in move.seqs}
        come = [seq for move in self._moves if move.target == thread_id for seq in move.seqs]
        events = [e for e in self._store.events.of_thread(thread_id) if e.seq not in gone]
        events += self._store.events.by_seq(come).values()
        return sorted(events, key=lambda event: event.seq)

    def _refuse_loss(self, now: Thread) -> None:
        """Refuse to take a thread away that holds more than the change put there."""
        for later in self._later_entries(now.id):
            self._refuse_undo(f"{later.verb} came after it on {now.id}", later)
        left = self._events_then(now.id)
        if left:
            shown = ", ".join(event.id for event in left[:3])
            msg = (
                f"cannot undo change {self._entry.seq} ({self._entry.verb}): {now.id}, which it "
                f"made, holds {len(left)} that came later ({shown}). Move them first with "
                "`ais threads move MESSAGE THREAD`."
            )
            raise RefusedError(msg)

    def _refuse_stranding(self, after: Mapping[str, Thread | None]) -> None:
        """Refuse to put messages where nobody looks, and to leave a thread with none."""
        for move in self._moves:
            target = after.get(move.target) or self._stored_thread(move.target)
            if target is None or target.merged_into:
                self._refuse_undo(
                    f"{move.target} was merged away", self._first_later_entry(move.target)
                )
            source = after.get(move.source, self._stored_thread(move.source))
            kept = source is None or source.merged_into or self._events_then(source.id)
            if source is not None and not kept:
                self._refuse_undo(
                    f"{source.id} would be left empty", self._first_later_entry(source.id)
                )

    def _refuse_leaving_behind(self, edit: ThreadEdit, bridges: Collection[str]) -> None:
        """Refuse to merge a thread away anew that has got messages or bridges since."""
        into = edit.after.merged_into if edit.after else None
        if into is None or (edit.before and edit.before.merged_into):
            return
        linked = (bridge for bridge in self._store.bridges.of(edit.id) if bridge.id not in bridges)
        if self._events_then(edit.id) or any(linked):
            problem = (
                f"cannot undo change {self._entry.seq} ({self._entry.verb}): {edit.id} has got "
                "messages or bridges since, which would stay behind."
            )
            raise RefusedError(problem, Remedy(MergeLink(into, edit.id), "Run {} instead"))

    def _bridge_edit(
        self, back: BridgeEdit, threads: Mapping[str, Thread | None]
    ) -> BridgeEdit | None:
        now = self._bridge_now(back)
        if now == back.after:
            return None
        if now != back.before:
            for later in self._later_entries(back.thread_ids[0]):
                if any(each.id == back.id for each in later.change.bridges):
                    self._refuse_undo(f"bridge {back.id} is another now", later)
        if back.after is not None:
            self._refuse_nowhere(back.after, threads)
        return BridgeEdit(now, back.after)

    def _refuse_nowhere(self, bridge: Bridge, threads: Mapping[str, Thread | None]) -> None:
        for end in (bridge.source, bridge.target):
            thread = threads.get(end) or self._stored_thread(end)
            if thread is None:
                self._refuse_undo(f"thread {end} is no longer there", self._first_later_entry(end))
            if thread.merged_into and not bridge.unwanted:
                self._refuse_undo(
                    f"{end} was merged into {thread.merged_into}", self._first_later_entry(end)
                )

    def _bridge_now(self, back: BridgeEdit) -> Bridge | None:
        known = self._store.bridges.of(back.thread_ids[0], unwanted=True)
        return next((bridge for bridge in known if bridge.id == back.id), None)

    def _focus_edit(self, back: FocusEdit) -> FocusEdit | None:
        known = self._store.foci.all(self._entry.project)
        now = next((each for each in known if each.key == back.key), None)
        if now == back.after:
            return None
        if now != back.before:
            topic = (back.after or back.before or now).topic  # type: ignore[union-attr] # one is there
            self._refuse_undo(f'the focus on "{topic}" is another now', self._who_focused(back.key))
        return FocusEdit(now, back.after)

    def _who_focused(self, key: tuple[str | None, str]) -> JournalEntry | None:
        """Return the latest change of a focus, after this one."""
        before: int | None = None
        while entries := self._store.journal.latest_entries(
            self._entry.project, PAGE_ENTRIES, before
        ):
            for entry in entries:
                if entry.seq <= self._entry.seq:
                    return None
                if entry.undone_by is None and any(e.key == key for e in entry.change.foci):
                    return entry
            before = entries[-1].seq
        return None

    def _stored_thread(self, id_: str) -> Thread | None:
        return self._store.threads.get(id_) if self._store.threads.has(id_) else None

    def _later_entries(self, thread_id: str) -> list[JournalEntry]:
        """Return the changes in force that came after this one and touched a thread."""
        entries = self._store.journal.entries_touching(thread_id, self._entry.seq)
        undone = {entry.seq for entry in entries if entry.undone_by is not None}
        return [
            entry
            for entry in entries
            if entry.seq not in undone and not (entry.undoes and entry.undoes in undone)
        ]

    def _first_later_entry(self, thread_id: str) -> JournalEntry | None:
        return next(iter(self._later_entries(thread_id)), None)

    def _refuse_undo(self, because: str, later: JournalEntry | None) -> NoReturn:
        problem = f"cannot undo change {self._entry.seq} ({self._entry.verb}): {because}."
        if later is None:
            msg = f"{problem} `ais log` shows what came after it."
            raise RefusedError(msg)
        first = f"Undo change {later.seq} ({later.verb}) first: {{}}"
        raise RefusedError(problem, Remedy(UndoLink(later.seq), first))


def _field_names(of: type[Thread]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(of))


def _differs_in(edit: ThreadEdit, name: str) -> bool:
    if edit.before is None or edit.after is None:
        return True
    return bool(getattr(edit.before, name) != getattr(edit.after, name))

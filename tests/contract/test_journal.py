"""What any store must do with its journal, and with what the journal speaks of."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.journal import Actor, BridgeEdit, Change, JournalEntry, Move, ThreadEdit
from ai_smartness.model.thread import Kind, Origin, Rating, SplitLock, Status, Thread
from ai_smartness.ports import ThreadStore
from builders import NOON, a_bridge, a_thread, an_event, stored


def an_entry(change: Change | None = None, *, project: str = "demo") -> JournalEntry:
    return JournalEntry(
        project=project,
        at=NOON,
        who=Actor("agent", "mcp"),
        verb="rename",
        arguments={"thread": "a", "title": "Ünïcode 🙂", "force": False, "weight": 0.1},
        said="Renamed a: “old” is “new” now.",
        change=change or Change((ThreadEdit(a_thread("a"), replace(a_thread("a"), title="new")),)),
    )


def an_undo_of(entry: JournalEntry) -> JournalEntry:
    return replace(entry, seq=0, verb="undo", change=entry.change.inverse, undoes=entry.seq)


def a_full_thread() -> Thread:
    return Thread(
        id="thread_full",
        project="demo",
        title="JWT “refresh”\tin 中文",
        created_at=NOON,
        last_active=NOON + timedelta(microseconds=1),
        kind=Kind.DECISION,
        importance=0.8,
        status=Status.SUSPENDED,
        summary="Ünïcode, 🙂",
        topics=("jwt", "auth"),
        tags=("pinned",),
        weight=0.1 + 0.2,
        activation_count=7,
        origin=Origin.SPLIT,
        parent_id="thread_parent",
        child_ids=("thread_a", "thread_b"),
        split_lock=SplitLock.COMPACTION,
        lock_session="s1",
        title_given=True,
        ratings=(Rating(useful=False, at=NOON, reason="old"), Rating(useful=True, at=NOON)),
        relevance=0.7,
        drift=0.2,
        revision=3,
        files=("src/auth/middleware.py",),
        commit="0a1b2c",
    )


def test_an_entry_comes_back_as_it_was_written(store: ThreadStore) -> None:
    bridge = replace(a_bridge("x", "a", "b"), unwanted=True, weight=1 / 3)
    change = Change(
        (
            ThreadEdit(a_full_thread(), replace(a_full_thread(), lock_session=None)),
            ThreadEdit(None, a_thread("new")),
            ThreadEdit(a_thread("gone"), None),
        ),
        (Move("a", "b", (3, 1, 2)),),
        (BridgeEdit(None, bridge), BridgeEdit(bridge, None), BridgeEdit(bridge, bridge)),
    )
    draft = replace(an_entry(change), session="s1", at=NOON + timedelta(microseconds=7))

    entry = store.journal.write(draft)

    assert entry == replace(draft, seq=entry.seq)
    assert entry.seq > 0
    assert store.journal.get(entry.seq) == entry
    assert store.journal.latest_entries("demo", 1) == [entry]


def test_an_unknown_entry_is_said_to_be_unknown(store: ThreadStore) -> None:
    with pytest.raises(NotFoundError, match="no change 7"):
        store.journal.get(7)


def test_entries_are_numbered_in_one_order_and_listed_by_project(store: ThreadStore) -> None:
    first, second, third = (store.journal.write(an_entry()) for _ in range(3))
    there = store.journal.write(an_entry(project="other"))

    assert first.seq < second.seq < third.seq < there.seq
    assert store.journal.latest_entries("demo", 2) == [third, second]
    assert store.journal.latest_entries("demo", 5, before=third.seq) == [second, first]
    assert store.journal.latest_entries("demo", 5, before=first.seq) == []
    assert store.journal.latest_entries("unknown", 5) == []


def test_entries_are_found_by_every_thread_they_have_to_do_with(store: ThreadStore) -> None:
    edited = store.journal.write(an_entry(Change((ThreadEdit(None, a_thread("a")),))))
    moved = store.journal.write(an_entry(Change(moves=(Move("a", "b", (1,)),))))
    linked = store.journal.write(
        an_entry(Change(bridges=(BridgeEdit(None, a_bridge("x", "c", "b")),)))
    )

    assert store.journal.entries_touching("a") == [moved, edited]
    assert store.journal.entries_touching("b") == [linked, moved]
    assert store.journal.entries_touching("c") == [linked]
    assert store.journal.entries_touching("b", after=moved.seq) == [linked]
    assert store.journal.entries_touching("nobody") == []


def test_the_latest_entry_that_moved_messages_is_known(store: ThreadStore) -> None:
    assert store.journal.last_move_seq("demo") == 0

    moved = store.journal.write(an_entry(Change(moves=(Move("a", "b", (1,)),))))
    store.journal.write(an_entry())
    store.journal.write(an_entry(Change(moves=(Move("x", "y", (2,)),)), project="other"))

    assert store.journal.last_move_seq("demo") == moved.seq
    assert store.journal.last_move_seq("unknown") == 0


def test_an_entry_knows_who_undid_it_until_that_is_undone_too(store: ThreadStore) -> None:
    def undone() -> list[int | None]:
        return [each.undone_by for each in reversed(store.journal.latest_entries("demo", 10))]

    entry = store.journal.write(an_entry())
    undo = store.journal.write(an_undo_of(entry))
    assert undone() == [undo.seq, None]

    redo = store.journal.write(an_undo_of(undo))
    assert undone() == [None, redo.seq, None]

    again = store.journal.write(an_undo_of(entry))
    assert undone() == [again.seq, redo.seq, again.seq, None]
    assert store.journal.get(entry.seq).undone_by == again.seq


def test_an_entry_that_undoes_nothing_there_is_refused(store: ThreadStore) -> None:
    with pytest.raises(StoreError):
        store.journal.write(replace(an_entry(), undoes=99))

    assert store.journal.latest_entries("demo", 1) == []


def test_what_a_unit_gave_up_is_not_in_the_journal(store: ThreadStore) -> None:
    def fail() -> None:
        with store.unit():
            store.journal.write(an_entry(Change(moves=(Move("a", "b", (1,)),))))
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fail()

    assert store.journal.latest_entries("demo", 1) == []
    assert store.journal.entries_touching("a") == []
    assert store.journal.last_move_seq("demo") == 0


def test_an_entry_outlives_the_thread_it_speaks_of(store: ThreadStore) -> None:
    store.threads.save(a_thread("a"))
    entry = store.journal.write(an_entry(Change((ThreadEdit(None, a_thread("a")),))))

    store.threads.remove("a")

    assert store.journal.entries_touching("a") == [entry]


def test_a_thread_is_there_exactly_until_it_is_removed(store: ThreadStore) -> None:
    store.threads.save(a_thread("thread_1"))

    assert store.threads.has("thread_1")
    assert not store.threads.has("thread_")
    store.threads.remove("thread_1")
    assert not store.threads.has("thread_1")
    assert store.threads.all("demo") == []


def test_a_thread_with_messages_or_bridges_cannot_be_removed(store: ThreadStore) -> None:
    stored(store, "hello")
    for name in ("a", "b"):
        store.threads.save(a_thread(name))
    store.bridges.save([replace(a_bridge("x", "a", "b"), unwanted=True)])

    for name in ("thread_1", "a", "b"):
        with pytest.raises(StoreError):
            store.threads.remove(name)

    assert len(store.threads.all("demo")) == 3


def test_a_given_title_and_whose_lock_it_is_are_kept(store: ThreadStore) -> None:
    store.threads.save(a_thread("thread_parent"))

    store.threads.save(a_full_thread())

    assert store.threads.get("thread_full") == a_full_thread()


def test_a_message_is_found_by_any_unique_start_of_its_id(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    store.events.append([an_event(id_, thread) for id_ in ("msg_a", "msg_ab", "msg_b", "%_")])

    assert store.events.get("demo", "msg_b").id == "msg_b"
    assert store.events.get("demo", "msg_a").id == "msg_a"
    assert store.events.get("demo", "%").id == "%_"
    with pytest.raises(RefusedError, match="msg_a, msg_ab, msg_b"):
        store.events.get("demo", "msg_")
    for unknown in ("", "msg_c", "_"):
        with pytest.raises(NotFoundError):
            store.events.get("demo", unknown)
    with pytest.raises(NotFoundError):
        store.events.get("other", "msg_b")


def test_a_bridge_is_found_by_any_unique_start_of_its_id(store: ThreadStore) -> None:
    for name in ("a", "b"):
        store.threads.save(a_thread(name))
    one, longer, other = (a_bridge(id_, "a", "b") for id_ in ("bridge_1", "bridge_12", "bridge_2"))
    store.bridges.save([one, longer, other])

    assert store.bridges.get("bridge_1") == one
    assert store.bridges.get("bridge_12") == longer
    assert store.bridges.get("bridge_2") == other
    with pytest.raises(RefusedError, match="bridge_1, bridge_12, bridge_2"):
        store.bridges.get("bridge")
    for unknown in ("", "bridge_3"):
        with pytest.raises(NotFoundError):
            store.bridges.get(unknown)


def test_an_unwanted_bridge_is_shown_only_to_who_asks(store: ThreadStore) -> None:
    for name in ("a", "b"):
        store.threads.save(a_thread(name))
    wanted, unwanted = a_bridge("x", "a", "b"), replace(a_bridge("y", "b", "a"), unwanted=True)

    store.bridges.save([wanted, unwanted])

    assert store.bridges.of("a") == [wanted]
    assert store.bridges.of("a", unwanted=True) == [wanted, unwanted]
    assert store.bridges.all("demo") == [wanted]
    assert store.bridges.get("y") == unwanted
    store.bridges.save([replace(unwanted, unwanted=False)])
    assert store.bridges.of("b") == [wanted, replace(unwanted, unwanted=False)]


def test_a_project_has_the_bridges_of_its_threads_the_heaviest_first(store: ThreadStore) -> None:
    for name in ("a", "b"):
        store.threads.save(a_thread(name))
    for name in ("c", "d"):
        store.threads.save(a_thread(name, project="other"))
    light, heavy = a_bridge("x", "a", "b", weight=0.2), a_bridge("y", "b", "a", weight=0.9)
    store.bridges.save([light, heavy, a_bridge("z", "c", "d")])

    assert store.bridges.all("demo") == [heavy, light]
    assert store.bridges.all("unknown") == []
    store.bridges.remove(["y", "not there"])
    assert store.bridges.all("demo") == [light]

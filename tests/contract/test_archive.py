"""All that a store keeps is read through in order, and put back under the same numbers."""

from dataclasses import replace

import pytest

from ai_smartness.model.event import EventType
from ai_smartness.model.journal import Actor, Change, JournalEntry, ThreadEdit
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session, SkippedThread
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.transfer import LastSeqs
from builders import NOON, a_thread, an_event, stored


def an_entry(verb: str, *, project: str = "demo", seq: int = 0) -> JournalEntry:
    thread = a_thread(project=project)
    change = Change((ThreadEdit(thread, replace(thread, title=verb)),))
    return JournalEntry(
        project=project, at=NOON, who=Actor(), verb=verb, arguments={}, change=change, seq=seq
    )


def a_turn(number: int) -> LedgerPage:
    return LedgerPage(
        project="demo",
        session="s1",
        epoch=0,
        turn=number,
        at=NOON,
        took_ms=1.5,
        shown=(),
        skipped=(SkippedThread("thread_1", "title", "seen", 0.5),),
    )


def shown_in(number: int) -> LedgerEntry:
    return LedgerEntry(
        session="s1",
        epoch=0,
        turn=number,
        thread_id="thread_1",
        revision=1,
        tokens=10,
        score=0.5,
        why="",
        seqs=(1, 2),
        through=2,
    )


def test_a_new_store_is_empty_and_one_that_was_written_to_is_not(store: ThreadStore) -> None:
    assert store.transfer.is_empty()

    stored(store, "words")

    assert not store.transfer.is_empty()


def test_events_are_read_in_order_with_compactions(store: ThreadStore) -> None:
    first, second = stored(store, "one", "two")
    made = replace(an_event("c1", a_thread()), type=EventType.COMPACTION)
    (compaction,) = store.events.append([made])
    stored(store, "elsewhere", thread=a_thread("thread_2", project="other"))

    assert store.transfer.events_after("demo", 0, 2) == [first, second]
    assert store.transfer.events_after("demo", second.seq, 10) == [compaction]
    assert store.transfer.events_by_id("demo", ["c1", "m0", "none"]) == {
        "c1": compaction,
        "m0": first,
    }
    assert store.transfer.events_by_id("none", ["m0"]) == {}
    assert store.transfer.record_counts(["demo"])["event"] == 3
    assert store.transfer.last_seqs(["demo"]).event == compaction.seq


def test_what_has_a_number_keeps_it_and_what_comes_after_goes_on(store: ThreadStore) -> None:
    store.transfer.reserve_seqs(LastSeqs(event=100, change=50))
    store.threads.save(a_thread())

    (kept,) = store.events.append([replace(an_event("m7", a_thread()), seq=7)])
    (new,) = store.events.append([an_event("m8", a_thread())])
    entry = store.journal.write(an_entry("rename", seq=5))
    later = store.journal.write(an_entry("archive"))

    assert (kept.seq, new.seq) == (7, 101)
    assert (entry.seq, later.seq) == (5, 51)
    assert store.journal.get(5).verb == "rename"


def test_changes_are_read_the_oldest_first(store: ThreadStore) -> None:
    store.threads.save(a_thread())
    entries = [store.journal.write(an_entry(verb)) for verb in ("one", "two", "three")]
    store.journal.write(an_entry("elsewhere", project="other"))

    assert store.transfer.journal_after("demo", 0, 2) == entries[:2]
    assert store.transfer.journal_after("demo", entries[1].seq, 10) == entries[2:]
    assert store.transfer.last_seqs(["demo"]).change == entries[2].seq


def test_the_ledger_is_put_back_as_it_was(store: ThreadStore) -> None:
    turns, shown = [a_turn(1), a_turn(2)], [shown_in(1), shown_in(1), shown_in(2)]

    store.transfer.add_ledger_pages(turns)
    store.transfer.add_ledger_entries("demo", shown)
    store.transfer.set_usage_counts("demo", 70, 30)

    assert store.transfer.ledger_pages("demo") == turns
    assert store.transfer.ledger_entries("demo") == shown
    assert store.ledger.usage_counts("demo") == (70, 30)
    assert store.transfer.record_counts(["demo"])["turn"] == 2
    assert store.transfer.record_counts(["demo", "none"])["shown"] == 3


def test_sessions_what_was_spent_and_what_was_forgotten_are_told(store: ThreadStore) -> None:
    for id_ in ("b", "a"):
        store.threads.save_session(Session(id=id_, project="demo"))
    store.spending.add(NOON.date(), 12)
    store.transfer.add_forgotten_hashes(["ff00", "00ff"])
    store.transfer.add_forgotten_hashes(["ff00"])

    assert store.transfer.session_ids("demo") == ["a", "b"]
    assert store.transfer.spent_tokens() == {"2026-03-02": 12}
    assert store.transfer.forgotten_hashes() == ["00ff", "ff00"]


@pytest.mark.every_engine
def test_a_snapshot_is_of_one_moment_and_nobody_waits_for_it(
    two_stores: tuple[ThreadStore, ThreadStore],
) -> None:
    reads, writes = two_stores
    stored(writes, "before")

    with reads.transfer.snapshot():
        before = reads.transfer.events_after("demo", 0, 10)
        stored(writes, "meanwhile")
        assert reads.transfer.events_after("demo", 0, 10) == before

    assert len(reads.transfer.events_after("demo", 0, 10)) == 2

"""What suggestions ask of a store: counts and ends, each without reading everything."""

from dataclasses import replace
from datetime import timedelta

from ai_smartness.model.bridge import Relation
from ai_smartness.model.session import LedgerEntry, LedgerPage
from ai_smartness.ports import ThreadStore
from builders import NOON, a_bridge, a_thread, an_event, stored


def test_events_are_counted_by_thread(store: ThreadStore) -> None:
    stored(store, "one", "two", "three", thread=a_thread("t1"))
    stored(store, "four", thread=a_thread("t2"))
    store.threads.save(a_thread("empty"))

    assert store.events.counts_by_thread(["t1", "t2", "empty", "nobody"]) == {"t1": 3, "t2": 1}
    assert store.events.counts_by_thread([]) == {}
    assert store.events.counts_by_thread([f"t{n}" for n in range(1_200)]) == {"t1": 3, "t2": 1}


def test_the_latest_events_of_a_thread_come_in_their_order(store: ThreadStore) -> None:
    events = stored(store, "one", "two", "three", thread=a_thread("t1"))

    assert store.events.latest_of_thread("t1", 2) == events[1:]
    assert store.events.latest_of_thread("t1", 9) == events
    assert store.events.latest_of_thread("nobody", 2) == []


def test_each_session_begins_with_its_first_event_and_ends_with_its_last(
    store: ThreadStore,
) -> None:
    thread, other = a_thread("t1"), a_thread("t2", project="other")
    store.threads.save(thread)
    store.threads.save(other)
    sessions = ["b", "a", None, "b", "", "é"]
    events = [an_event(f"m{n}", thread, session=each) for n, each in enumerate(sessions)]
    kept = store.events.append([*events, an_event("x", other, session="elsewhere")])

    ends = {"b": kept[3].seq, "a": kept[1].seq, "": kept[4].seq, "é": kept[5].seq}
    assert store.events.last_seqs_by_session("demo") == ends
    assert store.events.last_seqs_by_session("nobody") == {}
    assert store.events.first_seq_of_session("demo", "b") == kept[0].seq
    assert store.events.first_seq_of_session("demo", "elsewhere") == 0
    assert store.events.first_seq_of_session("nobody", "b") == 0


def test_the_ends_of_sessions_stay_true_while_events_come_and_go(store: ThreadStore) -> None:
    thread = a_thread("t1")
    store.threads.save(thread)
    one, two, three, four = (
        an_event(f"m{number}", thread, session=session)
        for number, session in enumerate(("a", "b", None, "a"))
    )
    (first,) = store.events.append([one])
    at_first = store.events.last_seqs_by_session("demo")

    second, _, last = store.events.append([two, three, four])
    with_later = store.events.last_seqs_by_session("demo")
    with store.erasure.deletion_allowed(), store.unit():
        store.erasure.remove_events([last.seq])

    assert at_first == {"a": first.seq}
    assert with_later == {"a": last.seq, "b": second.seq}
    assert store.events.last_seqs_by_session("demo") == {"a": first.seq, "b": second.seq}


def test_bridges_of_change_are_those_that_are_wanted_the_latest_first(store: ThreadStore) -> None:
    for thread in (a_thread("t1"), a_thread("t2"), a_thread("o1", project="other")):
        store.threads.save(thread)
    changing = [Relation.CONTRADICTS, Relation.UPDATES, Relation.REPLACES]
    bridges = [
        replace(
            a_bridge(f"b{n}", "t1", "t2"), relation=relation, last_used=NOON + timedelta(minutes=n)
        )
        for n, relation in enumerate([*changing, Relation.EXTENDS, Relation.SIBLING])
    ]
    unwanted = replace(bridges[0], id="unwanted", unwanted=True)
    elsewhere = replace(bridges[0], id="elsewhere", source="o1")
    store.bridges.save([*bridges, unwanted, elsewhere])

    assert store.bridges.of_change("demo", 9) == [bridges[2], bridges[1], bridges[0]]
    assert store.bridges.of_change("demo", 1) == [bridges[2]]
    assert store.bridges.of_change("nobody", 9) == []


def test_it_is_told_how_often_a_thread_was_shown_and_was_of_use(store: ThreadStore) -> None:
    shown = {"s1": ["t1", "t2"], "s2": ["t1"], "s3": ["t1"]}
    for turn, (session, threads) in enumerate(shown.items()):
        store.ledger.write(_page("demo", session, turn, *threads))
    store.ledger.write(_page("other", "s1", 1, "t1"))
    store.ledger.mark_used("demo", "s2", 1, ["t1"])

    assert store.ledger.usage_counts_by_thread("demo", ["t1", "t2", "t3"]) == {
        "t1": (3, 1),
        "t2": (1, 0),
    }
    assert store.ledger.usage_counts_by_thread("nobody", ["t1"]) == {}


def _page(project: str, session: str, turn: int, *threads: str) -> LedgerPage:
    entries = tuple(
        LedgerEntry(
            session=session,
            epoch=0,
            turn=turn,
            thread_id=thread,
            revision=1,
            tokens=10,
            score=1.0,
            why="",
        )
        for thread in threads
    )
    return LedgerPage(
        project=project,
        session=session,
        epoch=0,
        turn=turn,
        at=NOON,
        took_ms=1.0,
        shown=entries,
        skipped=(),
    )

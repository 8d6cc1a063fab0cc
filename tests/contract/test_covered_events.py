"""What any `ThreadStore` must do with compactions, and with the events they stand for."""

from dataclasses import replace

import pytest

from ai_smartness.model.errors import StoreError
from ai_smartness.model.event import Event, EventType
from ai_smartness.ports import ThreadStore
from builders import a_thread, an_event, stored


def a_compaction(store: ThreadStore, id_: str = "comp_1", session: str | None = None) -> Event:
    event = an_event(id_, a_thread(), "", session=session)
    (kept,) = store.events.append([replace(event, type=EventType.COMPACTION, role="note")])
    return kept


def test_a_compaction_comes_by_its_number_its_id_and_its_thread_and_by_nothing_else(
    store: ThreadStore,
) -> None:
    said = stored(store, "one", "two")
    made = a_compaction(store, session="s1")
    said += stored(store, "three")
    last = said[-1].seq

    assert store.events.compactions_of("thread_1") == [made]
    assert store.events.by_seq([made.seq]) == {made.seq: made}
    assert store.events.get("demo", "comp_1") == made
    assert store.events.known_ids("demo", ["comp_1"]) == {"comp_1"}
    assert store.events.of_thread("thread_1") == said
    assert store.events.after_seq("demo", 0, 10) == said
    assert store.events.count("demo") == store.events.count_through("demo", last) == 3
    assert [store.events.seq_of_nth("demo", number) for number in (1, 2, 3)] == [
        e.seq for e in said
    ]
    assert store.events.seq_of_nth("demo", 4) == 0
    assert store.events.previous_in_session(said[-1]) == said[1]
    assert store.events.positions_by_seq([last])[last].previous == said[1].seq
    assert store.project_counts()[0].events == 3


def test_what_is_covered_is_not_in_view_and_exactly_that(store: ThreadStore) -> None:
    one, two, three = stored(store, "one", "two", "three")

    store.events.mark_covered("thread_1", [one.seq, two.seq])
    assert store.events.in_view("thread_1") == [three]
    store.events.mark_covered("thread_1", {three.seq})

    assert store.events.in_view("thread_1") == [one, two]
    assert store.events.of_thread("thread_1") == [one, two, three]


def test_of_another_thread_nothing_is_covered(store: ThreadStore) -> None:
    (one,) = stored(store, "one")
    (other,) = stored(store, "other", thread=a_thread("thread_2"))

    store.events.mark_covered("thread_1", [one.seq, other.seq])

    assert store.events.in_view("thread_2") == [other]


def test_what_goes_to_another_thread_is_in_view_there_and_what_stays_is_as_it_was(
    store: ThreadStore,
) -> None:
    one, two, three = stored(store, "one", "two", "three")
    store.threads.save(a_thread("thread_2"))
    store.events.mark_covered("thread_1", [one.seq, two.seq])

    store.events.move([one.seq], "thread_2")
    store.events.move([two.seq], "thread_1")

    assert store.events.in_view("thread_2") == [replace(one, thread_id="thread_2")]
    assert store.events.in_view("thread_1") == [three]


def test_what_is_set_aside_is_the_threads_own(store: ThreadStore) -> None:
    thread = replace(a_thread(), set_aside=(4, 9))

    store.threads.save(thread)

    assert store.threads.get(thread.id) == thread


def test_covering_is_all_or_nothing_with_the_rest_of_a_unit(store: ThreadStore) -> None:
    (one,) = stored(store, "one")

    def fails() -> None:
        with store.unit():
            store.events.mark_covered("thread_1", [one.seq])
            raise StoreError

    with pytest.raises(StoreError):
        fails()

    assert store.events.in_view("thread_1") == [one]

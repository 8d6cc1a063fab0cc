"""What any `Vectors` must do."""

import numpy as np
import pytest

from ai_smartness.model.search import Chunk, SearchScope
from ai_smartness.ports import ThreadStore
from builders import a_thread, a_vector, stored

DEMO = SearchScope(project="demo")


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


def test_the_nearest_vectors_come_first_and_an_event_counts_once(store: ThreadStore) -> None:
    events = stored(store, *["text"] * 30)
    chunks = [Chunk(event.seq, n, a_vector(event.seq * 2 + n)) for event in events for n in (0, 1)]
    store.vector_index.add("demo", "model@1", chunks, through=events[-1].seq)
    store.vector_index.refresh_index("demo", "model@1", quiet)
    wanted = events[7]

    found = store.vector_index.nearest(DEMO, "model@1", a_vector(wanted.seq * 2 + 1), 10).matches

    assert found[0].seq == wanted.seq
    assert found[0].score == pytest.approx(1.0, abs=1e-2)
    assert len({match.seq for match in found}) == len(found) == 10
    assert [match.score for match in found] == sorted((m.score for m in found), reverse=True)


def test_events_asked_for_by_number_are_among_the_nearest_whatever_their_place(
    store: ThreadStore,
) -> None:
    events = stored(store, *["text"] * 30)
    chunks = [Chunk(event.seq, 0, a_vector(event.seq)) for event in events]
    store.vector_index.add("demo", "model@1", chunks, through=events[-1].seq)
    store.vector_index.refresh_index("demo", "model@1", quiet)
    query = a_vector(events[3].seq)
    furthest = min(events, key=lambda event: float(a_vector(event.seq) @ query))

    near = store.vector_index.nearest(DEMO, "model@1", query, 5, also=[furthest.seq])

    assert near.matches[0].seq == events[3].seq
    assert near.matches[-1].seq == furthest.seq
    assert len(near.matches) == 6
    assert near.typical is not None
    assert near.matches[-1].score < near.typical < near.matches[0].score


def test_vectors_added_after_the_index_was_settled_are_found(store: ThreadStore) -> None:
    early = stored(store, *["text"] * 30)
    store.vector_index.add(
        "demo", "model@1", [Chunk(e.seq, 0, a_vector(e.seq)) for e in early], early[-1].seq
    )
    store.vector_index.refresh_index("demo", "model@1", quiet)
    store.vector_index.nearest(DEMO, "model@1", a_vector(0), 5)
    (late,) = stored(store, "later")

    store.vector_index.add("demo", "model@1", [Chunk(late.seq, 0, a_vector(999))], late.seq)

    assert store.vector_index.nearest(DEMO, "model@1", a_vector(999), 5).matches[0].seq == late.seq


def test_vectors_of_another_model_or_project_are_never_compared(store: ThreadStore) -> None:
    (mine,) = stored(store, "a")
    (other,) = stored(store, "b", thread=a_thread("t2", project="other"))
    store.vector_index.add("demo", "old@1", [Chunk(mine.seq, 0, a_vector(1, 8))], mine.seq)
    store.vector_index.add("other", "new@1", [Chunk(other.seq, 0, a_vector(1))], other.seq)

    assert store.vector_index.nearest(DEMO, "new@1", a_vector(1), 5).matches == []
    assert store.vector_index.nearest(DEMO, "unknown@1", a_vector(1), 5).matches == []
    assert store.vector_index.space_counts() == {"new@1": 1, "old@1": 1}


def test_what_has_no_vector_yet_is_known_per_model(store: ThreadStore) -> None:
    events = stored(store, "a", "", "c")

    assert [event.text for event in store.vector_index.lease_events("demo", "m@1", 10)] == [
        "a",
        "c",
    ]
    assert store.vector_index.count_missing("demo", "m@1") == 2

    store.vector_index.add("demo", "m@1", [Chunk(events[0].seq, 0, a_vector(1))], events[0].seq)

    assert [event.text for event in store.vector_index.lease_events("demo", "m@1", 10)] == ["c"]
    assert store.vector_index.count_missing("demo", "m@2") == 2


def test_vectors_added_twice_are_there_once(store: ThreadStore) -> None:
    (event,) = stored(store, "a")

    for _ in range(2):
        store.vector_index.add("demo", "m@1", [Chunk(event.seq, 0, a_vector(1))], event.seq)

    assert store.vector_index.space_counts() == {"m@1": 1}


def test_cleared_vectors_are_gone_and_missing_again(store: ThreadStore) -> None:
    events = stored(store, *["text"] * 30)
    chunks = [Chunk(event.seq, 0, a_vector(event.seq)) for event in events]
    store.vector_index.add("demo", "m@1", chunks, events[-1].seq)
    store.vector_index.refresh_index("demo", "m@1", quiet)
    assert store.vector_index.nearest(DEMO, "m@1", a_vector(1), 5).matches

    store.vector_index.clear("demo", "m@1")

    assert store.vector_index.nearest(DEMO, "m@1", a_vector(1), 5).matches == []
    assert store.vector_index.count_missing("demo", "m@1") == 30


def test_vectors_kept_out_of_turn_are_not_missing_and_the_others_are(store: ThreadStore) -> None:
    events = stored(store, "a", "b", "c")

    store.vector_index.add("demo", "m@1", [Chunk(events[2].seq, 0, a_vector(1))])

    assert [event.text for event in store.vector_index.lease_events("demo", "m@1", 10)] == [
        "a",
        "b",
    ]
    assert store.vector_index.count_missing("demo", "m@1") == 2


def test_the_centre_of_an_events_vectors_is_of_unit_length(store: ThreadStore) -> None:
    first, second = stored(store, "a", "b")
    chunks = [Chunk(first.seq, n, a_vector(n)) for n in range(3)]
    store.vector_index.add("demo", "m@1", chunks, through=second.seq)

    centres = store.vector_index.event_centres("demo", "m@1", [first.seq, second.seq])

    assert list(centres) == [first.seq]
    assert float(np.linalg.norm(centres[first.seq])) == pytest.approx(1.0, abs=1e-3)
    assert store.vector_index.event_centres("unknown", "m@1", [first.seq]) == {}


def test_events_whose_vectors_were_taken_away_meanwhile_are_missing_again(
    store: ThreadStore,
) -> None:
    first, second = stored(store, "a", "b")
    store.vector_index.add("demo", "m@1", [Chunk(first.seq, 0, a_vector(1))], first.seq)

    store.vector_index.clear("demo", "m@1")
    store.vector_index.add("demo", "m@1", [Chunk(second.seq, 0, a_vector(2))], second.seq)

    assert [event.text for event in store.vector_index.lease_events("demo", "m@1", 10)] == ["a"]


def test_vectors_that_are_replaced_are_found_by_the_new_ones_only(store: ThreadStore) -> None:
    one, other = stored(store, "one", "other")
    chunks = [
        Chunk(event.seq, n, a_vector(event.seq + n)) for event in (one, other) for n in (0, 9)
    ]
    store.vector_index.add("demo", "model@1", chunks, through=other.seq)

    store.vector_index.replace("demo", "model@1", [Chunk(one.seq, 0, a_vector(77))])

    (best, _) = store.vector_index.nearest(DEMO, "model@1", a_vector(77), 10).matches
    assert (best.seq, round(best.score, 2)) == (one.seq, 1.0)
    assert store.vector_index.count_missing("demo", "model@1") == 0
    assert store.vector_index.space_counts() == {"model@1": 3}

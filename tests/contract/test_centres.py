"""What any `Vectors` must know of threads: their centre, whatever their messages are just now."""

import numpy as np
import pytest

from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk
from ai_smartness.ports import ThreadStore
from builders import a_thread, a_vector, stored

A, B, SPACE = "thread_a", "thread_b", "model@1"


@pytest.fixture
def events(store: ThreadStore) -> list[Event]:
    """Two threads of three embedded messages each."""
    kept = [
        *stored(store, "one", "two", "three", thread=a_thread(A)),
        *stored(store, "four", "five", "six", thread=a_thread(B)),
    ]
    embed(store, kept)
    return kept


def embed(store: ThreadStore, events: list[Event], space: str = SPACE) -> None:
    chunks = [Chunk(event.seq, 0, a_vector(event.seq)) for event in events]
    store.vector_index.add("demo", space, chunks, through=events[-1].seq)


def is_centre_of(store: ThreadStore, thread: str, events: list[Event]) -> bool:
    """Say whether what the store gives as centre is the mean of the messages, asked twice."""
    mean = np.sum([a_vector(event.seq) for event in events], axis=0)
    wanted = mean / np.linalg.norm(mean)
    first, again = (
        store.vector_index.thread_centres("demo", SPACE, [A, B])[thread] for _ in range(2)
    )
    return bool(np.allclose(first, wanted, atol=2e-3) and np.array_equal(first, again))


def test_the_centre_of_a_thread_is_the_mean_of_its_messages(
    store: ThreadStore, events: list[Event]
) -> None:
    assert is_centre_of(store, A, events[:3])
    assert is_centre_of(store, B, events[3:])


def test_a_message_of_many_chunks_counts_as_one(store: ThreadStore) -> None:
    long, short = stored(store, "long", "short", thread=a_thread(A))
    chunks = [Chunk(long.seq, n, a_vector(long.seq)) for n in range(9)]
    store.vector_index.add("demo", SPACE, [*chunks, Chunk(short.seq, 0, a_vector(short.seq))])

    assert is_centre_of(store, A, [long, short])


def test_a_message_that_is_embedded_later_moves_the_centre(
    store: ThreadStore, events: list[Event]
) -> None:
    assert is_centre_of(store, A, events[:3])
    later = stored(store, "later", thread=a_thread(A))
    assert is_centre_of(store, A, events[:3])

    embed(store, later)

    assert is_centre_of(store, A, [*events[:3], *later])


def test_a_message_that_moves_moves_both_centres_and_back_again(
    store: ThreadStore, events: list[Event]
) -> None:
    assert is_centre_of(store, A, events[:3])

    # One for one, so that neither their number nor the sum of their numbers tells.
    store.events.move([events[2].seq], B)
    store.events.move([events[3].seq], A)

    assert is_centre_of(store, A, [*events[:2], events[3]])
    assert is_centre_of(store, B, [events[2], *events[4:]])
    store.events.move([events[2].seq], A)
    store.events.move([events[3].seq], B)
    assert is_centre_of(store, A, events[:3])
    assert is_centre_of(store, B, events[3:])


def test_what_is_rolled_back_leaves_the_centre_as_it_was(
    store: ThreadStore, events: list[Event]
) -> None:
    def moved_and_interrupted() -> None:
        with store.unit():
            store.events.move([events[2].seq], B)
            assert is_centre_of(store, A, events[:2])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        moved_and_interrupted()

    assert is_centre_of(store, A, events[:3])


def test_without_vectors_there_is_no_centre(store: ThreadStore, events: list[Event]) -> None:
    stored(store, "", thread=a_thread("thread_c"))
    assert store.vector_index.thread_centres("demo", SPACE, [A, "thread_c", "thread_x"]).keys() == {
        A
    }
    assert store.vector_index.thread_centres("demo", "other@1", [A]) == {}
    assert store.vector_index.thread_centres("unknown", SPACE, [A]) == {}

    store.vector_index.clear("demo", SPACE)

    assert store.vector_index.thread_centres("demo", SPACE, [A, B]) == {}
    embed(store, events[:2])
    assert is_centre_of(store, A, events[:2])


def test_each_space_has_its_own_centres(store: ThreadStore, events: list[Event]) -> None:
    assert is_centre_of(store, A, events[:3])

    embed(store, events[:1], "other@1")

    assert is_centre_of(store, A, events[:3])
    (centre,) = store.vector_index.thread_centres("demo", "other@1", [A]).values()
    assert np.allclose(centre, a_vector(events[0].seq), atol=2e-3)


def test_a_thread_that_goes_takes_its_centre_with_it(
    store: ThreadStore, events: list[Event]
) -> None:
    assert is_centre_of(store, B, events[3:])

    store.events.move([event.seq for event in events[3:]], A)
    assert store.vector_index.thread_centres("demo", SPACE, [B]) == {}
    store.threads.remove(B)

    assert store.vector_index.thread_centres("demo", SPACE, [B]) == {}
    assert is_centre_of(store, A, events)


def test_how_many_vectors_there_are_is_counted_right_whatever_centres_went_with_them(
    store: ThreadStore, events: list[Event]
) -> None:
    store.vector_index.thread_centres("demo", SPACE, [A, B])

    embed(store, events)
    embed(store, stored(store, "later", thread=a_thread(A)))

    assert store.vector_index.space_counts() == {SPACE: 7}

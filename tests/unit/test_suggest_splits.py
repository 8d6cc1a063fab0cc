"""Which threads changed their subject."""

from dataclasses import replace

from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock, Status
from ai_smartness.suggest.split_candidates import (
    ThreadMessages,
    can_be_split,
    largest_threads,
    split_candidate,
)
from builders import a_thread, a_vector, an_event

API = (
    "The API design has a resource for each invoice and one for each customer.",
    "Each resource of the API design answers with a version header.",
    "Version the API design by header, and keep the old resource for a year.",
    "The API design names the version in the header of each resource.",
    "Errors of the API design carry a code for each resource.",
)
SCHEMA = (
    "Draw the database schema with a table for orders and one for payments.",
    "The database schema has a foreign key from payments to orders.",
    "Index the orders table of the database schema by date.",
    "Deleted payments stay in the table of the database schema.",
)


def said(*texts: str, vectors: list[int] | None = None) -> ThreadMessages:
    events = [an_event(f"m{n}", a_thread(), text) for n, text in enumerate(texts)]
    seeds = vectors or [int(text in SCHEMA) for text in texts]
    return ThreadMessages(events, [a_vector(seed) for seed in seeds])


def part(*numbers: int) -> SplitPart:
    return SplitPart("Something else", tuple(f"m{n}" for n in numbers))


def test_the_seeds_example_is_said_in_its_words() -> None:
    thread = a_thread("thread_zzz")

    found = split_candidate(thread, said(*API, *SCHEMA), [part(5, 6, 7, 8)], 0.0)

    assert found is not None
    assert found.thread_id == "thread_zzz"
    assert found.reason == "Thread drifted from 'API design' to 'database schema'"
    assert found.topics_to_split == ("database schema",)
    assert found.messages == (("m5", "m6", "m7", "m8"),)


def test_what_came_first_is_what_it_drifted_from() -> None:
    found = split_candidate(a_thread(), said(*SCHEMA, *API), [part(0, 1, 2, 3)], 0.0)

    assert found is not None
    assert found.reason == "Thread drifted from 'database schema' to 'API design'"
    assert found.topics_to_split == ("database schema",)


def test_a_few_messages_are_no_thread_of_their_own() -> None:
    assert split_candidate(a_thread(), said(*API, *SCHEMA), [part(5, 6, 7)], 0.0) is None


def test_a_part_that_is_near_to_what_stays_is_no_other_subject() -> None:
    near = said(*API, *SCHEMA, vectors=[1] * 9)

    assert split_candidate(a_thread(), near, [part(5, 6, 7, 8)], 0.0) is None


def test_without_vectors_nothing_is_said() -> None:
    bare = replace(said(*API, *SCHEMA), vectors=[None] * 9)

    assert split_candidate(a_thread(), bare, [part(5, 6, 7, 8)], 0.0) is None


def test_the_largest_threads_are_read_and_short_ones_are_not() -> None:
    threads = [a_thread(f"t{n}") for n in range(4)]

    found = largest_threads(threads, {"t0": 11, "t1": 12, "t2": 300}, most=2)

    assert [thread.id for thread in found] == ["t2", "t1"]
    assert largest_threads(threads, {"t0": 50, "t1": 60}, most=1) == [threads[1]]


def test_what_is_locked_or_archived_is_left_whole() -> None:
    assert can_be_split(a_thread())
    assert not can_be_split(replace(a_thread(), split_lock=SplitLock.COMPACTION))
    assert not can_be_split(replace(a_thread(), status=Status.ARCHIVED))

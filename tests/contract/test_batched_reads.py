"""What any store answers at once: several reads together, and many keys in one."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from ai_smartness.model.event import EventType
from ai_smartness.model.search import Chunk
from ai_smartness.model.statement import Statement
from ai_smartness.model.status import PendingWork
from ai_smartness.ports import ThreadStore
from builders import a_bridge, a_statement, a_thread, a_vector, an_event, stored

SPACE = "model@1"


def test_reads_that_are_carried_out_together_answer_in_their_order(store: ThreadStore) -> None:
    first, second = stored(store, "first", "second")

    events, count, nothing, threads = store.read_together(
        partial(store.events.by_seq, [second.seq, first.seq]),
        partial(store.events.count, "demo"),
        partial(store.events.count, "nowhere"),
        lambda: store.read_together(partial(store.threads.all, "demo")),
    )

    assert list(events) == [first.seq, second.seq]
    assert (count, nothing) == (2, 0)
    assert [[thread.id for thread in found] for found in threads] == [["thread_1"]]
    assert store.read_together() == []


def test_an_error_of_one_of_the_reads_is_that_of_all(store: ThreadStore) -> None:
    def fail() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        store.read_together(partial(store.events.count, "demo"), fail)

    assert store.events.count("demo") == 0


def test_reads_together_in_a_unit_see_what_it_has_written(store: ThreadStore) -> None:
    with store.unit("demo"):
        stored(store, "first")
        count, events = store.read_together(
            partial(store.events.count, "demo"), partial(store.events.after_seq, "demo", 0, 5)
        )

    assert count == len(events) == 1


def test_two_who_read_the_same_have_an_answer_each(store: ThreadStore) -> None:
    stored(store, "first", "second")
    read = partial(store.events.after_seq, "demo", 0, 5)

    mine, others = store.read_together(read, read)
    mine.clear()

    assert [event.text for event in others] == ["first", "second"]


def test_threads_are_read_by_their_exact_ids(store: ThreadStore) -> None:
    for id_, project in (("thread_1", "demo"), ("thread_12", "demo"), ("thread_2", "other")):
        store.threads.save(a_thread(id_, project=project))

    found = store.threads.by_id(["thread_2", "thread_1", "thread_1", "thread", "thread_3"])

    assert {id_: thread.project for id_, thread in found.items()} == {
        "thread_1": "demo",
        "thread_2": "other",
    }
    assert store.limited_to(["demo"]).threads.by_id(["thread_1", "thread_2"]).keys() == {"thread_1"}
    assert store.threads.by_id([]) == {}


def test_the_bridges_of_several_threads_come_each_once_and_the_heaviest_first(
    store: ThreadStore,
) -> None:
    for id_ in ("thread_a", "thread_b", "thread_c", "thread_d"):
        store.threads.save(a_thread(id_))
    light, heavy = (
        a_bridge("b1", "thread_a", "thread_b", weight=0.2),
        a_bridge("b2", "thread_c", "thread_a", weight=0.9),
    )
    other = a_bridge("b3", "thread_c", "thread_d")
    unwanted = replace(a_bridge("b4", "thread_a", "thread_d"), unwanted=True)
    store.bridges.save([light, heavy, other, unwanted])

    assert store.bridges.of_threads(["thread_a", "thread_b"]) == [heavy, light]
    assert store.bridges.of_threads(["thread_a"]) == store.bridges.of("thread_a")
    assert store.bridges.of_threads([]) == []


def test_pending_work_is_what_was_not_described_embedded_and_judged(store: ThreadStore) -> None:
    first, second, _ = stored(store, "one", "two", "three")
    stored(store, "four", thread=a_thread("t2", project="other"))
    store.annotations.mark_described("demo", second.seq)
    store.vector_index.add("demo", SPACE, [Chunk(first.seq, 0, a_vector(1))], through=first.seq)
    store.statements.save("demo", "a judge", [], first.seq)

    pending = store.pending_work(["demo", "other", "nowhere"], [SPACE], "a judge")

    assert pending == {
        "demo": PendingWork(is_undescribed=True, unembedded=2, unjudged=2),
        "other": PendingWork(is_undescribed=True, unembedded=1, unjudged=1),
        "nowhere": PendingWork(is_undescribed=False, unembedded=0, unjudged=0),
    }
    assert list(pending) == ["demo", "other", "nowhere"]
    assert store.pending_work(["demo"], [], None) == {
        "demo": PendingWork(is_undescribed=True, unembedded=0, unjudged=0)
    }
    store.annotations.mark_described("demo", store.events.last_seq("demo"))
    assert not store.pending_work(["demo"], [], None)["demo"].is_undescribed


def best_cosines(cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    best: NDArray[np.float32] = cosines.max(axis=1)
    return best


@pytest.fixture
def statements(store: ThreadStore) -> list[Statement]:
    """Save a statement for each of ten events, all but the last with a vector."""
    made = [a_statement(event) for event in stored(store, *(f"we use tool {n}" for n in range(10)))]
    store.statements.save("demo", "a judge", made, made[-1].seq)
    rows = np.stack([a_vector(number) for number in range(9)])
    store.statements.save_vectors("demo", SPACE, [one.id for one in made[:9]], rows)
    return made


def test_statements_stand_out_by_the_measure_that_is_given(
    store: ThreadStore, statements: list[Statement]
) -> None:
    queries = np.stack([a_vector(3), a_vector(5)])
    own = [statements[0], statements[9]]

    found = store.statements.standing_out(
        "demo", SPACE, queries, [one.seq for one in own], best_cosines, 2
    )

    assert [statement for statement, _ in found[:2]] == own
    assert {statement.id for statement, _ in found[2:]} == {statements[3].id, statements[5].id}
    closeness = {statement.id: value for statement, value in found}
    assert closeness[statements[3].id] == pytest.approx(1.0, abs=0.01)
    assert closeness[statements[0].id] == pytest.approx(
        float((queries @ a_vector(0)).max()), abs=0.01
    )
    assert closeness[statements[9].id] == 0.0


def test_without_vectors_in_the_space_only_the_events_own_statements_are_returned(
    store: ThreadStore, statements: list[Statement]
) -> None:
    queries, seqs = np.stack([a_vector(3)]), [statements[4].seq]

    found = store.statements.standing_out("demo", "other@1", queries, seqs, best_cosines, 2)

    assert found == [(statements[4], 0.0)]
    assert store.statements.standing_out("nowhere", SPACE, queries, seqs, best_cosines, 2) == []


def test_the_vectors_of_lines_can_leave_out_some_roles(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    answer = replace(
        an_event("m1", thread, "an answer"), role="assistant", type=EventType.AGENT_MESSAGE
    )
    events = store.events.append([an_event("m0", thread, "a question"), answer])
    store.statements.save_line_vectors(SPACE, {event.seq: [a_vector(1)] for event in events})
    seqs = [event.seq for event in events]

    assert store.statements.line_vectors(SPACE, seqs).keys() == set(seqs)
    assert store.statements.line_vectors(
        SPACE, seqs, except_roles=("assistant", "tool")
    ).keys() == {seqs[0]}

"""Lists and overviews of a memory: each page is short, and together they have everything."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness import BridgeDraft, Memory, Message, Relation, Status, ThreadFilter
from ai_smartness.memory import MemoryParts
from ai_smartness.memory.browse import MAX_READ_THREADS
from ai_smartness.model.journal import Actor
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON, a_memory, a_thread
from engines import TEMPORARY, open_store

pytestmark = pytest.mark.every_engine


def filled(threads: int, *, clock: SetClock | None = None) -> tuple[Memory, list[str]]:
    """Return a memory with threads, the latest first."""
    memory = a_memory(clock=clock)
    ids = [memory.create(f"Subject {number}") for number in range(threads)]
    for number, id_ in enumerate(ids):
        at = NOON + timedelta(minutes=number)
        memory.append(id_, Message(text=f"about {number}", session=f"s{number}", at=at))
    return memory, ids[::-1]


def test_pages_together_list_every_thread_once() -> None:
    memory, ids = filled(7)

    first = memory.list_threads(limit=3)
    second = memory.list_threads(limit=3, after=first.next)
    third = memory.list_threads(limit=3, after=second.next)

    pages = (first, second, third)
    assert [thread.id for page in pages for thread in page.threads] == ids
    assert [len(page.threads) for page in pages] == [3, 3, 1]
    assert third.next is None


def test_a_faded_thread_is_listed_as_suspended_and_not_as_active() -> None:
    clock = SetClock(NOON)
    memory, ids = filled(3, clock=clock)
    memory.archive(ids[0])

    clock.advance(days=400)

    assert memory.list_threads(ThreadFilter(status=Status.ACTIVE)).threads == ()
    suspended = memory.list_threads(ThreadFilter(status=Status.SUSPENDED))
    assert [thread.id for thread in suspended.threads] == ids[1:]
    archived = memory.list_threads(ThreadFilter(status=Status.ARCHIVED))
    assert [thread.id for thread in archived.threads] == ids[:1]


def test_a_search_for_a_rare_status_goes_on_where_the_page_before_stopped() -> None:
    store = open_store(TEMPORARY)
    with store.unit():
        for number in range(MAX_READ_THREADS + 500):
            store.threads.save(a_thread(f"t{number}", minute=number))
        store.threads.save(replace(a_thread("away", minute=-1), status=Status.SUSPENDED))
    parts = MemoryParts(store=store, embedder=lambda: None, clock=SetClock(NOON))
    memory = Memory(parts, "demo", Settings())

    chosen = ThreadFilter(status=Status.SUSPENDED)
    first = memory.list_threads(chosen)
    second = memory.list_threads(chosen, after=first.next)

    assert first.threads == ()
    assert [thread.id for thread in second.threads] == ["away"]
    assert second.next is None


def test_the_moments_of_a_thread_are_its_messages_and_its_changes() -> None:
    clock = SetClock(NOON + timedelta(hours=1))
    memory, (id_,) = filled(1, clock=clock)
    clock.advance(hours=1)
    memory.rename(id_, "Another title")

    moments = memory.moments(id_)

    assert moments == [NOON, NOON + timedelta(hours=1), NOON + timedelta(hours=2)]
    assert memory.thread_at(id_, moments[1]).thread.title == "Subject 0"
    assert memory.thread_at(id_, moments[2]).thread.title == "Another title"


def test_earlier_messages_of_a_thread_are_read_page_by_page() -> None:
    memory, (id_,) = filled(1)
    for number in range(5):
        memory.append(id_, Message(text=f"more {number}", session="s0"))

    latest = memory.latest_messages(id_, 4)
    earlier = memory.latest_messages(id_, 4, before=latest[0].seq)

    assert [event.text for event in (*earlier, *latest)] == [
        "about 0",
        *(f"more {number}" for number in range(5)),
    ]
    assert [note.seq for note in memory.notes(id_, earlier)] == [event.seq for event in earlier]
    assert memory.message_counts([id_]) == {id_: 6}


def test_activity_says_when_and_in_which_session_threads_were_worked_on() -> None:
    memory, ids = filled(4)

    counted = memory.activity(ids[1:], NOON, NOON + timedelta(minutes=4), 2)

    assert {(one.thread_id, one.session, one.step, one.messages) for one in counted} == {
        (ids[3], "s0", 0, 1),
        (ids[2], "s1", 0, 1),
        (ids[1], "s2", 1, 1),
    }


def test_the_client_of_a_session_is_the_one_that_used_it() -> None:
    memory, _ = filled(2)
    memory.used_by(Actor("agent", "codex")).inject("about 0?", session="s0")

    assert memory.session_clients(["s0", "s1"]) == {"s0": "codex"}
    assert memory.clients() == ["codex"]
    (thread,) = memory.list_threads(ThreadFilter(client="codex")).threads
    assert thread.title == "Subject 0"


def test_a_neighbourhood_has_its_thread_first_and_stays_small() -> None:
    memory, ids = filled(8)
    for target in ids[1:7]:
        memory.link(BridgeDraft(source=ids[0], target=target, relation=Relation.EXTENDS))
    memory.link(BridgeDraft(source=ids[7], target=ids[1], relation=Relation.DEPENDS))

    near = memory.neighbourhood(ids[0])
    small = memory.neighbourhood(ids[0], most=4)

    assert [near.threads[0].id, near.rings[0]] == [ids[0], 0]
    assert dict(zip((one.id for one in near.threads), near.rings, strict=True))[ids[7]] == 2
    assert len(near.bridges) == 7
    assert len(small.threads) == 4
    assert len(small.bridges) == 3
    assert small.left_out >= 3
    assert memory.neighbourhood(ids[0]) == near

"""What pages ask of a store: lists cut to size, and overviews, each without reading everything."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.model.browse import ThreadActivity, ThreadFilter, ThreadPosition
from ai_smartness.model.event import EventType
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.ports import ThreadStore
from builders import NOON, a_thread, an_event, stored


def page_ids(
    store: ThreadStore,
    chosen: ThreadFilter | None = None,
    limit: int = 10,
    after: Thread | None = None,
) -> list[str]:
    place = ThreadPosition(after.last_active, after.id) if after else None
    page = store.threads.page("demo", chosen or ThreadFilter(), limit, place)
    return [thread.id for thread in page]


def test_threads_come_page_by_page_and_none_twice_even_if_active_at_the_same_time(
    store: ThreadStore,
) -> None:
    for name in ("b", "a", "c", "d"):
        store.threads.save(a_thread(name))
    store.threads.save(a_thread("late", minute=5))
    store.threads.save(a_thread("elsewhere", project="other", minute=9))

    assert page_ids(store, limit=3) == ["late", "a", "b"]
    assert page_ids(store, limit=3, after=a_thread("b")) == ["c", "d"]
    assert page_ids(store, limit=3, after=a_thread("d")) == []
    assert page_ids(store, limit=9) == [thread.id for thread in store.threads.all("demo")]
    assert store.threads.titles("demo") == {"a", "b", "c", "d", "late"}


def test_threads_are_chosen_by_kind_status_and_name(store: ThreadStore) -> None:
    store.threads.save(replace(a_thread("rule"), kind=Kind.CONSTRAINT))
    store.threads.save(replace(a_thread("old"), status=Status.ARCHIVED))
    store.threads.save(replace(a_thread("away"), status=Status.SUSPENDED))
    store.threads.save(a_thread("work"))

    assert page_ids(store, ThreadFilter(kind=Kind.CONSTRAINT)) == ["rule"]
    assert page_ids(store, ThreadFilter(status=Status.ARCHIVED)) == ["old"]
    assert page_ids(store, ThreadFilter(status=Status.ACTIVE)) == ["rule", "work"]
    assert "away" in page_ids(store, ThreadFilter(status=Status.SUSPENDED))
    assert page_ids(store, ThreadFilter(ids=("work", "old", "nobody"))) == ["old", "work"]
    assert page_ids(store, ThreadFilter(ids=())) == []


def test_threads_are_chosen_by_the_time_in_which_they_were_active(store: ThreadStore) -> None:
    long = replace(a_thread("long"), last_active=NOON + timedelta(days=9))
    for thread in (long, a_thread("early"), a_thread("late", minute=60)):
        store.threads.save(thread)
    since, until = NOON + timedelta(minutes=30), NOON + timedelta(minutes=60)

    assert page_ids(store, ThreadFilter(since=since)) == ["long", "late"]
    assert page_ids(store, ThreadFilter(until=until)) == ["long", "early"]
    assert page_ids(store, ThreadFilter(since=since, until=until)) == ["long"]


def test_threads_are_chosen_by_the_client_of_a_session_or_of_a_message(store: ThreadStore) -> None:
    by_session, by_message, other = a_thread("t1"), a_thread("t2"), a_thread("t3")
    for thread in (by_session, by_message, other):
        store.threads.save(thread)
    store.threads.save_session(Session(id="s1", project="demo", client="codex"))
    imported = an_event("m2", by_message, session="old")
    store.events.append(
        [
            an_event("m1", by_session, session="s1"),
            replace(imported, payload={"client": "codex", "model": "x"}),
            replace(an_event("m3", other, session="x"), payload={"client": "codex_"}),
        ]
    )

    assert page_ids(store, ThreadFilter(client="codex")) == ["t1", "t2"]
    assert page_ids(store, ThreadFilter(client='"%')) == []
    assert page_ids(store, ThreadFilter(client="Codex")) == []
    assert page_ids(store, ThreadFilter(client="code_")) == []
    assert store.threads.clients("demo") == ["codex"]
    clients = {"s1": "codex", "old": "codex", "x": "codex_"}
    assert store.threads.session_clients("demo", [*clients, "nobody"]) == clients
    assert store.threads.session_clients("demo", []) == {}
    assert store.threads.clients("nowhere") == []


def test_earlier_messages_of_a_thread_come_page_by_page(store: ThreadStore) -> None:
    events = stored(store, "one", "two", "three", "four", thread=a_thread("t1"))

    assert store.events.latest_of_thread("t1", 2, events[2].seq) == events[:2]
    assert store.events.latest_of_thread("t1", 2, events[0].seq) == []


def test_the_times_of_a_thread_are_those_of_its_messages(store: ThreadStore) -> None:
    thread = a_thread("t1")
    store.threads.save(thread)
    compaction = replace(an_event("c", thread, minute=9), type=EventType.COMPACTION)
    minutes = {"b": 4, "a": 1, "d": 4}
    store.events.append([an_event(name, thread, minute=at) for name, at in minutes.items()])
    store.events.append([compaction])

    assert store.events.times_of_thread("t1") == [
        NOON + timedelta(minutes=1),
        NOON + timedelta(minutes=4),
    ]


def test_a_project_begins_with_its_first_thread(store: ThreadStore) -> None:
    assert store.threads.begun_at("demo") is None

    store.threads.save(a_thread("t1", minute=5))
    store.threads.save(a_thread("t2", minute=3))

    assert store.threads.begun_at("demo") == NOON + timedelta(minutes=3)
    assert store.threads.begun_at("unknown") is None


@pytest.mark.parametrize("ids", [["t1", "t2"], ["t2", "t1", *(f"n{n}" for n in range(1_200))]])
def test_activity_is_counted_by_thread_session_and_step(store: ThreadStore, ids: list[str]) -> None:
    first, second = a_thread("t1"), a_thread("t2")
    store.threads.save(first)
    store.threads.save(second)
    made = [(first, "s1", 0), (first, "s1", 9), (first, None, 10), (first, "s1", -1)]
    made += [(second, "s1", 25), (second, "s2", 30)]
    store.events.append(
        [an_event(f"m{n}", on, session=by, minute=at) for n, (on, by, at) in enumerate(made)]
    )

    counted = store.events.activity(ids, NOON, timedelta(minutes=10), 3)

    assert sorted(counted, key=lambda one: (one.thread_id, one.step)) == [
        ThreadActivity("t1", "s1", 0, 2),
        ThreadActivity("t1", None, 1, 1),
        ThreadActivity("t2", "s1", 2, 1),
    ]

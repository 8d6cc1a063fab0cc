"""What any `ThreadStore` must do with threads, events and units.

A new backend is done when it passes the suites of this folder, unchanged.
"""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.model.annotation import (
    Annotation,
    KindProposal,
    Mention,
    MentionKind,
    RecordedPlacement,
)
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.search import SearchScope
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Kind, Origin, Rating, SplitLock, Status, Thread
from ai_smartness.ports import ThreadStore
from builders import NOON, a_bridge, a_thread, an_event, stored

DEMO = SearchScope(project="demo")


def test_a_thread_comes_back_as_it_was_saved(store: ThreadStore) -> None:
    store.threads.save(a_thread("thread_parent"))
    thread = Thread(
        id="thread_20260302_120000_abcdef",
        project="demo",
        title="JWT refresh in src/auth/middleware.py",
        created_at=NOON,
        last_active=NOON + timedelta(microseconds=1),
        kind=Kind.DECISION,
        importance=0.8,
        status=Status.SUSPENDED,
        summary="Ünïcode, 中文, 🙂",
        topics=("jwt", "auth"),
        tags=("pinned",),
        weight=1.25,
        activation_count=7,
        origin=Origin.SPLIT,
        parent_id="thread_parent",
        child_ids=("thread_a", "thread_b"),
        split_lock=SplitLock.AGENT_RELEASE,
        ratings=(Rating(useful=False, at=NOON, reason="old"), Rating(useful=True, at=NOON)),
        relevance=0.7,
        drift=0.2,
        revision=3,
        files=("src/auth/middleware.py",),
        commit="0a1b2c",
    )

    store.threads.save(thread)

    assert store.threads.get(thread.id) == thread
    assert thread.split_locked
    assert thread.split_locked_until == "agent_release"


def test_saving_a_thread_again_replaces_it_and_keeps_its_events(store: ThreadStore) -> None:
    (event,) = stored(store, "hello")

    store.threads.save(replace(a_thread(), title="renamed"))

    assert store.threads.get("thread_1").title == "renamed"
    assert store.events.of_thread("thread_1") == [event]


def test_a_thread_is_found_by_any_unique_start_of_its_id(store: ThreadStore) -> None:
    store.threads.save(a_thread("thread_2026_aa"))
    store.threads.save(a_thread("thread_2026_ab"))

    assert store.threads.get("thread_2026_aa").id == "thread_2026_aa"
    with pytest.raises(RefusedError, match=r"thread_2026_aa, thread_2026_ab"):
        store.threads.get("thread_2026")
    with pytest.raises(NotFoundError, match="thread_x"):
        store.threads.get("thread_x")
    with pytest.raises(NotFoundError):
        store.threads.get("")


def test_a_thread_is_found_by_the_last_six_characters_of_its_id(store: ThreadStore) -> None:
    whole = "thread_20260302_120000_abcde1"
    store.threads.save(a_thread(whole))
    store.threads.save(a_thread("thread_20260302_120000_abcde2"))

    assert store.threads.get("abcde1").id == whole
    for wrong in ("abcde3", "bcde1", "_abcde", "0_abcde1", "%bcde1"):
        with pytest.raises(NotFoundError):
            store.threads.get(wrong)


def test_an_id_that_starts_another_is_still_found_exactly(store: ThreadStore) -> None:
    store.threads.save(a_thread("thread_1"))
    store.threads.save(a_thread("thread_12"))

    assert store.threads.get("thread_1").id == "thread_1"


def test_threads_are_listed_by_project_the_latest_first(store: ThreadStore) -> None:
    store.threads.save(a_thread("old", minute=1))
    store.threads.save(a_thread("new", minute=2))
    store.threads.save(a_thread("elsewhere", project="other"))

    assert [thread.id for thread in store.threads.all("demo")] == ["new", "old"]
    assert store.threads.all("unknown") == []


def test_events_are_numbered_in_one_order_over_all_projects(store: ThreadStore) -> None:
    here = stored(store, "one", "two")
    there = stored(store, "three", thread=a_thread("t2", project="other"))

    numbers = [event.seq for event in here + there]

    assert numbers == sorted(set(numbers))
    assert [event.text for event in store.events.of_thread("thread_1")] == ["one", "two"]
    assert store.events.by_seq(numbers) == {event.seq: event for event in here + there}
    assert store.events.texts_by_seq(numbers) == {e.seq: e.text for e in here + there}


def test_an_event_comes_back_as_it_was_stored(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    draft = replace(
        an_event("m" * 300, thread, "a\tb\n\u2028 🙂 'quoted' \"twice\" %_"),
        payload={"tool": "Bash", "nested": [1, None, {"é": 0.5}]},
        trust=0.25,
        session=None,
    )

    (event,) = store.events.append([draft])

    assert replace(event, seq=0) == draft
    assert store.events.get("demo", draft.id) == event


def test_the_same_id_is_two_messages_in_two_projects_and_one_in_one(store: ThreadStore) -> None:
    stored(store, "here")
    stored(store, "there", thread=a_thread("t2", project="other"))

    assert store.events.get("demo", "m0").text == "here"
    assert store.events.get("other", "m0").text == "there"
    assert store.events.known_ids("demo", ["m0", "m1"]) == {"m0"}
    assert store.events.known_ids("unknown", ["m0"]) == set()
    with pytest.raises(StoreError):
        store.events.append([an_event("m0", a_thread())])


def test_an_unknown_message_is_said_to_be_unknown(store: ThreadStore) -> None:
    with pytest.raises(NotFoundError, match=r"no message m9 in project demo"):
        store.events.get("demo", "m9")


def test_the_event_before_is_the_one_of_the_same_session(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    sessions = ["a", "b", "a", None, None]
    events = store.events.append(
        [an_event(f"m{n}", thread, session=session) for n, session in enumerate(sessions)]
    )

    before = [store.events.previous_in_session(event) for event in events]

    assert before == [None, None, events[0], None, events[3]]


def test_events_say_where_they_stand(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    sessions = ["a", "b", "a", None]
    events = store.events.append(
        [an_event(f"m{n}", thread, session=session) for n, session in enumerate(sessions)]
    )

    standing = store.events.positions_by_seq(event.seq for event in events)

    assert [standing[event.seq].previous for event in events] == [None, None, events[0].seq, None]
    assert standing[events[1].seq].session == "b"
    assert (standing[events[3].seq].role, standing[events[3].seq].at) == ("user", NOON)
    assert store.events.positions_by_seq([]) == {}


def test_events_are_read_on_from_any_number(store: ThreadStore) -> None:
    events = stored(store, "a", "b", "c")
    stored(store, "x", thread=a_thread("t2", project="other"))

    assert store.events.after_seq("demo", events[0].seq, 1) == [events[1]]
    assert store.events.after_seq("demo", events[0].seq, 10) == events[1:]
    assert store.events.count("demo") == 3


def test_events_are_numbered_within_their_project(store: ThreadStore) -> None:
    stored(store, "x", thread=a_thread("t2", project="other"))
    events = stored(store, "a", "b", "c")

    assert [store.events.seq_of_nth("demo", number) for number in (1, 3, 4)] == [
        events[0].seq,
        events[2].seq,
        0,
    ]


def test_a_project_without_events_has_no_last_one(store: ThreadStore) -> None:
    assert store.events.seq_of_nth("demo", store.events.count("demo")) == 0


def test_an_event_can_be_moved_to_another_thread(store: ThreadStore) -> None:
    first, second = stored(store, "a", "b")
    store.threads.save(a_thread("thread_2"))

    store.events.move([second.seq], "thread_2")

    assert [event.id for event in store.events.of_thread("thread_1")] == [first.id]
    assert [event.text for event in store.events.of_thread("thread_2")] == ["b"]


def test_a_note_comes_back_as_it_was_kept(store: ThreadStore) -> None:
    first, second = stored(store, "a", "b")
    note = Annotation(
        seq=first.seq,
        placed=RecordedPlacement("continues", 1.5, 0.5, (("last", 1.25), ("gap", -0.5)), held=True),
        mentions=(
            Mention(MentionKind.PATH, "src/ä.py", 42, "0a1b"),
            Mention(MentionKind.URL, "http://x"),
        ),
        proposals=(KindProposal(Kind.DECISION, "Drop JWT.", 0.8),),
        commit="c0ffee",
    )

    store.annotations.add([note])
    store.annotations.add([note])

    assert store.annotations.of([first.seq, second.seq]) == {first.seq: note}
    assert store.annotations.mentions([first.seq, second.seq]) == {first.seq: note.mentions}


def test_bridges_are_found_from_both_ends_the_heaviest_first(store: ThreadStore) -> None:
    for name in ("a", "b", "c"):
        store.threads.save(a_thread(name))
    light, heavy = a_bridge("x", "a", "b", weight=0.2), a_bridge("y", "c", "a", weight=0.9)

    store.bridges.save([light, heavy])

    assert store.bridges.of("a") == [heavy, light]
    assert store.bridges.of("b") == [light]
    store.bridges.save([replace(light, weight=1.0)])
    assert [bridge.weight for bridge in store.bridges.of("a")] == [1.0, 0.9]
    store.bridges.remove(["x"])
    assert store.bridges.of("a") == [heavy]


@pytest.mark.parametrize(("source", "target"), [("a", "a"), ("a", "nowhere"), ("nowhere", "a")])
def test_a_bridge_to_itself_or_to_nowhere_is_refused(
    store: ThreadStore, source: str, target: str
) -> None:
    store.threads.save(a_thread("a"))

    with pytest.raises(StoreError):
        store.bridges.save([a_bridge("x", source, target)])


def test_a_session_comes_back_as_it_was_saved(store: ThreadStore) -> None:
    session = Session(
        id="s1", project="demo", client="claude-code", turn=3, epoch=1, beat=847, crossed=0.6
    )

    store.threads.save_session(session)

    assert store.threads.find_session("demo", "s1") == session
    assert store.threads.find_session("other", "s1") is None


def test_a_session_is_found_by_any_unique_start_of_its_id(store: ThreadStore) -> None:
    for id_ in ("ab12-cd", "ab12-cd34", "cafe-1"):
        store.threads.save_session(Session(id=id_, project="demo"))
    store.threads.save_session(Session(id="cafe-2", project="other"))
    thread = a_thread()
    store.threads.save(thread)
    store.events.append([an_event("beef", thread, session="beef-9")])

    assert store.threads.session_id("demo", "cafe") == "cafe-1"
    assert store.threads.session_id("demo", "ab12-cd") == "ab12-cd"
    assert store.threads.session_id("demo", "beef") == "beef-9"
    assert store.threads.session_id("other", "beef") == "beef"
    assert store.threads.session_id(None, "beef") == "beef-9"
    assert store.threads.session_id("nowhere", "cafe") == "cafe"
    with pytest.raises(RefusedError, match="start of several session ids"):
        store.threads.session_id("demo", "ab12")
    with pytest.raises(RefusedError, match="cafe-1, cafe-2"):
        store.threads.session_id(None, "cafe")


def test_messages_and_bridges_are_found_by_their_short_ids(store: ThreadStore) -> None:
    thread, other = a_thread("t1"), a_thread("t2")
    for one in (thread, other):
        store.threads.save(one)
    made = ("msg_9c8ad2e466c99c91", "msg_9c8ad3e466c99c91", "facade01", "msg_facade1111111111")
    store.events.append([an_event(id_, thread) for id_ in made])
    store.bridges.save([a_bridge("bridge_d167b45807c54b0c", "t1", "t2")])

    assert store.events.get("demo", "9c8ad2").id == "msg_9c8ad2e466c99c91"
    assert store.events.get("demo", "facade").id == "facade01"
    assert store.bridges.get("d167b4").id == "bridge_d167b45807c54b0c"
    for unknown in ("9c8ad", "9c8ad4", "e466c9", "%c8ad2"):
        with pytest.raises(NotFoundError):
            store.events.get("demo", unknown)
        with pytest.raises(NotFoundError):
            store.bridges.get(unknown)


def test_projects_are_counted(store: ThreadStore) -> None:
    stored(store, "a", "b")
    stored(store, "c", thread=a_thread("t2", project="other"))

    counts = [(each.project, each.threads, each.events) for each in store.project_counts()]

    assert counts == [("demo", 1, 2), ("other", 1, 1)]


def test_a_store_limited_to_some_projects_finds_no_ids_of_others(store: ThreadStore) -> None:
    for project in ("mine", "theirs"):
        store.threads.save(a_thread(f"thread_{project}", project=project))
    limited = store.limited_to(("mine", "never seen"))

    assert limited.threads.get("thread_m").id == "thread_mine"
    assert limited.threads.get("thread_").id == "thread_mine"
    with pytest.raises(NotFoundError, match="in this project"):
        limited.threads.get("thread_theirs")
    assert not limited.threads.has("thread_theirs")
    assert limited.threads.is_taken("thread_theirs")
    assert store.threads.get("thread_theirs").id == "thread_theirs"

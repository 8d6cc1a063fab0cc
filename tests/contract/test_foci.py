"""What any store must do to keep what is in focus."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import Actor, Change, FocusEdit, JournalEntry
from ai_smartness.ports import ThreadStore
from builders import NOON, a_thread, an_event, stored


def a_focus(topic: str, *, session: str | None = None, minute: float = 0) -> Focus:
    return Focus(topic=topic, weight=0.8, set_at=NOON + timedelta(minutes=minute), session=session)


def in_force(store: ThreadStore, session: str | None = None, minute: float = 0) -> list[Focus]:
    return store.foci.in_force(["demo"], session, NOON + timedelta(minutes=minute))


def test_a_focus_is_read_back_as_it_was_saved_the_first_set_first(store: ThreadStore) -> None:
    later = replace(a_focus("Naïve  bayes", minute=1), until=NOON + timedelta(days=1))
    first = a_focus("keys", session="s1")
    store.foci.save("demo", [later, first])

    assert store.foci.all("demo") == [first, later]


def test_a_topic_is_the_same_whatever_its_case_and_space(store: ThreadStore) -> None:
    store.foci.save("demo", [a_focus("Naïve Bayes")])
    again = replace(a_focus(" NAI\u0308VE   bayes ", minute=1), weight=0.2)
    store.foci.save("demo", [again])

    assert store.foci.all("demo") == [again]

    store.foci.remove("demo", [a_focus("naïve bayes")])

    assert store.foci.all("demo") == []


def test_in_force_is_what_is_lasting_and_the_sessions_own(store: ThreadStore) -> None:
    lasting, mine, other = a_focus("a"), a_focus("a", session="s1"), a_focus("a", session="s2")
    store.foci.save("demo", [lasting, mine, other])

    assert in_force(store, "s1") == [lasting, mine]
    assert in_force(store) == [lasting]
    assert store.foci.all("demo") == [lasting, mine, other]


def test_a_focus_that_has_ended_is_not_in_force(store: ThreadStore) -> None:
    ending = replace(a_focus("a"), until=NOON + timedelta(minutes=5))
    store.foci.save("demo", [ending])

    assert in_force(store, minute=4.9) == [ending]
    assert in_force(store, minute=5) == []
    assert store.foci.all("demo") == [ending]


def test_projects_have_foci_of_their_own_and_several_are_read_at_once(store: ThreadStore) -> None:
    store.foci.save("demo", [a_focus("a")])
    store.foci.save("*", [a_focus("b", minute=1)])
    store.foci.remove("elsewhere", [a_focus("a")])

    assert in_force(store) == [a_focus("a")]
    assert store.foci.in_force(["demo", "*"], None, NOON) == [a_focus("a"), a_focus("b", minute=1)]
    assert store.foci.in_force(["nowhere"], "s1", NOON) == []
    assert store.foci.all("nowhere") == []


def test_what_was_put_in_focus_in_a_unit_that_failed_is_not(store: ThreadStore) -> None:
    def fail() -> None:
        with store.unit():
            store.foci.save("demo", [a_focus("a")])
            store.threads.get("thread_nowhere")

    with pytest.raises(NotFoundError):
        fail()

    assert store.foci.all("demo") == []


def test_the_latest_of_a_thread_are_in_the_order_they_came(store: ThreadStore) -> None:
    thread = a_thread()
    stored(store, "one", "two", "three", thread=thread)
    other = a_thread("thread_2")
    store.threads.save(other)
    store.events.append([an_event("other", other)])

    assert [event.text for event in store.events.latest_of_thread(thread.id, 2)] == ["two", "three"]
    assert [event.text for event in store.events.latest_of_thread(thread.id, 9)] == [
        "one",
        "two",
        "three",
    ]
    assert store.events.latest_of_thread("thread_nowhere", 2) == []


def test_a_change_of_foci_is_read_back_from_the_journal_as_it_was_written(
    store: ThreadStore,
) -> None:
    before = a_focus("Naïve bayes", session="s1")
    after = replace(before, weight=0.1, until=NOON + timedelta(hours=1))
    change = Change(foci=(FocusEdit(before, after), FocusEdit(None, a_focus("keys"))))
    entry = JournalEntry(
        project="demo", at=NOON, who=Actor(), verb="focus", arguments={}, change=change
    )

    written = store.journal.write(entry)

    assert store.journal.get(written.seq).change == change
    assert store.journal.get(written.seq).change.inverse.inverse == change

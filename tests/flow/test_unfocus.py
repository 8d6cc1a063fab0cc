"""What is in focus is taken out of it again: said so, undone, read from an older journal."""

import json
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.thread import Status
from ai_smartness.testing import SetClock
from asking import a_told_memory, thread_of
from builders import NOON, a_memory

CLEARED = "All focus cleared. Returning to similarity-based injection."


def topics(memory: Memory, session: str | None = None) -> list[str]:
    return [each.topic for each in memory.foci(session)]


def test_one_topic_is_cleared_and_the_others_stay() -> None:
    memory = a_told_memory()
    for topic in ("keys", "logo"):
        memory.focus(topic)

    assert memory.unfocus(" KEYS ").said == 'Focus on "keys" cleared.'
    assert topics(memory) == ["logo"]


def test_a_topic_that_is_not_in_focus_names_those_that_are() -> None:
    memory = a_told_memory()
    with pytest.raises(NotFoundError, match=r'no focus on "sky"\. Nothing is in focus'):
        memory.unfocus("sky")
    memory.focus("keys")
    memory.focus("logo")

    with pytest.raises(NotFoundError, match=r'no focus on "sky"\. In focus: "keys", "logo"'):
        memory.unfocus("sky")


def test_nothing_to_clear_is_no_error() -> None:
    outcome = a_told_memory().unfocus()

    assert outcome.said == "No focus was set, so there is none to clear."
    assert outcome.number is None


def test_a_session_clears_its_own_and_what_is_lasting_and_nobody_clears_all() -> None:
    memory = a_told_memory()
    for session in (None, "s1", "s2"):
        memory.focus("keys", session=session)

    assert memory.unfocus(session="s1").said == CLEARED
    assert [each.session for each in memory.foci("s2")] == ["s2"]
    assert memory.unfocus("keys").said == 'Focus on "keys" cleared.'
    assert memory.foci("s2") == []


def test_focus_and_unfocus_can_be_undone_and_brought_back() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)
    memory.focus("keys", 0.5, session="s1", until=clock() + timedelta(days=1))
    memory.focus("logo")
    before = memory.foci("s1")
    clock.advance(minutes=1)

    memory.unfocus()
    memory.undo()
    assert memory.foci("s1") == before
    memory.focus("keys", 0.9, session="s1")
    assert memory.undo().said.startswith("Undid change 5: Focus set on")
    assert memory.foci("s1") == before
    memory.undo()
    assert topics(memory, "s1") == ["keys"]
    memory.undo()
    assert memory.foci("s1") == []
    assert [entry.verb for entry in memory.log()][::-1][:3] == ["focus", "focus", "unfocus"]


def test_a_focus_that_was_set_anew_is_not_undone_behind_somebodys_back() -> None:
    memory = a_told_memory()
    first = memory.focus("keys", 0.5)
    memory.focus("logo")
    second = memory.focus("keys", 0.9)

    with pytest.raises(RefusedError, match=r'focus on "keys" is another now\. Undo change 3'):
        memory.undo(first.number)

    memory.undo(second.number)
    memory.undo(first.number)
    assert topics(memory) == ["logo"]


def test_it_is_kept_in_the_file(tmp_path: Path) -> None:
    with a_told_memory(tmp_path / "memory.db") as memory:
        memory.focus("keys", 0.25, session="s1")
        kept = memory.foci("s1")

    with a_memory(tmp_path / "memory.db") as again:
        assert again.foci("s1") == kept
        assert again.log()[0].change.foci[0].after == kept[0]


def test_a_journal_from_before_there_was_a_focus_is_read_and_undone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_told_memory(path) as memory:
        logo = thread_of(memory, "logo")
        memory.archive(logo)
    with sqlite3.connect(path) as file:
        file.execute("DROP TRIGGER journal_never_changes")
        (change,) = file.execute("SELECT change FROM journal").fetchone()
        old = json.loads(change)
        del old["foci"]
        for thread in old["threads"][0]:
            del thread["topics_given"]
        file.execute("UPDATE journal SET change = ?", (json.dumps(old),))

    with a_memory(path) as memory:
        assert memory.log()[0].change.foci == ()
        memory.undo()
        assert memory.thread(logo).status is Status.ACTIVE

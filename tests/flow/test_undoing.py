"""The journal, undo and the past, through `Memory` on a real store."""

from datetime import timedelta

import pytest

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Actor
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Kind, Status
from ai_smartness.testing import SetClock
from builders import NOON, a_bridge, said
from two_threads import JWT, LOGO, dump, linked, refused, texts, two_threads

pytestmark = pytest.mark.every_engine


def test_every_verb_writes_one_entry_that_says_who_did_what_when() -> None:
    clock = SetClock(NOON)
    memory = two_threads(clock)
    agent = memory.used_by(Actor("agent", "claude-code"))

    agent.merge("thread_jwt", "thread_logo")
    clock.advance(minutes=1)
    memory.confirm("thread_jwt", Kind.DECISION)

    kind, merge = memory.log()
    assert (merge.who, merge.verb, merge.at) == (Actor("agent", "claude-code"), "merge", NOON)
    assert merge.arguments == {
        "survivor": "thread_jwt",
        "absorbed": "thread_logo",
        "force": False,
    }
    assert "2 messages moved" in merge.said
    assert (kind.verb, str(kind.who)) == ("kind", "user (python)")
    assert [entry.seq for entry in memory.log("thread_logo")] == [merge.seq]


def test_undo_restores_exactly_and_can_be_undone() -> None:
    memory = two_threads()
    linked(memory, a_bridge("out", "thread_logo", "thread_other"))
    first = dump(memory)
    memory.merge("thread_jwt", "thread_logo")
    merged = dump(memory)
    memory.split("thread_jwt", [SplitPart("Vault", ("j2",))])
    split = dump(memory)

    undone = memory.undo()
    assert dump(memory) == merged
    memory.undo(undone.number)
    assert dump(memory) == split
    memory.undo()
    memory.undo()
    assert dump(memory) == first
    with pytest.raises(NotFoundError, match="nothing to undo"):
        memory.undo()


def test_an_undo_that_later_work_stands_in_the_way_of_is_refused_with_its_name() -> None:
    memory = two_threads()
    merged = memory.merge("thread_jwt", "thread_logo").number
    split = memory.split("thread_jwt", [SplitPart("Logo", ("l1", "l2"))])
    child = split.threads[1].id
    renamed = memory.rename(child, "Brand").number

    by_split, by_rename = refused(
        memory,
        lambda: memory.undo(merged),
        lambda: memory.undo(split.number),
    )

    assert f"`ais undo {split.number}`" in by_split
    assert f"`ais undo {renamed}`" in by_rename
    memory.undo(renamed)
    memory.append(child, said("the logo is blue now", minute=50, id_="l3"))
    (by_message,) = refused(memory, lambda: memory.undo(split.number))
    assert "l3" in by_message
    assert "ais threads move" in by_message


def test_what_is_undone_already_says_how_to_bring_it_back() -> None:
    memory = two_threads()
    number = memory.archive("thread_jwt").number
    undone = memory.undo().number

    (message,) = refused(memory, lambda: memory.undo(number))

    assert f"ais undo {undone}" in message


def test_an_undo_keeps_what_was_said_since() -> None:
    memory = two_threads()
    memory.merge("thread_jwt", "thread_logo")
    memory.append("thread_jwt", said("JWT keys expire", minute=60, id_="j4"))

    memory.undo()

    assert texts(memory, "thread_jwt") == [*JWT, "JWT keys expire"]
    assert texts(memory, "thread_logo") == list(LOGO)
    assert "logo" not in memory.thread("thread_jwt").summary
    assert memory.thread("thread_logo").status is Status.ACTIVE


def test_a_change_of_another_project_is_undone_from_there() -> None:
    memory = two_threads()
    number = memory.archive("thread_jwt").number

    with pytest.raises(NotFoundError, match=f"no change {number} in this project"):
        memory.seen_from("elsewhere").undo(number)
    assert memory.undo(number).number == 2


def test_a_change_of_all_projects_is_undone_from_there() -> None:
    memory = two_threads()
    number = memory.seen_from("*").pin("Tabs, not spaces.").number

    with pytest.raises(RefusedError, match=r"--project '\*' undo"):
        memory.undo(number)


def test_a_thread_is_shown_as_it_was() -> None:
    clock = SetClock(NOON + timedelta(hours=1))
    memory = two_threads(clock)
    clock.advance(hours=1)
    memory.rename("thread_jwt", "Keys")
    memory.merge("thread_jwt", "thread_logo")
    early, before, after = (NOON + timedelta(minutes=m) for m in (11, 90, 125))

    young = memory.thread_at("thread_jwt", early)
    then = memory.thread_at("thread_jwt", before)
    absorbed = memory.thread_at("thread_logo", before)
    now = memory.thread_at("thread_jwt", after)

    assert [event.text for event in young.events] == [JWT[0]]
    assert young.thread.last_active == early
    assert [event.text for event in then.events] == list(JWT)
    assert then.thread.title != "Keys"
    assert [event.text for event in absorbed.events] == list(LOGO)
    assert absorbed.thread.status is Status.ACTIVE
    assert len(now.events) == 5
    with pytest.raises(NotFoundError, match="Name a later time"):
        memory.thread_at("thread_jwt", NOON)


def test_no_message_goes_back_to_a_thread_that_was_merged_away_since() -> None:
    memory = two_threads()
    moved = memory.move("l2", "thread_jwt").number
    merged = memory.merge("thread_other", "thread_logo").number

    (message,) = refused(memory, lambda: memory.undo(moved))

    assert f"`ais undo {merged}`" in message


def test_no_undo_leaves_a_thread_empty() -> None:
    memory = two_threads()
    moved = memory.move("l2", "thread_other").number
    away = memory.move("o1", "thread_jwt").number

    (message,) = refused(memory, lambda: memory.undo(moved))

    assert "left empty" in message
    assert f"`ais undo {away}`" in message


def test_a_read_between_a_change_and_its_undo_is_passed_over() -> None:
    clock = SetClock(NOON)
    memory = two_threads(clock)
    memory.rename("thread_jwt", "Keys of tokens")
    clock.advance(days=200)
    reads = memory.recall("where do the JWT keys live in vault")
    assert [thread.thread.id for thread in reads.threads if thread.reactivated] == ["thread_jwt"]

    undone = memory.undo()

    assert undone.said.startswith("Undid change 1: Renamed thread_jwt")
    assert memory.thread("thread_jwt").title != "Keys of tokens"
    assert memory.thread("thread_jwt").status is Status.ACTIVE


def test_reads_are_in_the_log_only_on_request() -> None:
    clock = SetClock(NOON)
    memory = two_threads(clock)
    memory.rename("thread_jwt", "Keys of tokens")
    clock.advance(days=200)
    memory.recall("where do the JWT keys live in vault")

    assert [entry.verb for entry in memory.log()] == ["rename"]
    assert [entry.verb for entry in memory.log("thread_jwt")] == ["rename"]
    assert [entry.verb for entry in memory.log(with_reads=True)] == ["recall", "rename"]
    assert [entry.verb for entry in memory.log("thread_jwt", with_reads=True)] == [
        "recall",
        "rename",
    ]


def test_a_read_stands_in_the_way_of_no_undo() -> None:
    clock = SetClock(NOON)
    memory = two_threads(clock)
    before = texts(memory, "thread_logo")
    merged = memory.merge("thread_jwt", "thread_logo").number
    clock.advance(days=200)
    memory.recall("where do the JWT keys live in vault")

    memory.undo(merged)

    assert texts(memory, "thread_logo") == before
    assert memory.thread("thread_jwt").status is Status.ACTIVE

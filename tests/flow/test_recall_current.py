"""What was superseded is shown only below what holds now."""

import re
from datetime import timedelta

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.bridge import Relation
from ai_smartness.statements.judge import SentenceJudge
from ai_smartness.testing import SetClock
from builders import NOON, a_memory, a_statement, said

pytestmark = pytest.mark.every_engine

QUESTION = "where do the sessions of users live?"
OLD = "the sessions of users live in Redis"
NEW = "move the sessions to Postgres, no more Redis"
OTHER = "finance closes the books on Friday"


def a_memory_that_changed(new: str = NEW, *, stated: str = "") -> Memory:
    """Keep an old decision and, three days later, the one that superseded it.

    The newer statement is the whole message unless `stated` is the part of it.
    """
    clock = SetClock(NOON)
    memory = a_memory(clock=clock, embedder=lambda: None)
    memory.capture(said(OLD, id_="old", session="a"))
    memory.capture(said(f"entry {n} of a list", session="list") for n in range(20))
    clock.advance(days=3)
    memory.capture(said(new, id_="new", session="b", minute=3 * 24 * 60))
    store = memory._store  # noqa: SLF001 - as if it had been found
    events = [store.events.get("demo", id_) for id_ in ("old", "new")]
    older, newer = a_statement(events[0]), a_statement(events[1], stated or new)
    store.statements.clear("demo")
    store.statements.save("demo", SentenceJudge(None).name, [older, newer], events[-1].seq)
    since = NOON + timedelta(days=3)
    store.statements.supersede("demo", [(older.id, newer.id, Relation.REPLACES, since)])
    return memory


def quoted(memory: Memory) -> list[str]:
    text = memory.recall(QUESTION).text
    lines = (re.sub(r" \([0-9a-f]{6}\)$", "", line) for line in text.splitlines())
    return [line for line in lines if "- " in line[:4]]


def test_a_superseded_line_stands_below_the_one_that_holds_with_its_last_day() -> None:
    shown = quoted(a_memory_that_changed())

    assert shown[0] == f"- 5 Mar, user: {NEW}"
    assert shown[1] == f"  - until 5 Mar, user: {OLD}"
    assert sum(OLD in line for line in shown) == 1


def test_what_holds_is_fetched_even_if_the_search_did_not_find_it() -> None:
    shown = quoted(a_memory_that_changed("users get theirs kept in Postgres from now on"))

    assert shown[0] == "- 5 Mar, user: users get theirs kept in Postgres from now on"
    assert shown[1] == f"  - until 5 Mar, user: {OLD}"


def test_what_holds_is_told_with_the_sentences_around_it() -> None:
    change = "The cluster closes in May, they told us. Users get a row each. Postgres keeps it."
    memory = a_memory_that_changed(change, stated="Users get a row each.")

    first, *others = memory.recall(QUESTION).lines

    assert first.text == change
    assert not any(line.text in change for line in others)


def test_a_person_is_quoted_with_the_sentence_that_has_the_value() -> None:
    told = "The sessions of users were discussed with the operators again this morning. "
    value = "Up to ten at once is what they can live with, until somebody buys another machine."
    memory = a_memory()
    memory.capture([said(told + value, id_="told"), said(OTHER, id_="other")])

    (line,) = [line for line in memory.recall(QUESTION).lines if line.message_id == "told"]

    assert line.text == told + value


def test_what_no_longer_holds_is_not_told_as_part_of_its_message() -> None:
    rule = "Never log the sessions of users, whatever the reason for it may be, not even in tests."
    stale = f"For the moment {OLD}, which the operators have set up for us on the old cluster."
    memory = a_memory_that_changed()
    memory.capture(said(f"{rule} {stale}", id_="both", session="a"))
    store = memory._store  # noqa: SLF001 - as if they had been found
    event = store.events.get("demo", "both")
    (newer,) = (one for one in store.statements.all("demo") if one.text == NEW)
    older = a_statement(event, stale)
    store.statements.save("demo", SentenceJudge(None).name, [older], event.seq)
    store.statements.supersede("demo", [(older.id, newer.id, Relation.REPLACES, newer.at)])

    assert f"- 2 Mar, user: {rule}" in quoted(memory)


def test_a_long_message_that_changes_something_is_not_told_whole() -> None:
    long = "This is how the migration went on the second day, with all its steps in order. "
    change = f"{long * 3}Users get a row each. {long * 3}"
    memory = a_memory_that_changed(change, stated="Users get a row each.")

    first = memory.recall(QUESTION).lines[0]

    assert "Users get a row each." in first.text
    assert len(first.text) < len(long) * 4


def test_what_was_said_in_the_same_breath_and_still_holds_is_not_called_outdated() -> None:
    rule = "Never log their ids."
    memory = a_memory_that_changed()
    memory.capture(said(f"{OLD}. {rule}", id_="both", session="a"))
    store = memory._store  # noqa: SLF001 - as if they had been found
    event = store.events.get("demo", "both")
    (newer,) = (one for one in store.statements.all("demo") if one.text == NEW)
    stale, holding = (a_statement(event, text) for text in (f"{OLD}.", rule))
    store.statements.save("demo", SentenceJudge(None).name, [stale, holding], event.seq)
    store.statements.supersede("demo", [(stale.id, newer.id, Relation.REPLACES, newer.at)])

    shown = quoted(memory)

    assert f"- 2 Mar, user: {rule}" in shown
    assert not any(rule in line for line in shown if "until" in line)


def test_a_doubtful_supersession_shows_both_and_calls_neither_outdated() -> None:
    shown = quoted(a_memory_that_changed(OTHER))

    assert shown[0] == f"- 5 Mar, user: {OTHER}"
    assert shown[1] == f"  - before, on 2 Mar, user: {OLD}"


def test_a_rejected_change_leaves_the_old_line_as_it_was() -> None:
    memory = a_memory_that_changed()
    (newer,) = [one for one in memory._store.statements.all("demo") if one.text == NEW]  # noqa: SLF001 - its id
    memory.reject_statement(newer.id)

    assert f"- 2 Mar, user: {OLD}" in quoted(memory)


def test_a_doubt_about_one_sentence_leaves_the_other_of_its_line_in_force() -> None:
    rule = "Never log the session of a user."
    memory = a_memory(embedder=lambda: None)
    memory.capture(said(f"{OLD}. {rule}", id_="old", session="a"))
    memory.capture(said(f"entry {n} of a list", session="list") for n in range(20))
    memory.capture(said(NEW, id_="new", session="b", minute=3 * 24 * 60))
    store = memory._store  # noqa: SLF001 - as if it had been found
    old, new = (store.events.get("demo", id_) for id_ in ("old", "new"))
    stated = [a_statement(old, f"{OLD}."), a_statement(old, rule), a_statement(new, NEW)]
    store.statements.clear("demo")
    store.statements.save("demo", SentenceJudge(None).name, stated, new.seq)
    store.statements.save_doubts("demo", [(stated[0].id, stated[2].id, 0.3)])

    shown = quoted(memory)

    assert any(line.startswith("  - ") and OLD in line for line in shown)
    assert [line for line in shown if rule in line] == [f"- 2 Mar, user: {rule}"]

"""The brief of a memory that has statements, however a session begins."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.bridge import Relation
from ai_smartness.model.event import Message
from ai_smartness.model.statement import Speaker, Statement, StatementKind, statement_id
from ai_smartness.model.thread import Origin, Status
from ai_smartness.ports import Embedder
from ai_smartness.settings.schema import InjectSettings, Settings
from ai_smartness.testing import SetClock
from ai_smartness.text.token_count import estimate_tokens
from asking import KEYS, QUESTION, a_told_memory, saved
from builders import NOON, a_memory, said

RULE = "Never log the signing keys."
CHANGE = "cars are 38 from today, diesel again"
SHORT_BRIEF = Settings(inject=InjectSettings(brief_tokens=150))  # room for a statement or two


def a_silent_memory(*, clock: SetClock | None = None, settings: Settings | None = None) -> Memory:
    """Make a memory that has only the statements it is given."""
    return a_told_memory(clock=clock, settings=settings, finds_statements=False)


def stated(memory: Memory, message_id: str, text: str, **fields: object) -> Statement:
    """Save a statement of a captured message, as if it had been found."""
    event = memory.message(message_id)
    statement = Statement(
        id=statement_id(memory.project, event.id, text),
        project=memory.project,
        seq=event.seq,
        thread_id=event.thread_id,
        session=str(event.session),
        speaker=Speaker.USER,
        at=event.at,
        kind=StatementKind.RULE,
        text=text,
    )
    statement = replace(statement, **fields)  # type: ignore[arg-type] # by name
    statements = memory._store.statements  # noqa: SLF001 - as if it had come about
    statements.save(memory.project, "test", [statement], event.seq)
    return statement


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_what_holds_is_said_however_a_session_begins(source: str) -> None:
    memory = a_silent_memory()
    rule = stated(memory, "keys", RULE)

    text = memory.greeting("new", source)

    assert f"\nRules:\n- 2 Mar: {RULE} [{rule.short_id}]\n" in text


def test_after_a_compaction_the_handoff_comes_beside_the_budget() -> None:
    settings = Settings(inject=InjectSettings(brief_tokens=100))
    memory = a_silent_memory(settings=settings)
    rule = stated(memory, "keys", RULE)
    memory.capture(said("make the export stream\n" * 40, id_="u1", session="mine", minute=20))
    memory.context_compacted("mine")

    text = memory.greeting("mine", "compact")

    assert f"- 2 Mar: {RULE} [{rule.short_id}]\n" in text
    assert "Where this session stood:" in text
    assert estimate_tokens(text) > 100


def test_a_brief_keeps_to_its_setting() -> None:
    memory = a_silent_memory(settings=Settings(inject=InjectSettings(brief_tokens=200)))
    for number in range(40):
        stated(memory, "keys", f"Rule {number}: never touch file {number}.")

    text = memory.greeting("new", "startup")

    assert 180 < estimate_tokens(text) <= 200


def test_a_message_whose_statement_was_told_is_not_repeated_before_a_prompt() -> None:
    memory = a_silent_memory()
    stated(memory, "keys", KEYS, kind=StatementKind.ENVIRONMENT)

    told = memory.greeting("new", "startup")

    assert KEYS in told
    assert memory.inject(QUESTION, session="new").text == ""
    assert KEYS in memory.inject(QUESTION, session="untold").text


def test_a_long_message_of_which_one_sentence_was_told_may_still_be_shown() -> None:
    memory = a_silent_memory(settings=SHORT_BRIEF)
    memory.capture(said(f"{RULE} {KEYS} " + "and so on " * 20, id_="long", minute=5))
    memory.capture(said("the printer is out of paper", id_="last", session="last", minute=6))
    stated(memory, "long", RULE)

    memory.greeting("new", "startup")

    assert "and so on" in memory.inject(QUESTION, session="new").text


def test_of_a_message_of_two_sentences_only_the_one_that_was_told_is_withheld() -> None:
    memory = a_silent_memory(settings=SHORT_BRIEF)
    told = "Never restart the payment gateway while the nightly settlement is running, please."
    untold = (
        "The payment gateway listens on port 8443 behind the proxy, which the network team set up "
        "in the spring."
    )
    memory.capture(said(f"{told} {untold}", id_="both", session="both", minute=5))
    memory.capture(said("the printer is out of paper", id_="last", session="last", minute=6))
    stated(memory, "both", told)

    memory.greeting("new", "startup")

    text = memory.inject("on which port does the payment gateway listen?", session="new").text
    assert untold in text
    assert told not in text


def test_a_short_message_is_told_whole_and_then_in_sight_whole() -> None:
    memory = a_silent_memory(settings=SHORT_BRIEF)
    reason, choice = "The old font has no thin space in the bold.", "Take Literata everywhere."
    memory.capture(said(f"{reason} {choice}", id_="font", session="font", minute=5))
    memory.capture(said("the printer is out of paper", id_="last", session="last", minute=6))
    stated(memory, "font", reason)

    brief = memory.greeting("new", "startup")

    assert f"{reason} {choice}" in brief
    assert choice not in memory.inject("which font do we take everywhere?", session="new").text


def test_what_else_a_message_states_is_not_told_with_a_statement_of_it() -> None:
    clock = SetClock(NOON)
    memory = a_silent_memory(clock=clock)
    text = "Tickets are valid for two hours. Write commit messages in German."
    memory.capture(Message(id="both", text=text, at=clock(), session="early"))
    memory.capture(Message(id="moved", text="three hours from now on", at=clock(), session="late"))
    old = stated(memory, "both", "Tickets are valid for two hours.")
    stated(memory, "both", "Write commit messages in German.")
    new = stated(memory, "moved", "three hours from now on")
    statements = memory._store.statements  # noqa: SLF001 - as if it had come about
    statements.supersede(memory.project, [(old.id, new.id, Relation.REPLACES, new.at)])
    clock.advance(days=30)

    brief = memory.greeting("new", "startup")

    assert "Write commit messages in German." in brief
    assert "Tickets are valid" not in brief


def test_a_change_is_told_with_what_held_before_and_never_without_what_holds_now() -> None:
    clock = SetClock(NOON)
    memory = a_silent_memory(clock=clock)
    memory.capture(Message(id="moved", text="keys live in the HSM now", at=clock(), session="late"))
    old = stated(memory, "keys", "Keys live in vault.")
    new = stated(memory, "moved", "Keys live in the HSM now.")
    statements = memory._store.statements  # noqa: SLF001 - as if it had come about
    statements.supersede(memory.project, [(old.id, new.id, Relation.REPLACES, new.at)])

    soon = memory.greeting("new", "startup")
    clock.advance(days=30)
    later = memory.greeting("later", "startup")

    line = f"- 5 Mar: Keys live in the HSM now. (until 5 Mar: Keys live in vault.) [{new.short_id}]"
    assert line in soon
    assert old.short_id not in soon
    assert f"- 5 Mar: Keys live in the HSM now. [{new.short_id}]" in later


def test_the_statement_of_a_pin_that_was_taken_back_is_gone() -> None:
    memory = a_silent_memory()
    stated(memory, "keys", RULE)
    saved(memory, "keys", origin=Origin.PIN, status=Status.ARCHIVED)

    assert RULE not in memory.greeting("new", "startup")


def test_a_pinned_message_is_not_said_twice() -> None:
    memory = a_silent_memory()
    stated(memory, "keys", KEYS)
    saved(memory, "keys", origin=Origin.PIN)

    text = memory.greeting("new", "startup")

    assert text.count(KEYS) == 1
    assert "Always kept in mind:\n" in text


def test_a_change_of_the_statements_is_seen_at_once() -> None:
    memory = a_silent_memory()
    before = memory.greeting("one", "startup")
    stated(memory, "keys", RULE)

    assert RULE not in before
    assert RULE in memory.greeting("two", "startup")


def test_the_parts_of_a_brief_count_as_shown_to_nobody() -> None:
    clock = SetClock(NOON)
    memory = a_silent_memory(clock=clock)
    stated(memory, "keys", RULE)

    brief = memory.brief()

    assert RULE in brief.lasting
    assert "Where the last session stood" in brief.stood
    assert (brief.first, brief.last) == (NOON, NOON)
    assert clock() - NOON == timedelta(days=3)
    assert memory.why() == []


def test_room_that_statements_leave_has_what_the_user_said_last_the_latest_first() -> None:
    memory = a_silent_memory()
    stated(memory, "keys", KEYS)
    memory.capture(said(CHANGE, id_="cars", session="fares", minute=30))
    memory.capture(said("thanks, see you", id_="end", session="end", minute=40))

    text = memory.greeting("new")

    remarks = text.partition("Also said by the user, the latest first:\n")[2].splitlines()
    assert remarks[0] == f"- 2 Mar: {CHANGE}"
    assert len(remarks) > 1
    assert text.count(KEYS) == 1
    assert CHANGE not in memory.inject("what do cars cost from today?", session="new").text
    assert CHANGE in memory.inject("what do cars cost from today?", session="untold").text


@pytest.mark.parametrize(
    "other",
    [
        Message(id="cars", session="a", role="assistant", text=CHANGE, at=NOON),
        Message(id="cars", session="a", role="tool", text=CHANGE, at=NOON),
        Message(id="cars", session="new", text=CHANGE, at=NOON),
        Message(
            id="cars", session="a", text="what do cars cost from today, with diesel up?", at=NOON
        ),
    ],
    ids=["agent", "tool", "the session's own", "question"],
)
def test_only_what_the_user_told_in_another_session_is_a_remark(other: Message) -> None:
    memory = a_silent_memory()
    memory.capture(other)
    memory.capture(said("the printer is out of paper", id_="last", session="last", minute=60))

    assert other.text not in memory.greeting("new")


def test_neither_a_superseded_nor_a_hidden_sentence_comes_back_as_a_remark() -> None:
    memory = a_silent_memory()
    old = "a car up to five metres costs 34 euro"
    memory.capture(said(old, id_="old", session="fares", minute=20))
    memory.capture(said(CHANGE, id_="cars", session="fares", minute=30))
    memory.capture(said("the printer is out of paper", id_="last", session="last", minute=60))
    stated(memory, "old", old, superseded_by="s_other", superseded_at=NOON)
    memory.hide("cars", CHANGE)

    text = memory.greeting("new")

    assert old not in text
    assert CHANGE not in text


def test_a_full_brief_has_no_remarks() -> None:
    memory = a_silent_memory(settings=Settings(inject=InjectSettings(brief_tokens=130)))
    stated(memory, "keys", RULE)

    text = memory.greeting("new")

    assert RULE in text
    assert "Also said" not in text


def test_an_order_of_the_moment_leaves_its_place_to_what_lasts(real_embedder: Embedder) -> None:
    order = "ok fix all the critical and high issues of that list now"
    rule = "we keep the prices in cents as integers, no floats"
    settings = Settings(inject=InjectSettings(brief_tokens=135))  # room for one statement
    with a_memory(settings=settings, embedder=lambda: real_embedder) as memory:
        memory.capture([said(rule, id_="rule", session="one"), said(order, session="two")])
        memory.embed()
        stored = {statement.text for statement in memory.statements()}

        brief = memory.greeting("three", "clear")

    assert stored == {rule, order}
    assert rule in brief
    assert order not in brief

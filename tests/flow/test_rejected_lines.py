"""A sentence that a person rejected is shown neither in an answer nor before a prompt."""

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.statement import ReviewState
from builders import a_memory, said
from stating import RULE, state_things

QUESTION = "do we ever log the session id?"


def shown(memory: Memory) -> str:
    return memory.recall(QUESTION).text + memory.inject(QUESTION, session="ask").text


@pytest.fixture
def memory() -> Memory:
    memory = a_memory()
    memory.capture(said(f"entry {n} of a list", session="list") for n in range(20))
    memory.capture(said(f"I have looked. {RULE} The tests pass.", id_="again", session="b"))
    return memory


def test_a_rejected_sentence_is_left_out_wherever_it_was_said(memory: Memory) -> None:
    rule = state_things(memory)[RULE]
    assert RULE.rstrip(".") in shown(memory)

    memory.reject_statement(rule.id)

    assert RULE.rstrip(".") not in shown(memory)


def test_a_rejection_that_is_undone_brings_the_sentence_back(memory: Memory) -> None:
    rule = state_things(memory)[RULE]
    memory.reject_statement(rule.id)
    memory.undo()

    assert memory.statement(rule.id).review is ReviewState.PROPOSED
    assert RULE.rstrip(".") in memory.recall(QUESTION).text


def test_a_line_that_is_hidden_is_left_out_wherever_it_was_said_until_that_is_undone(
    memory: Memory,
) -> None:
    memory.capture(said(RULE, id_="said", session="c"))
    assert RULE.rstrip(".") in shown(memory)

    outcome = memory.hide("again", RULE)

    assert RULE.rstrip(".") not in shown(memory)
    assert "is not shown again" in outcome.said
    memory.undo(outcome.number)
    assert RULE.rstrip(".") in memory.recall(QUESTION).text


def test_a_line_of_output_can_be_hidden_though_it_is_no_sentence(memory: Memory) -> None:
    log = "    session_id=4711; level=debug;"
    memory.capture(said(f"Do we log it?\n{log}\nWe looked at it.", id_="log", session="d"))
    question = "where is session_id=4711 with level=debug?"
    assert log.strip() in memory.recall(question).text

    memory.hide("log", log.strip())

    assert log.strip() not in memory.recall(question).text


def test_a_line_is_hidden_once_and_the_message_stays(memory: Memory) -> None:
    memory.hide("again", RULE)

    with pytest.raises(RefusedError, match="hidden already"):
        memory.hide("again", RULE)
    assert RULE in memory.message("again").text
    assert "I have looked" in memory.recall("have you looked?").text


def test_a_dry_run_hides_nothing(memory: Memory) -> None:
    memory.hide("again", RULE, dry_run=True)

    assert RULE.rstrip(".") in shown(memory)


def test_a_text_that_a_message_does_not_say_is_not_hidden_in_it(memory: Memory) -> None:
    with pytest.raises(RefusedError, match="cannot hide this in again: no sentence of it reads so"):
        memory.hide("again", "The staging server is called otter.")

    assert not memory.log()


def test_a_part_of_a_sentence_is_not_hidden_but_its_whole_is_told(memory: Memory) -> None:
    with pytest.raises(RefusedError, match="Give it whole: “I have looked"):
        memory.hide("again", "have looked")


def test_a_line_that_is_quoted_with_a_sentence_of_another_message_can_be_hidden(
    memory: Memory,
) -> None:
    memory.hide("again", f"{RULE} (asked: may we log the session id?)")

    assert RULE.rstrip(".") not in shown(memory)

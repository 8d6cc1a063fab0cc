"""A sentence that a person rejected is shown neither in an answer nor before a prompt."""

import pytest

from ai_smartness.memory import Memory
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

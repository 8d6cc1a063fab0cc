"""What becomes of what was shown: whether it was of use, and how it is explained."""

from copy import deepcopy
from typing import Any

import pytest

from ai_smartness.inject.usage import was_used
from ai_smartness.memory import Memory
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Origin
from asking import KEYS, QUESTION, a_told_memory, answered, saved, thread_of
from builders import said

pytestmark = pytest.mark.every_engine


def asked(memory: Memory) -> Memory:
    memory.inject(QUESTION, session="new")
    memory.capture(Message(id="asked", text=QUESTION, session="new"))
    return memory


def used(memory: Memory) -> bool:
    return memory.why("new")[-1].shown[0].used


def test_a_name_that_comes_back_in_the_answer_was_of_use() -> None:
    memory = asked(a_told_memory())

    answered(memory, "new", "I opened config/jwt_keys.yaml and there they are.")

    assert used(memory)
    assert (memory.status().injected, memory.status().used) == (1, 1)


def test_a_name_in_a_tool_call_is_use_and_one_in_what_a_tool_answers_is_not() -> None:
    call = Message(
        text="cat config/jwt_keys.yaml", role="assistant", type=EventType.TOOL_CALL, session="new"
    )
    called, told = (asked(a_told_memory()) for _ in range(2))

    called.capture(call)
    answered(told, "new", "./config/jwt_keys.yaml\n./setup.cfg", role="tool")

    assert used(called)
    assert not used(told)


def test_an_answer_about_something_else_is_no_use() -> None:
    memory = asked(a_told_memory())

    answered(memory, "new", "I do not know.")

    assert not used(memory)
    assert memory.status().used == 0


def test_what_the_session_named_itself_was_not_taken_from_what_it_was_shown() -> None:
    before, after = a_told_memory(), a_told_memory()
    prompt = "are the JWT signing keys of vault in config/jwt_keys.yaml?"
    before.capture(Message(id="asked", text=prompt, session="new"))
    before.inject(prompt, session="new")
    after.inject(prompt, session="new")
    after.capture(Message(id="asked", text=prompt, session="new"))

    for memory in (before, after):
        answered(memory, "new", "Yes, in config/jwt_keys.yaml.")

        assert not used(memory)


def test_use_is_found_out_once_however_often_it_shows() -> None:
    memory = asked(a_told_memory())

    for number in range(3):
        answered(memory, "new", f"config/jwt_keys.yaml, line {number}")

    assert memory.status().used == 1
    assert len(memory.thread(thread_of(memory)).ratings) == 1


def test_what_another_session_does_is_no_use_to_this_one() -> None:
    memory = asked(a_told_memory())

    answered(memory, "other", "I opened config/jwt_keys.yaml.")

    assert not used(memory)


def test_use_is_a_weak_rating_that_lifts_a_thread_and_never_over_one() -> None:
    memory, rated_low = asked(a_told_memory()), a_told_memory()
    saved(rated_low, "keys", relevance=0.4, origin=Origin.PIN)
    asked(rated_low)

    for each in (memory, rated_low):
        answered(each, "new", "I opened config/jwt_keys.yaml.")

    rating = memory.thread(thread_of(memory)).ratings[0]
    assert (rating.useful, rating.reason, rating.strength) == (True, "used in the answer", 0.25)
    assert memory.thread(thread_of(memory)).relevance == 1.0
    assert 0.4 < rated_low.thread(thread_of(rated_low)).relevance <= 1.0


@pytest.mark.parametrize(
    ("shown", "prompt", "answer", "was"),
    [
        ("see `renderInvoice()`", "how?", "I call renderInvoice() twice", True),
        ("see `renderInvoice()`", "renderInvoice()?", "I call renderInvoice() twice", False),
        ("https://docs.example.org/jwt", "where?", "at https://docs.example.org/jwt", True),
        ("warehouse buckets expire nightly", "why?", "The warehouse buckets expire nightly", True),
        ("warehouse buckets rotated quarterly", "why?", "A warehouse is a building", False),
        ("", "why?", "because", False),
        ("anything", "why?", "", False),
        ("short words all of it", "why?", "short words all of it", False),
    ],
)
def test_use_is_told_by_names_and_by_several_rare_words(
    shown: str, prompt: str, answer: str, *, was: bool
) -> None:
    assert was_used([shown], prompt, answer) is was


def test_why_tells_of_each_turn_what_was_shown_what_was_not_and_the_numbers() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")
    memory.inject("what colour has the sky today?", session="other")

    other, new = memory.why()

    assert (new.session, new.turn, other.session) == ("new", 1, "other")
    assert new.shown[0].thread_id == thread_of(memory)
    assert new.shown[0].why.startswith("relevant: relevance 0.")
    assert ", score " in new.shown[0].why
    assert other.shown == ()
    assert [page.session for page in memory.why("new")] == ["new"]
    assert len(memory.why(limit=1)) == 1
    assert memory.why("nobody") == []


PARTS = [
    {"type": "tool_result", "tool_use_id": "t1", "content": "exit 0"},
    {"type": "text", "text": QUESTION},
]
HISTORIES: list[list[dict[str, Any]]] = [
    [{"role": "user", "content": QUESTION}],
    [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ],
    [{"role": "assistant", "content": "…"}, {"role": "user", "content": PARTS}],
]


@pytest.mark.parametrize("history", HISTORIES)
def test_an_agent_of_ones_own_gets_memory_in_front_of_the_last_prompt(
    history: list[dict[str, Any]],
) -> None:
    as_it_was = deepcopy(history)

    found = a_told_memory().with_memory(history, session="new")

    assert history == as_it_was
    assert found[:-1] == history[:-1]
    assert KEYS in str(found[-1]["content"])
    assert str(found[-1]["content"]).index(KEYS) < str(found[-1]["content"]).index(QUESTION)


def test_a_history_that_ends_in_tool_results_is_left_as_it_is_and_is_no_turn() -> None:
    memory = a_told_memory()
    history = [
        {"role": "user", "content": QUESTION},
        {"role": "tool", "tool_call_id": "t1", "content": KEYS},
    ]

    assert memory.with_memory(history, session="new") == history
    assert memory.why("new") == []


def test_what_an_agent_of_ones_own_hands_back_is_kept_without_the_block() -> None:
    memory = a_told_memory()
    (sent,) = memory.with_memory([{"role": "user", "content": QUESTION}], session="new")

    memory.capture(said(sent["content"], id_="sent", session="new", minute=9))

    assert memory.message("sent").text.strip() == QUESTION


def test_use_of_a_thread_that_is_no_more_keeps_nothing_from_being_kept() -> None:
    memory = a_told_memory()
    parent = thread_of(memory)
    memory.append(parent, said("the vault door is painted green", id_="door", minute=1))
    memory.split(parent, [SplitPart("Where keys live", ("keys",))])
    asked(memory)
    memory.undo()

    answered(memory, "new", "I opened config/jwt_keys.yaml.")

    assert memory.status().events == 7
    assert memory.why("new")[-1].shown[0].thread_id != parent

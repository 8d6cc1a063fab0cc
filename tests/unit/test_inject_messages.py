from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import pytest

from ai_smartness.inject.block import messages_with_block

Messages = Sequence[Mapping[str, Any]]

RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "exit 0"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}


def the(block: str) -> Callable[[str], str]:
    return lambda _prompt: block


def test_a_prompt_of_text_gets_the_block_in_front_of_it() -> None:
    history = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "where are the keys?"},
    ]

    found = messages_with_block(history, the("BLOCK"))

    assert found[:-1] == history[:-1]
    assert found[-1] == {"role": "user", "content": "BLOCK\n\nwhere are the keys?"}


def test_a_prompt_of_parts_gets_the_block_before_its_first_text() -> None:
    history = [{"role": "user", "content": [RESULT, IMAGE, {"type": "text", "text": "and now?"}]}]

    (found,) = messages_with_block(history, the("BLOCK"))

    assert found["content"] == [
        RESULT,
        IMAGE,
        {"type": "text", "text": "BLOCK"},
        {"type": "text", "text": "and now?"},
    ]


def test_the_block_is_asked_for_with_all_the_text_of_the_last_prompt_alone() -> None:
    asked: list[str] = []
    parts = [{"type": "text", "text": "one"}, RESULT, {"type": "text", "text": "two"}]
    history: Messages = [{"role": "user", "content": "before"}, {"role": "user", "content": parts}]

    def block(prompt: str) -> str:
        asked.append(prompt)
        return ""

    messages_with_block(history, block)

    assert asked == ["one\ntwo"]


UNTOUCHED: list[Messages] = [
    [],
    [{"role": "user", "content": [RESULT]}],
    [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
    [{"role": "user", "content": "q"}, {"role": "tool", "tool_call_id": "t1", "content": "exit 0"}],
    [{"role": "assistant", "content": None, "tool_calls": [{"id": "t1"}]}],
    [{"role": "user", "content": "   "}],
    [{"role": "user", "content": None}],
    [{"role": "user"}],
    [{"role": "user", "content": []}],
    [{"role": "user", "content": [IMAGE]}],
]


@pytest.mark.parametrize("history", UNTOUCHED)
def test_a_history_that_does_not_end_in_a_prompt_comes_back_as_it_is(history: Messages) -> None:
    assert messages_with_block(history, the("BLOCK")) == list(history)


@pytest.mark.parametrize("block", ["", "BLOCK"])
def test_the_given_history_is_never_changed_however_deep(block: str) -> None:
    history: Messages = [
        {"role": "user", "content": "before"},
        {"role": "user", "content": [RESULT, {"type": "text", "text": "and now?"}]},
    ]
    as_it_was = deepcopy(history)

    found = messages_with_block(history, the(block))
    found[0]["content"] = "changed"
    found[1]["content"].append("more")
    found[1]["content"][0]["content"] = "changed"

    assert history == as_it_was

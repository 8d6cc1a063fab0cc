"""What `capture` takes: our own fields, and messages as OpenAI and Anthropic have them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from anthropic.types import Message as AnthropicMessage
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage

from ai_smartness.capture.message_shapes import read_messages
from ai_smartness.condense.api_messages import api_messages
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType, Message

CALL = {"tool": "bash", "input": {"command": "pytest"}, "call_id": "c1"}


def shapes(given: object) -> list[tuple[str, EventType | None, str]]:
    return [(message.role, message.type, message.text) for message in read_messages(given)]


def test_a_message_of_ours_is_taken_as_it_is() -> None:
    message = Message(text="Drop JWT.", session="s1")

    assert read_messages(message) == [message]
    assert read_messages([message, message]) == [message, message]


def test_a_dictionary_may_have_our_own_fields_with_times_and_kinds_as_text() -> None:
    item = {"text": "Drop JWT.", "at": "2026-03-02T09:15:00Z", "type": "NOTE", "origin": "task"}

    (message,) = read_messages(item)

    assert message.at == datetime(2026, 3, 2, 9, 15, tzinfo=UTC)
    assert message.type is EventType.NOTE
    assert message.origin == "task"


@pytest.mark.parametrize(
    "content",
    [
        "Drop JWT.",
        [{"type": "text", "text": "Drop JWT."}],
        [{"type": "input_text", "text": "Drop JWT."}],
        ["Drop JWT."],
    ],
)
def test_a_prompt_is_read_however_its_content_is_written(content: object) -> None:
    assert shapes({"role": "user", "content": content}) == [("user", None, "Drop JWT.")]


def test_anthropics_tool_calls_and_results_become_messages_of_their_own() -> None:
    history = [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "x"},
                {"type": "text", "text": "I run the tests."},
                {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "pytest"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "3 passed"}],
                },
                {"type": "text", "text": "Good."},
            ],
        },
    ]

    messages = read_messages(history, session="s1")

    assert [(message.role, message.type, message.text) for message in messages] == [
        ("assistant", None, "I run the tests."),
        ("assistant", EventType.TOOL_CALL, 'bash {"command": "pytest"}'),
        ("tool", EventType.TOOL_RESULT, "3 passed"),
        ("user", None, "Good."),
    ]
    assert messages[1].payload == CALL
    assert messages[2].payload == {"call_id": "c1"}
    assert {message.session for message in messages} == {"s1"}


def test_openais_tool_calls_and_results_become_messages_of_their_own() -> None:
    function = {"name": "bash", "arguments": '{"command": "pytest"}'}
    history = [
        {"role": "system", "content": "You are a coding agent."},
        {"role": "user", "content": "Run the tests."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "3 passed"},
    ]

    messages = read_messages(history)

    assert [message.text for message in messages] == [
        "Run the tests.",
        'bash {"command": "pytest"}',
        "3 passed",
    ]
    assert messages[1].payload == CALL


def test_the_items_of_openais_responses_are_read() -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run."}]},
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "3 passed"},
    ]

    assert shapes(items) == [
        ("user", None, "Run."),
        ("assistant", EventType.TOOL_CALL, "bash {}"),
        ("tool", EventType.TOOL_RESULT, "3 passed"),
    ]


def test_the_answers_of_both_sdks_are_read_as_they_come() -> None:
    openais = ChatCompletionMessage(role="assistant", content="Done.")
    anthropics = AnthropicMessage.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [{"type": "text", "text": "Done.", "citations": None}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )

    assert shapes([openais, anthropics]) == [("assistant", None, "Done.")] * 2


def test_an_image_says_that_it_was_there() -> None:
    content = [{"type": "image", "source": {}}, {"type": "text", "text": "What is this?"}]

    assert shapes({"role": "user", "content": content}) == [
        ("user", None, "[image]\nWhat is this?")
    ]


def test_the_messages_of_one_dictionary_have_different_ids() -> None:
    content = [
        {"type": "text", "text": "I run it."},
        {"type": "tool_use", "id": "c1", "name": "bash", "input": {}},
    ]

    messages = read_messages({"role": "assistant", "content": content, "id": "m1", "session": "s1"})

    assert [message.id for message in messages] == ["m1", "m1#1"]
    assert {message.session for message in messages} == {"s1"}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (3, "capture takes messages, not int"),
        ("Drop JWT.", "capture takes messages, not str"),
        ([None], "not NoneType"),
        ({}, "the fields none is no message"),
        ({"prompt": "x"}, "the fields prompt is no message: it needs `text`, or `role` and"),
        ({"text": "x", "sesion": "s1"}, "a message has no field 'sesion'. It has text, role"),
        ({"text": "x", "at": "yesterday"}, "'yesterday' cannot be a message's at"),
        ({"role": "user", "content": 3}, "content must be text or a list of parts, not int"),
        ({"role": "user", "content": [3]}, "content must be text or a list of parts"),
    ],
)
def test_anything_else_is_refused_with_what_would_do(wrong: object, words: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_messages(wrong)

    assert words in str(refused.value)
    assert str(refused.value).endswith("Nothing was stored.")


texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=20)


@given(st.lists(st.tuples(st.sampled_from(EventType), texts), max_size=8))
def test_what_the_memory_writes_for_an_api_it_reads_again(
    said: list[tuple[EventType, str]],
) -> None:
    events = [stored_event(number, kind, text) for number, (kind, text) in enumerate(said)]

    for shape in ("anthropic", "openai"):
        written = api_messages(events, shape)
        read = read_messages(json.loads(json.dumps(written)))
        assert all(event.text in "\n".join(message.text for message in read) for event in events)


def stored_event(number: int, kind: EventType, text: str) -> Event:
    payload: dict[str, Any] = {"tool": "bash", "input": {"text": text}}
    return Event(
        id=str(number),
        project="demo",
        thread_id="t",
        session="s1",
        type=kind,
        role="user",
        text=text if kind is not EventType.TOOL_CALL else "",
        at=datetime(2026, 3, 2, tzinfo=UTC),
        source="user",
        payload=payload if kind is EventType.TOOL_CALL else {},
        seq=number,
    )

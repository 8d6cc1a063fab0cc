"""Any events become a request that both APIs take, whatever was lost between them."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.condense.api_messages import MISSING_START, api_messages
from ai_smartness.model.event import Event, EventType
from api_requests import assert_anthropic, assert_openai
from builders import a_thread, an_event
from long_threads import a_tool_call, a_tool_result

TYPES = [each for each in EventType if each is not EventType.COMPACTION]
ROLES = {
    EventType.USER_MESSAGE: "user",
    EventType.AGENT_MESSAGE: "assistant",
    EventType.TOOL_CALL: "assistant",
    EventType.TOOL_RESULT: "tool",
    EventType.NOTE: "note",
}


def an_event_of(type_: EventType, text: str, payload: dict[str, object]) -> Event:
    event = an_event("m", a_thread(), text)
    return replace(event, type=type_, role=ROLES[type_], payload=payload)


payloads = st.fixed_dictionaries(
    {},
    optional={
        "call_id": st.sampled_from(["a", "b", "c", "weird id/ü"]),
        "tool": st.sampled_from(["Bash", "Read", "my tool!", ""]),
        "args": st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    },
)
texts = st.sampled_from(["", " ", "words", "more words\n"])
logs = st.lists(st.builds(an_event_of, st.sampled_from(TYPES), texts, payloads), max_size=12)


@given(logs)
def test_any_log_is_a_request_that_both_apis_take(log: Sequence[Event]) -> None:
    assert_anthropic(api_messages(log, "anthropic"))
    assert_openai(api_messages(log, "openai"))


@given(logs)
def test_everything_that_was_said_is_in_it(log: Sequence[Event]) -> None:
    for shape in ("anthropic", "openai"):
        assert str(api_messages(log, shape)).count("words") >= sum(
            "words" in e.text for e in log
        ) - sum(e.type is EventType.TOOL_CALL for e in log)


def test_a_call_is_answered_in_the_next_message() -> None:
    call = a_tool_call("c1", "pytest -q")
    log = [an_event("u", a_thread(), "run it"), call, a_tool_result(call, "2 passed")]

    user, assistant, result = api_messages(log, "anthropic")

    assert user["content"] == [{"type": "text", "text": "run it"}]
    (use,) = assistant["content"]
    assert (use["name"], use["input"]) == ("Bash", {"command": "pytest -q"})
    assert result["content"] == [
        {"type": "tool_result", "tool_use_id": use["id"], "content": "2 passed"}
    ]


def test_a_call_or_result_that_stands_alone_is_told_in_words() -> None:
    call = a_tool_call("c1")
    log = [replace(call, text="Read src/a.py"), a_tool_result(a_tool_call("c2"), "2 passed")]

    first, assistant, user = api_messages(log, "openai")

    assert first["content"] == MISSING_START
    assert assistant["content"] == "[called Bash, result not shown] Read src/a.py"
    assert user["content"] == "[result of a tool] 2 passed"

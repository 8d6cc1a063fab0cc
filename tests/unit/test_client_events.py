"""What each client sends and accepts, as its real program did: trimmed to what we read."""

import json
from collections.abc import Mapping

import pytest

from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.clients.registry import load_client

TEXT = "<ai-smartness-memory>\nAsk it.\n</ai-smartness-memory>"


def event_of(client: str, fields: Mapping[str, object], event_name: str = "") -> HookEvent:
    return load_client(client).read_event(json.dumps(fields), event_name)


PROMPTS: dict[str, tuple[dict[str, object], str]] = {
    "codex": ({"hook_event_name": "UserPromptSubmit", "session_id": "s", "turn_id": "t"}, ""),
    "copilot": ({"sessionId": "s", "timestamp": 1}, "userPromptSubmitted"),
    "gemini": ({"hook_event_name": "BeforeAgent", "session_id": "s"}, ""),
    "opencode": ({"hook_event_name": "UserPromptSubmit", "session_id": "s"}, ""),
    "qwen": ({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt_id": "s#0"}, ""),
}


@pytest.mark.parametrize("client", PROMPTS)
def test_a_prompt_is_recorded_with_its_client(client: str) -> None:
    fields, event_name = PROMPTS[client]

    event = event_of(client, {**fields, "cwd": "/", "prompt": "go on"}, event_name)
    (record,) = event_records(event, "/nowhere")

    assert event.event_name == "UserPromptSubmit"
    assert (record["session"], record["text"], record["client"]) == ("s", "go on", client)
    assert record["payload"] == {"client": client}


def test_a_prompt_of_gemini_comes_without_the_context_before_it() -> None:
    prompt = "<hook_context>the brief</hook_context>\n\ngo on"

    event = event_of("gemini", {"hook_event_name": "BeforeAgent", "prompt": prompt})

    assert event.text_field("prompt") == "go on"


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [("auto", ""), ("manual", "PreCompact")],
)
def test_gemini_announces_a_compression_before_every_request_and_means_the_manual_one(
    trigger: str, expected: str
) -> None:
    event = event_of("gemini", {"hook_event_name": "PreCompress", "trigger": trigger})

    assert event.event_name == expected


READS = {
    "codex": ({"tool_name": "Bash", "tool_input": {"command": "cat .ai/help"}}, "", "Bash"),
    "copilot": ({"toolName": "view", "toolArgs": {"path": "/p/.ai/help"}}, "preToolUse", "Read"),
    "gemini": ({"tool_name": "read_file", "tool_input": {"file_path": ".ai/help"}}, "", "Read"),
    "opencode": ({"tool_name": "read", "tool_input": {"filePath": ".ai/help"}}, "", "Read"),
    "qwen": ({"tool_name": "read_file", "tool_input": {"file_path": ".ai/help"}}, "", "Read"),
}


@pytest.mark.parametrize("client", READS)
def test_a_read_of_a_virtual_path_is_recognised(client: str) -> None:
    fields, event_name, tool = READS[client]

    event = event_of(client, fields, event_name)

    assert event.tool == tool
    assert any(str(value).endswith(".ai/help") for value in event.tool_input.values())


def test_a_patch_of_codex_is_recorded_as_an_edit() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-old\n+new\n*** End Patch"
    fields = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "cwd": "/",
        "tool_name": "apply_patch",
        "tool_input": {"command": patch},
        "tool_use_id": "call_1",
    }

    (record,) = event_records(event_of("codex", fields), "/nowhere")

    assert str(record["text"]).startswith("Edited")
    assert "+new" in str(record["text"])


CONTEXTS = {
    "codex": ("hookSpecificOutput", {"hookEventName": "UserPromptSubmit"}),
    "qwen": ("hookSpecificOutput", {"hookEventName": "UserPromptSubmit"}),
    "gemini": ("hookSpecificOutput", {"hookEventName": "BeforeAgent"}),
}


@pytest.mark.parametrize("client", CONTEXTS)
def test_context_is_added_in_the_form_that_the_client_reads(client: str) -> None:
    key, fields = CONTEXTS[client]

    answer = load_client(client).context_answer("UserPromptSubmit", TEXT)

    assert answer == {key: {**fields, "additionalContext": TEXT}}
    assert load_client(client).context_answer("UserPromptSubmit", " ") is None


def test_context_is_added_for_copilot() -> None:
    assert load_client("copilot").context_answer("SessionStart", TEXT) == {
        "additionalContext": TEXT
    }


@pytest.mark.parametrize("client", ["codex", "copilot", "gemini", "opencode", "qwen"])
def test_a_long_text_is_cut_and_keeps_its_closing_mark(client: str) -> None:
    text = "<ai-smartness-memory>\n" + "a line\n" * 3_000 + "</ai-smartness-memory>"

    answer = json.dumps(load_client(client).context_answer("SessionStart", text))

    assert len(answer) < 11_000
    assert "</ai-smartness-memory>" in answer


@pytest.mark.parametrize("text", ["[]", "{", "", "3"])
@pytest.mark.parametrize("client", ["codex", "copilot", "gemini", "opencode", "qwen"])
def test_text_that_is_no_event_is_refused(client: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_client(client).read_event(text, "x")

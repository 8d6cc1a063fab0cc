"""Other clients' transcripts: Codex 0.166, Copilot 1.0.102, Gemini 0.61, and older ones."""

from pathlib import Path

import pytest

from transcripts import events_in, read, written

TURN = "01a1e2c5-289e-71a0-adde-64648bf56570"
AT = "2026-11-16T05:12:14.245Z"

Line = dict[str, object]


def codex(kind: str, **payload: object) -> Line:
    return {"timestamp": AT, "ordinal": 0, "type": kind, "payload": payload}


def completed(**item: object) -> Line:
    return codex("event_msg", type="item_completed", turn_id=TURN, item=item)


def copilot(kind: str, **data: object) -> Line:
    return {"type": kind, "data": data, "id": "e1", "timestamp": AT, "parentId": None}


def told(path: Path, format_: str, *lines: Line) -> list[tuple[str, dict[str, object]]]:
    return events_in(read(written(path / "events.jsonl", lines), format_))


def test_codex_tells_of_prompts_commands_changes_and_answers(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        "codex",
        codex("session_meta", id="s1", cwd="/p", cli_version="0.166.0"),
        codex("event_msg", type="task_started", turn_id=TURN),
        codex("response_item", type="message", role="user", content=[{"text": "<environment>"}]),
        completed(type="UserMessage", content=[{"type": "text", "text": "shorten it"}]),
        completed(type="AgentMessage", content=[{"type": "Text", "text": "I will look."}]),
        codex(
            "response_item", type="function_call", name="exec_command", arguments="{}", call_id="c1"
        ),
        completed(
            type="CommandExecution",
            id="c1",
            command=["/bin/bash", "-lc", "cat rotate.py"],
            aggregated_output="DAYS = 90\n",
            exit_code=3,
        ),
        codex("response_item", type="function_call_output", call_id="c1", output="again"),
        completed(
            type="FileChange",
            id="c2",
            changes={"/p/b.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-90\n+30\n"}},
        ),
        codex("event_msg", type="task_complete", turn_id=TURN, last_agent_message="Every 30 days."),
        codex("crystal_ball", what="from the future"),
    )

    assert [name for name, _ in found] == ["UserPromptSubmit", "PostToolUse", "PostToolUse", "Stop"]
    assert found[0][1] == {"prompt": "shorten it"}
    assert found[1][1]["tool_name"] == "Bash"
    assert found[1][1]["tool_input"] == {"command": "cat rotate.py"}
    assert found[1][1]["tool_response"] == {"stdout": "DAYS = 90\n", "exit_code": 3}
    assert found[2][1]["tool_input"] == {"file_path": "/p/b.py"}
    assert found[3][1] == {"last_assistant_message": "Every 30 days."}


def test_codex_as_it_was_in_2025_tells_the_same(tmp_path: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: b.py\n@@\n-90\n+30\n*** Add File: a.py\n+new\n"
        "*** End Patch"
    )
    found = told(
        tmp_path,
        "codex",
        codex("session_meta", id="s1", cwd="/p", cli_version="0.46.0"),
        codex("event_msg", type="user_message", message="shorten it"),
        codex("event_msg", type="agent_message", message="I will look."),
        codex(
            "response_item",
            type="function_call",
            name="shell",
            arguments='{"command":["bash","-lc","ls"]}',
            call_id="c1",
        ),
        codex(
            "response_item",
            type="function_call_output",
            call_id="c1",
            output='{"output":"b.py\\n","metadata":{"exit_code":0}}',
        ),
        codex(
            "response_item", type="custom_tool_call", name="apply_patch", input=patch, call_id="c2"
        ),
        codex("response_item", type="custom_tool_call_output", call_id="c2", output="ok"),
        codex("event_msg", type="agent_message", message="Every 30 days."),
        codex("event_msg", type="user_message", message="thanks"),
    )

    names = [name for name, _ in found]
    assert names == ["UserPromptSubmit", *["PostToolUse"] * 3, "Stop", "UserPromptSubmit"]
    assert found[1][1]["tool_response"] == {"stdout": "b.py\n", "exit_code": 0}
    assert [fields["tool_use_id"] for _, fields in found[2:4]] == ["c2", "c2#1"]
    assert [fields["tool_name"] for _, fields in found[2:4]] == ["Write", "Edit"]
    assert found[4][1] == {"last_assistant_message": "Every 30 days."}


def test_copilot_tells_of_prompts_tools_and_answers(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        "copilot",
        copilot("session.start", sessionId="s1", context={"cwd": "/p"}, copilotVersion="1.0.102"),
        copilot("user.message", content="shorten it", interactionId="i1"),
        copilot("assistant.message", content="I will look.", toolRequests=[{"name": "bash"}]),
        copilot(
            "tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": "ls"}
        ),
        copilot(
            "tool.execution_complete",
            toolCallId="c1",
            success=True,
            shellExecution={"exitCode": 3},
            result={"content": "b.py\n<shellId: 0 completed with exit code 3>"},
        ),
        copilot(
            "tool.execution_start",
            toolCallId="c2",
            toolName="edit",
            arguments={"path": "/p/b.py", "old_str": "90", "new_str": "30"},
        ),
        copilot(
            "tool.execution_complete", toolCallId="c2", success=False, error={"message": "no match"}
        ),
        copilot("assistant.message", content="Every 30 days.", toolRequests=[]),
        copilot("session.teleported", to="the future"),
    )

    assert [name for name, _ in found] == [
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
    ]
    assert found[1][1]["tool_response"] == {"stdout": "b.py", "exit_code": 3}
    assert found[2][1]["error"] == "no match"
    assert found[3][1] == {"last_assistant_message": "Every 30 days."}


GEMINI: tuple[Line, ...] = (
    {"sessionId": "s1", "projectHash": "d6", "startTime": AT, "kind": "main"},
    {
        "$set": {
            "messages": [{"id": "0", "type": "user", "content": [{"text": "<session_context>"}]}]
        }
    },
    {"id": "1", "timestamp": AT, "type": "user", "content": [{"text": "shorten it"}]},
    {"id": "2", "timestamp": AT, "type": "gemini", "content": "I will look."},
    {
        "id": "2",
        "timestamp": AT,
        "type": "gemini",
        "content": "I will look.",
        "toolCalls": [
            {
                "id": "c1",
                "name": "run_shell_command",
                "args": {"command": "ls"},
                "status": "success",
                "timestamp": AT,
                "result": [
                    {
                        "functionResponse": {
                            "response": {
                                "output": "<untrusted_context>\nOutput: b.py\nExit Code: 3\n"
                                "Process Group PGID: 7\n</untrusted_context>"
                            }
                        }
                    }
                ],
            }
        ],
    },
    {"id": "3", "timestamp": AT, "type": "user", "content": [{"functionResponse": {}}]},
    {"id": "4", "timestamp": AT, "type": "gemini", "content": "Every 30 days."},
    {"id": "5", "timestamp": AT, "type": "user", "content": "thanks"},
)


@pytest.mark.parametrize("whole", [False, True])
def test_gemini_tells_of_prompts_tools_and_answers(tmp_path: Path, *, whole: bool) -> None:
    chats = tmp_path / "proj" / "chats"
    (tmp_path / "proj").mkdir()
    (tmp_path / "proj" / ".project_root").write_text("/p")
    first, *others = GEMINI
    if whole:
        messages = [each for each in others if "type" in each]
        path = written(chats / "session-1.json", [{**first, "messages": messages}])
    else:
        path = written(chats / "session-1.jsonl", GEMINI)

    found = events_in(pieces := read(path, "gemini"))

    names = [name for name, _ in found]
    assert names == ["UserPromptSubmit", "PostToolUse", "Stop", "UserPromptSubmit"]
    assert found[1][1]["tool_response"] == {"stdout": "b.py", "exit_code": 3}
    assert found[2][1] == {"last_assistant_message": "Every 30 days."}
    told_of = [each for piece in pieces for each in piece.items]
    assert {each.fields["cwd"] for each in told_of if hasattr(each, "fields")} == {"/p"}

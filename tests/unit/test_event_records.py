"""The records of hook events, from events that real clients sent."""

from pathlib import Path

import pytest

from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.hook_event import HookEvent
from hooking import an_event

HOME = "/memory"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def the_one(fields: dict[str, object]) -> dict[str, object]:
    (record,) = event_records(HookEvent(fields), HOME)
    return record


def tool(project: Path, name: str, given: object, answered: object) -> dict[str, object]:
    return an_event(
        "PostToolUse",
        cwd=str(project),
        tool_name=name,
        tool_use_id="toolu_1",
        tool_input=given,
        tool_response=answered,
    )


def test_a_prompt_is_kept_as_the_user_s() -> None:
    record = the_one(an_event("UserPromptSubmit", prompt="which port?", cwd="/CASE/proj"))

    assert (record["role"], record["type"], record["source"]) == ("user", "USER_MESSAGE", "user")
    assert (record["text"], record["session"], record["cwd"]) == ("which port?", "s1", "/CASE/proj")
    assert (record["v"], record["client"], record["mark"]) == (1, "claude-code", None)
    assert str(record["at"]).endswith("+00:00")


@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_a_final_answer_is_kept_as_the_agent_s(event: str) -> None:
    record = the_one(an_event(event, last_assistant_message="sub done", agent_type="general"))

    assert (record["role"], record["type"], record["text"]) == (
        "assistant",
        "AGENT_MESSAGE",
        "sub done",
    )
    assert record["payload"] == {"agent": "general"}


def test_the_client_s_summary_is_kept_as_a_note() -> None:
    given = an_event("PostCompact", trigger="auto", compact_summary="<summary>ALL</summary>")

    record = the_one(given)

    assert (record["role"], record["type"], record["text"]) == ("note", "NOTE", "ALL")


@pytest.mark.parametrize(
    ("event", "fields", "mark"),
    [
        ("SessionEnd", {"reason": "clear"}, "session_end"),
        ("PreCompact", {"trigger": "auto", "custom_instructions": None}, "precompact"),
        ("SessionStart", {"source": "compact"}, "compact"),
        ("SessionStart", {"source": "clear"}, "clear"),
    ],
)
def test_what_happens_to_the_window_is_a_mark(
    event: str, fields: dict[str, object], mark: str
) -> None:
    record = the_one(an_event(event, **fields))

    assert (record["mark"], record["text"]) == (mark, "")


@pytest.mark.parametrize(
    "given",
    [
        an_event("SessionStart", source="startup"),
        an_event("SessionStart", source="resume"),
        an_event("SubagentStart", agent_id="a", agent_type="general"),
        an_event("StopFailure", last_assistant_message="API Error: 400"),
        an_event("MessageDisplay", delta="Final"),
        an_event("InstructionsLoaded", file_path="/CASE/proj/CLAUDE.md"),
        an_event("PostToolBatch", tool_calls=[]),
        an_event("PermissionRequest", tool_name="Read"),
        an_event("Whatever"),
        an_event("UserPromptSubmit", prompt=" \n"),
        an_event("UserPromptSubmit", prompt=None),
        an_event("UserPromptSubmit", prompt="<private>all of it</private>"),
        an_event("UserPromptSubmit", prompt="<ai-smartness-memory>\nours\n</ai-smartness-memory>"),
        an_event("Stop"),
        an_event("PostCompact"),
        an_event("PostToolUse", tool_name="TodoWrite", tool_input={"todos": []}),
        an_event("PostToolUse", tool_name="mcp__mem__ai_recall", tool_input={"query": "q"}),
        an_event("PostToolUse", tool_name="Read", tool_input={"file_path": "/memory/recalls/t.md"}),
        an_event("PostToolUse", tool_name="Bash", tool_input={"command": "cat /memory/recalls/t"}),
        an_event("PostToolUseFailure", tool_name="Read", tool_input={"file_path": ".ai/recall/x"}),
        an_event("PostToolUse", tool_name="Edit", tool_input="garbage"),
        an_event("PostToolUse"),
    ],
)  # fmt: skip
def test_what_says_nothing_and_what_is_ours_is_not_kept(given: dict[str, object]) -> None:
    assert event_records(HookEvent(given), HOME) == []


def test_an_edit_is_kept_as_its_path_and_what_changed(project: Path) -> None:
    hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2}
    hunk_lines = {"lines": [" alpha", "-beta", "+gamma"]}
    answered = {"filePath": "a.txt", "structuredPatch": [{**hunk, **hunk_lines}]}

    record = the_one(tool(project, "Edit", {"file_path": f"{project}/a.txt"}, answered))

    assert record["text"] == "Edited a.txt\n@@ -1,2 +1,2 @@\n alpha\n-beta\n+gamma"
    assert record["payload"] == {"tool": "Edit", "path": "a.txt", "added": 1, "removed": 1}


def test_without_the_client_s_diff_one_is_made(project: Path) -> None:
    edits = [{"old_string": "a\nb\nc", "new_string": "a\nB\nc"}, {"new_string": "d"}]

    record = the_one(tool(project, "MultiEdit", {"file_path": "x.py", "edits": edits}, {}))

    assert record["text"] == "Edited x.py\n-b\n+B\n+d"


def test_a_new_file_is_kept_as_what_it_begins_with(project: Path) -> None:
    content = "\n".join(f"line {number}" for number in range(1_000))
    given = {"file_path": f"{project}/deep/b.txt", "content": content}

    record = the_one(tool(project, "Write", given, {"type": "create", "structuredPatch": []}))

    assert str(record["text"]).startswith("Created deep/b.txt\n+line 0\n+line 1\n")
    assert "lines more]" in str(record["text"])
    assert len(str(record["text"])) < 2_200


def test_a_cell_of_a_notebook_is_an_edit_too(project: Path) -> None:
    given = {"notebook_path": "n.ipynb", "new_source": "print(1)"}

    assert the_one(tool(project, "NotebookEdit", given, {}))["text"] == "Edited n.ipynb\n+print(1)"


def test_a_minified_file_is_not_kept_as_text(project: Path) -> None:
    given = {"file_path": "a.js", "content": "var a=1;" * 1_000}

    assert the_one(tool(project, "Write", given, {}))["text"] == "Edited a.js\n[minified]"


def test_of_a_file_with_private_parts_only_the_path_is_kept(project: Path) -> None:
    lines = {"structuredPatch": [{"lines": ["-SECRET", "+SECRET2"]}]}
    answered = {**lines, "originalFile": "<private>\nSECRET\n</private>"}

    record = the_one(tool(project, "Edit", {"file_path": "notes.md"}, answered))

    assert record["text"] == "Edited notes.md\n[has private parts]"


def test_a_file_that_was_read_is_kept_as_a_reference(project: Path) -> None:
    file = {"content": "alpha\nbeta\n", "numLines": 3, "startLine": 1, "totalLines": 3}

    record = the_one(
        tool(project, "Read", {"file_path": f"{project}/a.txt"}, {"type": "text", "file": file})
    )

    assert record["text"] == "Read a.txt"
    assert record["payload"] == {
        "tool": "Read",
        "path": "a.txt",
        "sha256": "e49c81e2d2f84e259d40e2fb8192f3bcd198b355184845d76d8f58807d0d78ee",
    }


def test_a_page_is_kept_as_a_reference_from_the_web(project: Path) -> None:
    given = {"url": "https://example.org/x", "prompt": "the port"}

    record = the_one(tool(project, "WebFetch", given, {"result": "SECRET PAGE", "code": 200}))

    assert record["text"] == "Fetched https://example.org/x, asking: the port"
    assert (record["source"], "SECRET PAGE" in str(record)) == ("web", False)


def test_a_subagent_s_task_is_kept_and_its_answer_left_to_its_own_event(project: Path) -> None:
    given = {"description": "find", "prompt": "the port", "subagent_type": "general-purpose"}

    record = the_one(tool(project, "Agent", given, {"content": [{"text": "8899"}]}))

    assert record["text"] == "Asked a subagent: find: the port"


def test_what_failed_is_kept_with_why(project: Path) -> None:
    fields = {"cwd": str(project), "tool_name": "Read", "tool_input": {"file_path": "nope.txt"}}

    record = the_one(an_event("PostToolUseFailure", **fields, error="File does not exist."))

    assert record["text"] == "Read nope.txt failed: File does not exist."


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Read", {"file_path": "secrets/key.pem"}),
        ("Edit", {"file_path": "secrets/key.pem", "old_string": "a", "new_string": "b"}),
        ("Write", {"file_path": "secrets/key.pem", "content": "SECRET"}),
        ("Bash", {"command": "cat secrets/key.pem"}),
        ("Bash", {"command": "openssl rsa --in=./secrets/key.pem"}),
        ("mcp__files__read", {"where": "secrets/key.pem"}),
    ],
)
def test_an_ignored_path_is_kept_in_no_form(
    project: Path, name: str, given: dict[str, object]
) -> None:
    (project / ".aiignore").write_text("secrets/\n")

    assert event_records(HookEvent(tool(project, name, given, {"stdout": "SECRET"})), HOME) == []


def test_a_line_of_output_from_an_ignored_path_is_left_out(project: Path) -> None:
    (project / ".aiignore").write_text("*.pem\n")
    answered = {"stdout": "a.txt:1:port\ndeep/key.pem:1:SECRET\nb.txt:2:port"}

    record = the_one(tool(project, "Bash", {"command": "grep -rn port"}, answered))

    assert record["text"] == "$ grep -rn port\n[exit code 0]\na.txt:1:port\nb.txt:2:port"


def test_private_parts_are_kept_nowhere(project: Path) -> None:
    hidden = "<private>SECRET</private>"
    given = {"command": f"echo {hidden}", "description": hidden}

    record = the_one(tool(project, "Bash", given, {"stdout": f"x {hidden}", "stderr": hidden}))

    assert "SECRET" not in str(record)


def test_the_same_event_has_the_same_id_and_another_has_another() -> None:
    first = an_event("UserPromptSubmit", prompt="go on")

    again, turn, text = (
        the_one(first),
        the_one({**first, "prompt_id": "p2"}),
        the_one({**first, "prompt": "stop"}),
    )

    assert the_one(first)["id"] == again["id"]
    assert len({again["id"], turn["id"], text["id"]}) == 3


def test_a_prompt_without_end_is_kept_with_its_beginning_and_its_end() -> None:
    record = the_one(an_event("UserPromptSubmit", prompt="begin" + "x" * 5_000_000 + "end"))

    text = str(record["text"])
    assert text.startswith("begin")
    assert text.endswith("end")
    assert len(text) < 500_000


def test_what_the_client_tells_its_agent_is_no_prompt_of_a_persons() -> None:
    told = an_event("UserPromptSubmit", prompt="<task-notification>\n<task-id>a1</task-id> done")

    assert event_records(HookEvent(told), HOME) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "/mcp__ai_smartness__recall signing keys",
        "/mcp__ai_smartness__handoff",
        "/mcp__plugin_ai-smartness_ai_smartness__recall signing keys",
    ],
)
def test_a_question_to_the_memory_itself_is_not_kept(prompt: str) -> None:
    assert event_records(HookEvent(an_event("UserPromptSubmit", prompt=prompt)), HOME) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "what does /mcp__ai_smartness__recall do? and /mcp__other__recall?",
        "/mcp__evil_ai_smartness__recall keys",
        "/mcp__ai_smartness__recall_all keys",
        "/mcp__evil__recall ai_smartness__",
    ],
)
def test_a_prompt_that_only_names_one_of_ours_is_kept(prompt: str) -> None:
    assert the_one(an_event("UserPromptSubmit", prompt=prompt))["text"] == prompt


def test_the_clients_own_summarizer_is_no_subagent() -> None:
    ended = an_event("SubagentStop", agent_type="", last_assistant_message="<summary>…</summary>")

    assert event_records(HookEvent(ended), HOME) == []

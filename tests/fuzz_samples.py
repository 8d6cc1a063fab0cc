"""One well-formed input of every kind that reaches us from outside, to be changed at random."""

from typing import Any

from hooking import an_event
from transcripts import SESSION, answer, prompt, result, tool

__all__ = ["ABOUT", "EVENTS", "MCP_REQUESTS", "PATHS", "SETTINGS_FILES", "TRANSCRIPTS"]

Line = dict[str, Any]

AT = "2026-11-16T05:12:14.245Z"
ABOUT: Line = {
    "session_id": "13f9504d-e324-4edd-b0f1-d3d2dac205f5",
    "transcript_path": "/CASE/home/.claude/projects/-CASE-proj/13f9504d.jsonl",
    "cwd": "/CASE/proj",
    "prompt_id": "4d1463ff-4599-4c20-bb9d-d52c8b854b88",
    "permission_mode": "default",
    "effort": {"level": "medium"},
    "tool_use_id": "toolu_db1cd8f812b74793b9db4f",
}
HUNK = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": ["-beta", "+gamma"]}


def used(name: str, given: Line, came: object = None) -> Line:
    return an_event("PostToolUse", tool_name=name, tool_input=given, tool_response=came)


EVENTS: list[Line] = [
    an_event("SessionStart", source="compact", model="claude-opus-5-5"),
    an_event("SessionStart", source="startup", model="claude-opus-5-5"),
    an_event("UserPromptSubmit", prompt="hello <private>x</private>, what of solana?"),
    an_event("PreToolUse", tool_name="Read", tool_input={"file_path": "/p/.ai/recall/solana"}),
    an_event("PreToolUse", tool_name="Bash", tool_input={"command": "cat '.ai/recall/x y' | head"}),
    an_event("PreToolUse", tool_name="mcp__ai_smartness__ai_recall", tool_input={"query": "x"}),
    used(
        "Bash",
        {"command": "echo hi; echo err >&2", "description": "say hi"},
        {"stdout": "hi\nerr", "stderr": "", "interrupted": False},
    ),
    used(
        "Edit",
        {"file_path": "/CASE/proj/a.txt", "old_string": "beta", "new_string": "gamma"},
        {"filePath": "a.txt", "structuredPatch": [HUNK], "originalFile": "beta"},
    ),
    used(
        "MultiEdit",
        {"file_path": "/CASE/proj/a.txt", "edits": [{"old_string": "a", "new_string": "b"}]},
        {"filePath": "a.txt", "structuredPatch": [HUNK]},
    ),
    used("Write", {"file_path": "/CASE/proj/a.txt", "content": "x"}, {"type": "create"}),
    used(
        "Read",
        {"file_path": "/CASE/proj/a.txt", "offset": 1, "limit": 3},
        {"type": "text", "file": {"content": "a", "numLines": 3, "startLine": 1}},
    ),
    used("NotebookEdit", {"notebook_path": "/CASE/n.ipynb", "new_source": "x"}, {"error": ""}),
    used("WebFetch", {"url": "https://x.test/", "prompt": "what"}, {"code": 200, "result": "text"}),
    used("WebSearch", {"query": "x"}, {"results": [{"content": [{"title": "t", "url": "u"}]}]}),
    used("Task", {"prompt": "look", "description": "d"}, {"content": [{"text": "found"}]}),
    used("ExitPlanMode", {"plan": "1. do"}, {"plan": "1. do", "isAgent": False}),
    used("mcp__x__y", {"q": 1}, [{"type": "text", "text": "one"}]),
    an_event("PostToolUseFailure", tool_name="Bash", tool_input={}, error="Exit code 3"),
    an_event("Stop", stop_hook_active=False, last_assistant_message="Final"),
    an_event("SubagentStart", agent_id="a1", agent_type="Explore"),
    an_event("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="Done"),
    an_event("PreCompact", trigger="manual", custom_instructions="keep the plan"),
    an_event("PostCompact", trigger="auto", compact_summary="<summary>S</summary>"),
    an_event("Notification", message="Claude needs your permission", title="t"),
    an_event("SessionEnd", reason="other"),
]

PATHS = [
    ".ai/recall/JWT keys?limit=3",
    "/p/.ai/recall/what%20of%20solana",
    ".ai/merge/thread_jwt/thread_logo",
    ".ai/split/thread_logo",
    ".ai/split/thread_jwt/confirm?titles=One,Two&msgs_0=j1&msgs_1=j2,j3&lock=agent_release",
    ".ai/unlock/thread_jwt",
    ".ai/suggestions/context",
    ".ai/statements/decision",
    ".ai/recall/thread_logo?limit=50",
    ".ai/recall/JWT?session=s9&before=2026-03-02T12:00:00Z",
    ".ai/merge/thread_jwt/thread_other",
    ".ai/split/thread_logo/confirm?titles=Logo&msgs_0=l2&lock=force",
    ".ai/split/thread_jwt/confirm?titles=A,B,C&msgs_0=j1&msgs_1=&msgs_2=j3",
    ".ai/unlock/thread_logo?force=true",
    ".ai/suggestions",
    ".ai/statements",
    ".ai/handoff/s9",
    ".ai/handoff",
    ".ai/status",
    ".ai/help",
    ".ai/",
]

CLIENT = {"name": "raw", "version": "1"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


def request(method: str, **params: object) -> Line:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


MCP_REQUESTS: list[Line] = [
    request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=CLIENT),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    request("ping"),
    request("tools/list", cursor=None),
    request("tools/list", _meta=META),
    request("tools/call", name="ai_recall", arguments={"query": "JWT", "limit": 3}),
    request("tools/call", name="ai_pin", arguments={"content": "x", "kind": "decision"}),
    request("tools/call", name="ai_split", arguments={"thread": "t", "parts": []}),
    request("resources/read", uri="memory://thread/thread_jwt"),
    request("resources/templates/list"),
    request("prompts/get", name="recall", arguments={"query": "x", "word_2": "y"}),
    request("server/discover", _meta=META),
]


def codex(kind: str, **payload: object) -> Line:
    return {"timestamp": AT, "ordinal": 0, "type": kind, "payload": payload}


def codex_item(**item: object) -> Line:
    return codex("event_msg", type="item_completed", turn_id="t1", item=item)


def copilot(kind: str, **data: object) -> Line:
    return {"type": kind, "data": data, "id": "e1", "timestamp": AT, "parentId": None}


PATCH = "*** Begin Patch\n*** Update File: b.py\n@@\n-90\n+30\n*** Add File: a.py\n+new\n"
GEMINI_OUTPUT = {"functionResponse": {"response": {"output": "Output: b.py\nExit Code: 3\n"}}}
GEMINI_CALL = {"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}, "timestamp": AT}
GEMINI: list[Line] = [
    {"sessionId": "s1", "projectHash": "d6", "startTime": AT, "kind": "main"},
    {"$set": {"messages": [{"id": "0", "type": "user", "content": [{"text": "context"}]}]}},
    {"id": "1", "timestamp": AT, "type": "user", "content": [{"text": "shorten it"}]},
    {
        "id": "2",
        "timestamp": AT,
        "type": "gemini",
        "content": "I will look.",
        "toolCalls": [{**GEMINI_CALL, "status": "success", "result": [GEMINI_OUTPUT]}],
    },
    {"id": "4", "timestamp": AT, "type": "gemini", "content": "Every 30 days."},
]

SPECSTORY = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-07-13 13:40:49Z

<!-- Claude Code Session {SESSION} (2026-07-13 13:40:49Z) -->

_**User (2026-07-13 13:40:49Z)**_

fix the flaky test in app.py

---

_**Agent (claude-opus-4-8 2026-07-13 13:40:56Z)**_

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
`pytest`
</details></tool-use>
"""
NOTES = "---\ntitle: rules\n---\n\n# Rules\n\n- use tabs\n- test first\n\n## Ports\n\nDB on 5432.\n"

TRANSCRIPTS: dict[str, tuple[str, list[Line] | str]] = {
    "claude-code": (
        f".claude/projects/-home-ann-shop/{SESSION}.jsonl",
        [
            prompt("rotate the keys", "p1"),
            tool("Bash", "t1", minute=1, command="ls"),
            result("a.py", "t1", minute=2, toolUseResult={"stdout": "a.py", "stderr": ""}),
            answer("They are rotated.", minute=3),
            {"type": "summary", "summary": "keys", "leafUuid": "uuid-3"},
            {"type": "system", "subtype": "compact_boundary", "uuid": "u9", "timestamp": AT},
        ],
    ),
    "codex": (
        "rollout-1.jsonl",
        [
            codex("session_meta", id="s1", cwd="/p", cli_version="0.166.0"),
            codex("event_msg", type="task_started", turn_id="t1"),
            codex_item(type="UserMessage", content=[{"type": "text", "text": "shorten it"}]),
            codex_item(
                type="CommandExecution",
                id="c1",
                command=["/bin/bash", "-lc", "cat rotate.py"],
                aggregated_output="DAYS = 90\n",
                exit_code=3,
            ),
            codex_item(type="FileChange", id="c2", changes={"/p/b.py": {"unified_diff": "@@"}}),
            codex("event_msg", type="user_message", message="shorten it"),
            codex(
                "response_item",
                type="function_call",
                name="shell",
                arguments='{"command":["bash","-lc","ls"]}',
                call_id="c1",
            ),
            codex("response_item", type="function_call_output", call_id="c1", output='{"o":1}'),
            codex("response_item", type="custom_tool_call", name="apply_patch", input=PATCH),
            codex("event_msg", type="task_complete", turn_id="t1", last_agent_message="Done."),
        ],
    ),
    "gemini": ("proj/chats/session-1.jsonl", GEMINI),
    "copilot": (
        "events.jsonl",
        [
            copilot("session.start", sessionId="s1", context={"cwd": "/p"}, copilotVersion="1.0"),
            copilot("user.message", content="shorten it", interactionId="i1"),
            copilot("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"a": 1}),
            copilot(
                "tool.execution_complete",
                toolCallId="c1",
                success=True,
                shellExecution={"exitCode": 3},
                result={"content": "b.py\n<shellId: 0 completed with exit code 3>"},
            ),
            copilot("assistant.message", content="Every 30 days.", toolRequests=[]),
        ],
    ),
    "jsonl": (
        "lines.jsonl",
        [
            {"text": "hello", "role": "user", "at": AT, "session": "s1", "id": "m1"},
            {"text": "hi", "role": "assistant", "project": "/p", "source": "chat", "thread": "t"},
        ],
    ),
    "specstory": (".specstory/history/2026-07-13_13-40Z-flaky.md", SPECSTORY),
    "notes": ("CLAUDE.md", NOTES),
}

SETTINGS_FILES = [
    '[embedder]\nmodel = "none"\nthreads = 2\n\n[store]\nbusy_timeout_ms = 100\n',
    "[backup]\nfolder = 'backups'\ndaily = true\n# a comment\n[search]\nlimit = 5\n",
    'inject.floor = 0.3\n"capture".redact = false\n[llm]\nmodel = ""\n',
    "",
]

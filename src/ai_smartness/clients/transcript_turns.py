"""What the transcripts of all clients have in common: prompts, tools and answers, in turns.

Each becomes the event that the client would have handed to a hook, with the same ids, so that
what a hook has captured is known when the transcript tells of it.

The tools of other clients under the names that are known here, with their input as it is there.

What only looks around or keeps the client's own books is named so too, and left out with them.
"""

import re
from collections import Counter
from datetime import datetime

from ai_smartness.clients.transcript_reader import Fields, text_field
from ai_smartness.ports.transfer import RecordedHookEvent, TranscriptItem

__all__ = ["PatchedFile", "SessionTurns", "known_tool", "patched_files"]


class SessionTurns:
    """The state of one session while its transcript is read."""

    def __init__(self, client: str, state: Fields) -> None:
        self.client = client
        self.session = str(state.get("session") or "")
        self.cwd = str(state.get("cwd") or "")
        self.turn = str(state.get("turn") or "")
        self.agent: Fields = {}
        self.skipped: Counter[str] = Counter()
        self._uses: dict[str, tuple[str, Fields]] = {}
        self._answer: tuple[datetime | None, str] | None = None

    @property
    def is_waiting(self) -> bool:
        """Say whether a tool's result or the end of a turn is to come."""
        return bool(self._uses) or self._answer is not None

    @property
    def state(self) -> Fields:
        """Return which session, folder and turn it is."""
        return {"session": self.session, "cwd": self.cwd, "turn": self.turn}

    def skipped_kind(self, start: bytes) -> str:  # noqa: ARG002 - those who can tell say so
        """Read every line, unless the format says otherwise."""
        return ""

    def start_turn(self, at: datetime | None, text: str, turn: str) -> list[TranscriptItem]:
        """Begin a turn: whatever was waited for is over."""
        told = self.finish_turn()
        # As a hook does where the client names no turn.
        self.turn = turn or (str(int(at.timestamp() // 60)) if at else "")
        if text.strip():
            told.append(self._hook_event("UserPromptSubmit", at, prompt=text))
        return told

    def note_answer(self, at: datetime | None, text: str) -> None:
        """Take note of what is the turn's answer if nothing comes after it."""
        if text.strip():
            self._answer = (at, text)

    def answer_turn(self, at: datetime | None, text: str) -> list[TranscriptItem]:
        """End a turn with its answer."""
        self._answer = (at, text) if text.strip() else None
        return self.finish_turn()

    def note_tool_use(self, call: str, tool: str, given: Fields) -> None:
        """Take note of a tool that is used: what was said before it was no answer."""
        self._answer = None
        self._uses[call] = (tool, given)

    def take_tool_use(self, call: str) -> tuple[str, Fields] | None:
        """Return what a result belongs to, once."""
        return self._uses.pop(call, None)

    def finish_turn(self) -> list[TranscriptItem]:
        """Tell the answer, and forget tools that never came back."""
        self._uses.clear()
        if self._answer is None:
            return []
        (at, text), self._answer = self._answer, None
        event = "SubagentStop" if self.agent else "Stop"
        return [self._hook_event(event, at, last_assistant_message=text)]

    def tool_event(
        self,
        at: datetime | None,
        call: str,
        tool: str,
        given: Fields,
        response: object,
        *,
        error: str | None = None,
    ) -> TranscriptItem:
        """Tell of a tool's use and what came of it."""
        about: Fields = {"tool_name": tool, "tool_input": given, "tool_use_id": call}
        if error is not None:
            return self._hook_event("PostToolUseFailure", at, **about, error=error)
        return self._hook_event("PostToolUse", at, **about, tool_response=response)

    def summary_event(self, at: datetime | None, text: str, trigger: str) -> TranscriptItem:
        """Tell of the summary that a client made of its context."""
        return self._hook_event("PostCompact", at, compact_summary=text, trigger=trigger)

    def _hook_event(self, name: str, at: datetime | None, **fields: object) -> RecordedHookEvent:
        about = {
            "hook_event_name": name,
            "session_id": self.session,
            "cwd": self.cwd,
            "prompt_id": self.turn,
        }
        return RecordedHookEvent(at, {**about, **self.agent, **fields}, self.client)


_COMMANDS = frozenset(
    {
        "bash",
        "exec_command",
        "local_shell",
        "powershell",
        "run_shell_command",
        "shell",
        "shell_command",
    }
)
_READS = frozenset({"read_file", "read_many_files", "view", "view_image"})
_EDITS = frozenset({"edit", "replace", "str_replace", "str_replace_editor", "insert"})
_WRITES = frozenset({"create", "write_file", "write_new_file"})
_IGNORED = frozenset(
    {
        "fetch_copilot_cli_documentation",
        "glob",
        "grep",
        "list_bash",
        "list_directory",
        "read_bash",
        "report_intent",
        "rg",
        "search_file_content",
        "stop_bash",
        "todo",
        "update_plan",
        "update_todo",
        "wait",
        "write_bash",
        "write_stdin",
        "write_todos",
    }
)
_WEB_TOOLS = {"web_fetch": "WebFetch", "google_web_search": "WebSearch", "web_search": "WebSearch"}
_OWN_TOOL = re.compile(r"(?:^|[-_])(ai_[a-z_]+)$")
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")


def known_tool(name: str, given: Fields) -> tuple[str, Fields]:
    """Return a tool's name here and its input; one that is unknown stays what it is."""
    path = text_field(given, "file_path", "path", "absolute_path", "filePath")
    if name in _COMMANDS:
        return "Bash", {"command": _command_text(given)}
    if name in _IGNORED:
        return "Grep", given
    if name in _READS:
        return "Read", {"file_path": path}
    if name in _EDITS:
        old, new = (
            text_field(given, "old_string", "old_str"),
            text_field(given, "new_string", "new_str"),
        )
        return "Edit", {"file_path": path, "old_string": old, "new_string": new}
    if name in _WRITES:
        return "Write", {"file_path": path, "content": text_field(given, "content", "file_text")}
    ours = _OWN_TOOL.search(name)
    return (f"mcp__ai__{ours[1]}" if ours else _WEB_TOOLS.get(name, name)), given


def _command_text(given: Fields) -> str:
    command = given.get("command", given.get("cmd"))
    if isinstance(command, list):
        words = [each for each in command if isinstance(each, str)]
        # `bash -lc WORDS` says no more than WORDS.
        return words[-1] if words[1:2] in (["-lc"], ["-c"]) else " ".join(words)
    return command if isinstance(command, str) else ""


class PatchedFile:
    """What a patch does to one file, line by line."""

    def __init__(self, path: str, *, made: bool) -> None:
        self.path = path
        self.is_new = made
        self.lines: list[str] = []

    @property
    def tool_input(self) -> Fields:
        """Return it as the input of a tool that edits."""
        return {"file_path": self.path}

    @property
    def tool_response(self) -> Fields:
        """Return it as what such a tool answers."""
        hunk = {"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 0, "lines": self.lines}
        counts = {
            f"{name}Lines": self._count_lines(sign) for name, sign in (("old", "-"), ("new", "+"))
        }
        return {"type": "create" if self.is_new else "", "structuredPatch": [{**hunk, **counts}]}

    def _count_lines(self, sign: str) -> int:
        return sum(line[:1] in (sign, " ") for line in self.lines)


def patched_files(patch: str) -> list[PatchedFile]:
    """Read a patch in Codex's own form (`*** Update File: …`), file by file."""
    found: list[PatchedFile] = []
    for line in patch.splitlines():
        file = _PATCH_FILE.match(line)
        if file:
            found.append(PatchedFile(file[2].strip(), made=file[1] == "Add"))
        elif found and line[:1] in ("+", "-", " "):
            found[-1].lines.append(line)
    return found

"""The transcripts of Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.

Seen: 0.166.0 as the client itself writes it, which tells of finished items and of the end of a
turn; 0.46 by what is published of it, where prompts and answers are `event_msg` lines and tools
are `function_call` lines with their outputs.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    message_texts,
    object_field,
    parsed_object,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import (
    PatchedFile,
    SessionTurns,
    known_tool,
    patched_files,
)
from ai_smartness.ports.transfer import TranscriptFile, TranscriptItem

__all__ = ["FORMAT", "READER"]

FORMAT = "codex"
_BOOKKEEPING_TYPES = frozenset({"compacted", "token_usage_record", "turn_context", "world_state"})
_EXIT_CODE = re.compile(r"\A(?:.*\n)*?(?:Process exited with code|Exit code:) (-?\d+)\n")
_PREAMBLE = re.compile(r"\A(?:[A-Z][^\n]*\n)*?Output:\n")


def transcript_folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("CODEX_HOME")
    root = Path(moved) if moved else home / ".codex"
    return [root / "sessions", root / "archived_sessions"]


def is_transcript(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    return path.suffix == ".jsonl" and path.name.startswith("rollout-")


class CodexTranscript(SessionTurns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: TranscriptFile, state: Fields) -> None:  # noqa: ARG002 - every scribe's
        super().__init__(FORMAT, state)

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Tell what a line means."""
        kind, payload = text_field(fields, "type"), object_field(fields, "payload")
        at = parsed_time(fields.get("timestamp"))
        self.cwd = text_field(payload, "cwd") or self.cwd
        self.turn = text_field(payload, "turn_id") or self.turn
        match kind:
            case "session_meta":
                self.session = text_field(payload, "id", "session_id") or self.session
                return []
            case "event_msg":
                return self._event_msg(at, payload)
            case "response_item":
                return self._response_item(at, payload)
            case _:
                self.skipped[
                    kind if kind in _BOOKKEEPING_TYPES else f"unknown: {kind or 'no type'}"[:60]
                ] += 1
        return []

    def _event_msg(self, at: datetime | None, payload: Fields) -> list[TranscriptItem]:
        match text_field(payload, "type"):
            case "user_message":
                return self.start_turn(at, text_field(payload, "message"), self.turn)
            case "agent_message":
                self.note_answer(at, text_field(payload, "message"))
            case "task_complete" | "turn_complete":
                text = text_field(payload, "last_agent_message")
                return self.answer_turn(at, text) if text else self.finish_turn()
            case "item_completed":
                return self._completed_item(at, object_field(payload, "item"))
            case kind:
                self.skipped[f"event {kind}"[:60]] += 1
        return []

    def _completed_item(self, at: datetime | None, item: Fields) -> list[TranscriptItem]:
        text = "\n".join(message_texts(item.get("content")))
        call = text_field(item, "id")
        match text_field(item, "type"):
            case "UserMessage":
                return self.start_turn(at, text, self.turn)
            case "AgentMessage":
                self.note_answer(at, text)
            case "CommandExecution":
                self.take_tool_use(call)
                response = {
                    "stdout": text_field(item, "aggregated_output"),
                    "exit_code": item.get("exit_code"),
                }
                return [self.tool_event(at, call, *known_tool("shell", item), response)]
            case "FileChange":
                self.take_tool_use(call)
                changes = object_field(item, "changes")
                return self._edit_events(
                    at, call, [_changed_file(path, changes) for path in changes]
                )
            case kind:
                self.skipped[f"item {kind}"[:60]] += 1
        return []

    def _response_item(self, at: datetime | None, payload: Fields) -> list[TranscriptItem]:
        call = text_field(payload, "call_id", "id")
        match text_field(payload, "type"):
            case "function_call":
                given = parsed_object(text_field(payload, "arguments").encode()) or {}
                self.note_tool_use(call, text_field(payload, "name"), given)
            case "custom_tool_call":
                self.note_tool_use(
                    call, text_field(payload, "name"), {"input": payload.get("input")}
                )
            case "local_shell_call":
                self.note_tool_use(call, "shell", object_field(payload, "action"))
            case "function_call_output" | "custom_tool_call_output":
                return self._tool_output(at, call, payload.get("output"))
            case kind:
                self.skipped[f"item {kind}"[:60]] += 1
        return []

    def _tool_output(self, at: datetime | None, call: str, output: object) -> list[TranscriptItem]:
        use = self.take_tool_use(call)
        if use is None:
            # It was told of when it was completed.
            return []
        tool, given = use
        _, there = known_tool(tool, given)
        script = text_field(there, "command", "input")
        if "*** Begin Patch" in script:
            return self._edit_events(at, call, patched_files(script))
        return [self.tool_event(at, call, *known_tool(tool, given), _command_response(output))]

    def _edit_events(
        self, at: datetime | None, call: str, files: list[PatchedFile]
    ) -> list[TranscriptItem]:
        named = sorted(files, key=lambda each: each.path)
        return [
            self.tool_event(
                at,
                f"{call}#{number}" if number else call,
                "Write" if each.is_new else "Edit",
                each.tool_input,
                each.tool_response,
            )
            for number, each in enumerate(named)
        ]


def _changed_file(path: str, changes: Fields) -> PatchedFile:
    change = object_field(changes, path)
    file = PatchedFile(path, made=change.get("type") == "add")
    diff = text_field(change, "unified_diff")
    if diff:
        file.lines = [line for line in diff.splitlines() if line[:1] in ("+", "-", " ")]
    else:
        sign = "-" if change.get("type") == "delete" else "+"
        file.lines = [f"{sign}{line}" for line in text_field(change, "content").splitlines()]
    return file


def _command_response(output: object) -> Fields:
    """Return what a command printed, and how it ended, from however it was written down."""
    text = "\n".join(message_texts(output))
    if text.startswith("{"):
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            whole = None
        if isinstance(whole, dict):
            code = object_field(whole, "metadata").get("exit_code")
            return {"stdout": text_field(whole, "output"), "exit_code": code}
    code_said = _EXIT_CODE.match(text[:2_000])
    return {"stdout": _PREAMBLE.sub("", text), "exit_code": int(code_said[1]) if code_said else 0}


def _is_line(fields: Fields) -> bool:
    return "payload" in fields and "timestamp" in fields


READER = TranscriptFormat(
    FORMAT,
    partial(read_transcript, CodexTranscript),
    is_transcript,
    transcript_folders,
    is_line=_is_line,
    live=True,
)

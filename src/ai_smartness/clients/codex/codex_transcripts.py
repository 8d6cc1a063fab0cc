"""The transcripts of Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.

Tested with files that 0.166.0 wrote, which record completed items and the end of a turn, and
with the published format of 0.46, which has prompts and answers in `event_msg` lines and tools in
`function_call` lines with their outputs.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from ai_smartness.clients.tool_names import edit_response, known_tool, patched_files
from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    configured_folder,
    message_texts,
    object_field,
    parsed_object,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import SessionTurns
from ai_smartness.ports.transfer import TranscriptFile, TranscriptItem

__all__ = ["READER"]

_BOOKKEEPING_TYPES = frozenset({"compacted", "token_usage_record", "turn_context", "world_state"})
_EXIT_CODE = re.compile(r"\A(?:.*\n)*?(?:Process exited with code|Exit code:) (-?\d+)\n")
_PREAMBLE = re.compile(r"\A(?:[A-Z][^\n]*\n)*?Output:\n")


class CodexTranscript(SessionTurns):
    """Reads the lines of a transcript."""

    def __init__(self, _file: TranscriptFile, state: Fields) -> None:
        super().__init__("codex", state)

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Return the items that this line completes."""
        kind, payload = text_field(fields, "type"), object_field(fields, "payload")
        at = parsed_time(fields.get("timestamp"))
        self.cwd = text_field(payload, "cwd") or self.cwd
        self.turn = text_field(payload, "turn_id") or self.turn
        match kind:
            case "session_meta":
                self.session = text_field(payload, "id", "session_id") or self.session
            case "event_msg":
                return self._event_msg(at, payload)
            case "response_item":
                return self._response_item(at, payload)
            case _ if kind in _BOOKKEEPING_TYPES:
                self.skipped[kind] += 1
            case _:
                self.skipped[f"unknown: {kind or 'no type'}"[:60]] += 1
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
                output, code = text_field(item, "aggregated_output"), item.get("exit_code")
                response = {"stdout": output, "exit_code": code}
                return [self.tool_event(at, call, known_tool("shell", item), response)]
            case "FileChange":
                self.take_tool_use(call)
                changes = object_field(item, "changes")
                files = [_changed_file(path, object_field(changes, path)) for path in changes]
                return self._edit_events(at, call, files)
            case kind:
                self.skipped[f"item {kind}"[:60]] += 1
        return []

    def _response_item(self, at: datetime | None, payload: Fields) -> list[TranscriptItem]:
        call, name = text_field(payload, "call_id", "id"), text_field(payload, "name")
        match text_field(payload, "type"):
            case "function_call":
                arguments = parsed_object(text_field(payload, "arguments").encode()) or {}
                self.note_tool_use(call, name, arguments)
            case "custom_tool_call":
                self.note_tool_use(call, name, {"input": payload.get("input")})
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
            # Recorded when the item was completed.
            return []
        use = known_tool(*use)
        script = text_field(use[1], "command", "input")
        if "*** Begin Patch" in script:
            return self._edit_events(at, call, patched_files(script))
        return [self.tool_event(at, call, use, _command_response(output))]

    def _edit_events(
        self, at: datetime | None, call: str, files: Iterable[tuple[str, bool, list[str]]]
    ) -> list[TranscriptItem]:
        return [
            self.tool_event(
                at,
                f"{call}#{number}" if number else call,
                ("Write" if is_new else "Edit", {"file_path": path}),
                edit_response(lines, is_new=is_new),
            )
            for number, (path, is_new, lines) in enumerate(sorted(files, key=lambda file: file[0]))
        ]


def _changed_file(path: str, change: Fields) -> tuple[str, bool, list[str]]:
    diff = text_field(change, "unified_diff")
    if diff:
        lines = [line for line in diff.splitlines() if line[:1] in ("+", "-", " ")]
    else:
        sign = "-" if change.get("type") == "delete" else "+"
        lines = [f"{sign}{line}" for line in text_field(change, "content").splitlines()]
    return path, change.get("type") == "add", lines


def _command_response(output: object) -> Fields:
    """Return the output and the exit code, from any of the forms in which they are written."""
    text = "\n".join(message_texts(output))
    whole = parsed_object(text.encode("utf-8", "surrogatepass")) if text.startswith("{") else None
    if whole is not None:
        code = object_field(whole, "metadata").get("exit_code")
        return {"stdout": text_field(whole, "output"), "exit_code": code}
    exit_code = _EXIT_CODE.match(text[:2_000])
    return {"stdout": _PREAMBLE.sub("", text), "exit_code": int(exit_code[1]) if exit_code else 0}


def _folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    root = configured_folder(environ, "CODEX_HOME", home / ".codex")
    return [root / "sessions", root / "archived_sessions"]


READER = TranscriptFormat(
    "codex",
    partial(read_transcript, CodexTranscript),
    lambda path: path.suffix == ".jsonl" and path.name.startswith("rollout-"),
    _folders,
    is_line=lambda fields: "payload" in fields and "timestamp" in fields,
    live=True,
)

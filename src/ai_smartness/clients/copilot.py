"""The transcripts of Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.

Seen: 1.0.102 as the client itself writes it; 0.0.369 and 0.0.407 by what is published of them,
where a session is also one file `<session>.jsonl`.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    message_texts,
    object_field,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import SessionTurns, known_tool
from ai_smartness.ports.transfer import TranscriptFile, TranscriptItem

__all__ = ["FORMAT", "READER"]

FORMAT = "copilot"
MAX_WORKSPACE_BYTES = 100_000


def transcript_folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("COPILOT_HOME")
    return [(Path(moved) if moved else home / ".copilot") / "session-state"]


def is_transcript(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    return path.name == "events.jsonl" or (
        path.suffix == ".jsonl" and path.parent.name == "session-state"
    )


class CopilotTranscript(SessionTurns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: TranscriptFile, state: Fields) -> None:
        super().__init__(FORMAT, state)
        path = source.path
        self.session = self.session or (path.parent.name if path.stem == "events" else path.stem)
        self.cwd = self.cwd or _workspace_folder(path.parent)

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Tell what a line means."""
        kind, data = text_field(fields, "type"), object_field(fields, "data")
        at = parsed_time(fields.get("timestamp"))
        match kind:
            case "session.start" | "session.resume" | "session.context_changed":
                self.session = text_field(data, "sessionId") or self.session
                context = object_field(data, "context") or data
                self.cwd = text_field(context, "cwd") or self.cwd
            case "user.message":
                turn = text_field(data, "interactionId") or text_field(fields, "id")
                return self.start_turn(at, text_field(data, "content"), turn)
            case "assistant.message":
                return self._assistant_message(at, data)
            case "tool.execution_start":
                given = object_field(data, "arguments")
                self.note_tool_use(
                    text_field(data, "toolCallId"), text_field(data, "toolName"), given
                )
            case "tool.execution_complete":
                return self._completed_tool(at, data)
            case _:
                self.skipped[kind[:60] or "no type"] += 1
        return []

    def _assistant_message(self, at: datetime | None, data: Fields) -> list[TranscriptItem]:
        text = text_field(data, "content")
        if data.get("toolRequests") == []:
            return self.answer_turn(at, text)
        if not data.get("toolRequests"):
            self.note_answer(at, text)
        return []

    def _completed_tool(self, at: datetime | None, data: Fields) -> list[TranscriptItem]:
        call = text_field(data, "toolCallId")
        use = self.take_tool_use(call)
        if use is None:
            self.skipped["a result without its tool"] += 1
            return []
        tool, given = known_tool(*use)
        result = data.get("result")
        content = result.get("content") if isinstance(result, dict) else result
        printed = "\n".join(message_texts(content))
        if data.get("success") is False:
            error = object_field(data, "error")
            return [
                self.tool_event(
                    at, call, tool, given, None, error=text_field(error, "message") or printed
                )
            ]
        code = object_field(data, "shellExecution").get("exitCode", 0)
        response: object = {"stdout": _without_shell_id(printed), "exit_code": code}
        if tool == "Write":
            response = {"type": "create"}
        return [self.tool_event(at, call, tool, given, response)]


def _without_shell_id(printed: str) -> str:
    """Return what a command printed without the client's last word on it."""
    whole, _, last = printed.rstrip().rpartition("\n")
    return whole if last.startswith("<shellId:") else printed


def _workspace_folder(folder: Path) -> str:
    """Read from the session's own notes which folder it is about."""
    try:
        with (folder / "workspace.yaml").open("rb") as file:
            written = file.read(MAX_WORKSPACE_BYTES).decode(errors="replace")
    except OSError:
        return ""
    named = (line.partition(":")[2] for line in written.splitlines() if line.startswith("cwd:"))
    return next((name.strip().strip("'\"") for name in named), "")


def _is_line(fields: Fields) -> bool:
    return "data" in fields and "." in text_field(fields, "type")


READER = TranscriptFormat(
    FORMAT,
    partial(read_transcript, CopilotTranscript),
    is_transcript,
    transcript_folders,
    is_line=_is_line,
    live=True,
)

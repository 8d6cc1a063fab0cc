"""The transcripts of Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.

Tested with files that 1.0.102 wrote, and with the published formats of 0.0.369 and 0.0.407, which
also have a session in one file `<session>.jsonl`.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from ai_smartness.clients.tool_names import known_tool
from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    configured_folder,
    message_texts,
    object_field,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import SessionTurns
from ai_smartness.ports.transfer import TranscriptFile, TranscriptItem

__all__ = ["READER"]

MAX_WORKSPACE_BYTES = 100_000


class CopilotTranscript(SessionTurns):
    """Reads the lines of a transcript."""

    def __init__(self, file: TranscriptFile, state: Fields) -> None:
        super().__init__("copilot", state)
        path = file.path
        self.session = self.session or (path.parent.name if path.stem == "events" else path.stem)
        self.cwd = self.cwd or _workspace_folder(path.parent)

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Return the items that this line completes."""
        kind, data = text_field(fields, "type"), object_field(fields, "data")
        at = parsed_time(fields.get("timestamp"))
        match kind:
            case "session.start" | "session.resume" | "session.context_changed":
                self.session = text_field(data, "sessionId") or self.session
                self.cwd = text_field(object_field(data, "context") or data, "cwd") or self.cwd
            case "user.message":
                turn = text_field(data, "interactionId") or text_field(fields, "id")
                return self.start_turn(at, text_field(data, "content"), turn)
            case "assistant.message":
                return self._assistant_message(at, data)
            case "tool.execution_start":
                call, tool = text_field(data, "toolCallId"), text_field(data, "toolName")
                self.note_tool_use(call, tool, object_field(data, "arguments"))
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
        use = known_tool(*use)
        result = data.get("result")
        content = result.get("content") if isinstance(result, dict) else result
        output = "\n".join(message_texts(content))
        if data.get("success") is False:
            error = text_field(object_field(data, "error"), "message") or output
            return [self.failure_event(at, call, use, error)]
        code = object_field(data, "shellExecution").get("exitCode", 0)
        response: Fields = {"stdout": _without_shell_id(output), "exit_code": code}
        return [
            self.tool_event(at, call, use, {"type": "create"} if use[0] == "Write" else response)
        ]


def _without_shell_id(output: str) -> str:
    """Return a command's output without the line that the client adds to it."""
    whole, _, last = output.rstrip().rpartition("\n")
    return whole if last.startswith("<shellId:") else output


def _workspace_folder(folder: Path) -> str:
    """Read the session's working folder from the file beside its transcript."""
    try:
        with (folder / "workspace.yaml").open("rb") as file:
            text = file.read(MAX_WORKSPACE_BYTES).decode(errors="replace")
    except OSError:
        return ""
    names = (line.partition(":")[2] for line in text.splitlines() if line.startswith("cwd:"))
    return next((name.strip().strip("'\"") for name in names), "")


def _is_transcript(path: Path) -> bool:
    is_flat = path.suffix == ".jsonl" and path.parent.name == "session-state"
    return path.name == "events.jsonl" or is_flat


def _folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [configured_folder(environ, "COPILOT_HOME", home / ".copilot") / "session-state"]


READER = TranscriptFormat(
    "copilot",
    partial(read_transcript, CopilotTranscript),
    _is_transcript,
    _folders,
    is_line=lambda fields: "data" in fields and "." in text_field(fields, "type"),
    live=True,
)

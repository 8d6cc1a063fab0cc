"""The transcripts of Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.

Seen: 1.0.102 as the client itself writes it; 0.0.369 and 0.0.407 by what is published of them,
where a session is also one file `<session>.jsonl`.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ai_smartness.adapters.transcripts.fields import Fields, inner, moment, text_of, texts_in
from ai_smartness.adapters.transcripts.tool_names import known_tool
from ai_smartness.adapters.transcripts.turns import Turns
from ai_smartness.ports.history import Source, Told

__all__ = ["FORMAT", "Copilot", "folders", "is_one"]

FORMAT = "copilot"
LONGEST_WORKSPACE_BYTES = 100_000


def folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("COPILOT_HOME")
    return [(Path(moved) if moved else home / ".copilot") / "session-state"]


def is_one(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    return path.name == "events.jsonl" or (
        path.suffix == ".jsonl" and path.parent.name == "session-state"
    )


class Copilot(Turns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: Source, state: Fields) -> None:
        super().__init__(FORMAT, state)
        path = source.path
        self.session = self.session or (path.parent.name if path.stem == "events" else path.stem)
        self.cwd = self.cwd or _workspace(path.parent)

    def line(self, fields: Fields) -> list[Told]:
        """Tell what a line means."""
        kind, data = text_of(fields, "type"), inner(fields, "data")
        at = moment(fields.get("timestamp"))
        match kind:
            case "session.start" | "session.resume" | "session.context_changed":
                self.session = text_of(data, "sessionId") or self.session
                context = inner(data, "context") or data
                self.cwd = text_of(context, "cwd") or self.cwd
            case "user.message":
                turn = text_of(data, "interactionId") or text_of(fields, "id")
                return self.prompted(at, text_of(data, "content"), turn)
            case "assistant.message":
                return self._message(at, data)
            case "tool.execution_start":
                given = inner(data, "arguments")
                self.uses(text_of(data, "toolCallId"), text_of(data, "toolName"), given)
            case "tool.execution_complete":
                return self._ran(at, data)
            case _:
                self.skipped[kind[:60] or "no type"] += 1
        return []

    def _message(self, at: datetime | None, data: Fields) -> list[Told]:
        text = text_of(data, "content")
        if data.get("toolRequests") == []:
            return self.answered(at, text)
        if not data.get("toolRequests"):
            self.may_answer(at, text)
        return []

    def _ran(self, at: datetime | None, data: Fields) -> list[Told]:
        call = text_of(data, "toolCallId")
        use = self.used(call)
        if use is None:
            self.skipped["a result without its tool"] += 1
            return []
        tool, given = known_tool(*use)
        result = data.get("result")
        content = result.get("content") if isinstance(result, dict) else result
        printed = "\n".join(texts_in(content))
        if data.get("success") is False:
            error = inner(data, "error")
            return [
                self.ran(at, call, tool, given, None, error=text_of(error, "message") or printed)
            ]
        code = inner(data, "shellExecution").get("exitCode", 0)
        response: object = {"stdout": _plain(printed), "exit_code": code}
        if tool == "Write":
            response = {"type": "create"}
        return [self.ran(at, call, tool, given, response)]


def _plain(printed: str) -> str:
    """Return what a command printed without the client's last word on it."""
    whole, _, last = printed.rstrip().rpartition("\n")
    return whole if last.startswith("<shellId:") else printed


def _workspace(folder: Path) -> str:
    """Read from the session's own notes which folder it is about."""
    try:
        with (folder / "workspace.yaml").open("rb") as file:
            written = file.read(LONGEST_WORKSPACE_BYTES).decode(errors="replace")
    except OSError:
        return ""
    named = (line.partition(":")[2] for line in written.splitlines() if line.startswith("cwd:"))
    return next((name.strip().strip("'\"") for name in named), "")

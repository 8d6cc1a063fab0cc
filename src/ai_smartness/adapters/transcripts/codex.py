"""The transcripts of Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.

Seen: 0.166.0 as the client itself writes it, which tells of finished items and of the end of a
turn; 0.46 by what is published of it, where prompts and answers are `event_msg` lines and tools
are `function_call` lines with their outputs.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ai_smartness.adapters.transcripts.fields import (
    Fields,
    inner,
    loaded,
    moment,
    text_of,
    texts_in,
)
from ai_smartness.adapters.transcripts.tool_names import Patched, known_tool, patched
from ai_smartness.adapters.transcripts.turns import Turns
from ai_smartness.ports.history import Source, Told

__all__ = ["FORMAT", "Codex", "folders", "is_one"]

FORMAT = "codex"
_BOOKS = frozenset({"compacted", "token_usage_record", "turn_context", "world_state"})
_EXITED = re.compile(r"\A(?:.*\n)*?(?:Process exited with code|Exit code:) (-?\d+)\n")
_PREAMBLE = re.compile(r"\A(?:[A-Z][^\n]*\n)*?Output:\n")


def folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("CODEX_HOME")
    root = Path(moved) if moved else home / ".codex"
    return [root / "sessions", root / "archived_sessions"]


def is_one(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    return path.suffix == ".jsonl" and path.name.startswith("rollout-")


class Codex(Turns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: Source, state: Fields) -> None:  # noqa: ARG002 - every scribe's
        super().__init__(FORMAT, state)

    def line(self, fields: Fields) -> list[Told]:
        """Tell what a line means."""
        kind, payload = text_of(fields, "type"), inner(fields, "payload")
        at = moment(fields.get("timestamp"))
        self.cwd = text_of(payload, "cwd") or self.cwd
        self.turn = text_of(payload, "turn_id") or self.turn
        match kind:
            case "session_meta":
                self.session = text_of(payload, "id", "session_id") or self.session
                return []
            case "event_msg":
                return self._event_msg(at, payload)
            case "response_item":
                return self._item(at, payload)
            case _:
                self.skipped[kind if kind in _BOOKS else f"unknown: {kind or 'no type'}"[:60]] += 1
        return []

    def _event_msg(self, at: datetime | None, payload: Fields) -> list[Told]:
        match text_of(payload, "type"):
            case "user_message":
                return self.prompted(at, text_of(payload, "message"), self.turn)
            case "agent_message":
                self.may_answer(at, text_of(payload, "message"))
            case "task_complete" | "turn_complete":
                text = text_of(payload, "last_agent_message")
                return self.answered(at, text) if text else self.end()
            case "item_completed":
                return self._completed(at, inner(payload, "item"))
            case kind:
                self.skipped[f"event {kind}"[:60]] += 1
        return []

    def _completed(self, at: datetime | None, item: Fields) -> list[Told]:
        text = "\n".join(texts_in(item.get("content")))
        call = text_of(item, "id")
        match text_of(item, "type"):
            case "UserMessage":
                return self.prompted(at, text, self.turn)
            case "AgentMessage":
                self.may_answer(at, text)
            case "CommandExecution":
                self.used(call)
                response = {
                    "stdout": text_of(item, "aggregated_output"),
                    "exit_code": item.get("exit_code"),
                }
                return [self.ran(at, call, *known_tool("shell", item), response)]
            case "FileChange":
                self.used(call)
                changes = inner(item, "changes")
                return self._edits(at, call, [_changed(path, changes) for path in changes])
            case kind:
                self.skipped[f"item {kind}"[:60]] += 1
        return []

    def _item(self, at: datetime | None, payload: Fields) -> list[Told]:
        call = text_of(payload, "call_id", "id")
        match text_of(payload, "type"):
            case "function_call":
                given = loaded(text_of(payload, "arguments").encode()) or {}
                self.uses(call, text_of(payload, "name"), given)
            case "custom_tool_call":
                self.uses(call, text_of(payload, "name"), {"input": payload.get("input")})
            case "local_shell_call":
                self.uses(call, "shell", inner(payload, "action"))
            case "function_call_output" | "custom_tool_call_output":
                return self._output(at, call, payload.get("output"))
            case kind:
                self.skipped[f"item {kind}"[:60]] += 1
        return []

    def _output(self, at: datetime | None, call: str, output: object) -> list[Told]:
        use = self.used(call)
        if use is None:
            # It was told of when it was completed.
            return []
        tool, given = use
        _, there = known_tool(tool, given)
        script = text_of(there, "command", "input")
        if "*** Begin Patch" in script:
            return self._edits(at, call, patched(script))
        return [self.ran(at, call, *known_tool(tool, given), _response(output))]

    def _edits(self, at: datetime | None, call: str, files: list[Patched]) -> list[Told]:
        named = sorted(files, key=lambda each: each.path)
        return [
            self.ran(
                at,
                f"{call}#{number}" if number else call,
                "Write" if each.made else "Edit",
                each.input,
                each.response,
            )
            for number, each in enumerate(named)
        ]


def _changed(path: str, changes: Fields) -> Patched:
    change = inner(changes, path)
    file = Patched(path, made=change.get("type") == "add")
    diff = text_of(change, "unified_diff")
    if diff:
        file.lines = [line for line in diff.splitlines() if line[:1] in ("+", "-", " ")]
    else:
        sign = "-" if change.get("type") == "delete" else "+"
        file.lines = [f"{sign}{line}" for line in text_of(change, "content").splitlines()]
    return file


def _response(output: object) -> Fields:
    """Return what a command printed, and how it ended, from however it was written down."""
    text = "\n".join(texts_in(output))
    if text.startswith("{"):
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            whole = None
        if isinstance(whole, dict):
            code = inner(whole, "metadata").get("exit_code")
            return {"stdout": text_of(whole, "output"), "exit_code": code}
    code_said = _EXITED.match(text[:2_000])
    return {
        "stdout": _PREAMBLE.sub("", text),
        "exit_code": int(code_said[1]) if code_said else 0,
    }

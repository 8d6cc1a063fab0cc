"""The transcripts of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl` or `.json`.

Seen: 0.61.0 as the client itself writes it, a line for each message, which is written again when
its tools have run; before 0.40 or so, by what is published of it, one JSON object for the whole
session, written anew each time.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from ai_smartness.adapters.transcripts.document import read_whole
from ai_smartness.adapters.transcripts.fields import (
    Fields,
    inner,
    listed,
    moment,
    text_of,
    texts_in,
)
from ai_smartness.adapters.transcripts.scribe import told_by
from ai_smartness.adapters.transcripts.tool_names import known_tool
from ai_smartness.adapters.transcripts.turns import Turns
from ai_smartness.ports.history import Mark, Piece, Source, Told

__all__ = ["FORMAT", "Gemini", "folders", "is_one", "pieces", "project_of"]

FORMAT = "gemini"
_CLIENTS_WORDS = ("<session_context>", "<hook_context>")
_DONE = frozenset({"success", "error"})


def folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("GEMINI_CLI_HOME")
    return [(Path(moved) if moved else home) / ".gemini" / "tmp"]


def is_one(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    in_chats = "chats" in (path.parent.name, path.parent.parent.name)
    return in_chats and path.suffix in (".json", ".jsonl")


def pieces(source: Source, since: Mark | None, now: datetime) -> Iterator[Piece]:
    """Read a transcript of either kind."""
    if source.path.suffix == ".jsonl":
        return told_by(Gemini, source, since, now)
    return read_whole(source, since, _whole)


def _whole(source: Source, text: str) -> tuple[list[Told], dict[str, int]]:
    try:
        fields = json.loads(text)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if not isinstance(fields, dict):
        msg = "it is no JSON object"
        raise ValueError(msg)  # noqa: TRY004 - whoever reads catches one kind
    scribe = Gemini(source, {})
    told = scribe.line({name: each for name, each in fields.items() if name != "messages"})
    for message in listed(fields, "messages"):
        told += scribe.line(message)
    return [*told, *scribe.end()], dict(scribe.skipped)


class Gemini(Turns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: Source, state: Fields) -> None:
        super().__init__(FORMAT, state)
        self.cwd = self.cwd or project_of(source.path)
        self._seen = set[str]()

    def line(self, fields: Fields) -> list[Told]:
        """Tell what a line means."""
        kind = text_of(fields, "type")
        at = moment(fields.get("timestamp"))
        if "sessionId" in fields:
            self.session = text_of(fields, "sessionId") or self.session
            return []
        match kind:
            case "user":
                return self._prompt(at, fields)
            case "gemini":
                return self._message(at, fields)
            case _:
                name = next((each for each in ("$set", "$rewindTo") if each in fields), kind)
                self.skipped[name[:60] or "no type"] += 1
        return []

    def _prompt(self, at: datetime | None, fields: Fields) -> list[Told]:
        shown = fields.get("displayContent") or fields.get("content")
        text = "\n".join(each for each in texts_in(shown) if not each.startswith(_CLIENTS_WORDS))
        if not text.strip():
            # The results of tools come back as words of the user.
            return []
        return self.prompted(at, text, text_of(fields, "id"))

    def _message(self, at: datetime | None, fields: Fields) -> list[Told]:
        calls = listed(fields, "toolCalls")
        if not calls:
            self.may_answer(at, "\n".join(texts_in(fields.get("content"))))
            return []
        self.uses("", "", {})
        self.used("")
        return [self._ran(each) for each in calls if each.get("status") in _DONE]

    def _ran(self, call: Fields) -> Told:
        name, given = known_tool(text_of(call, "name"), inner(call, "args"))
        at, id_ = moment(call.get("timestamp")), text_of(call, "id")
        output = _output(call)
        if call.get("status") == "error":
            return self.ran(at, id_, name, given, None, error=output)
        shown = call.get("resultDisplay")
        if isinstance(shown, dict) and name in ("Edit", "Write"):
            made = "create" if shown.get("isNewFile") is True else ""
            lines = _diff(text_of(shown, "fileDiff"))
            return self.ran(at, id_, name, given, {"type": made, "structuredPatch": lines})
        return self.ran(at, id_, name, given, _printed(output))


def _output(call: Fields) -> str:
    results = [
        inner(inner(each, "functionResponse"), "response") for each in listed(call, "result")
    ]
    text = "\n".join(text_of(each, "output", "error") for each in results)
    return text.removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>")


def _printed(output: str) -> Fields:
    lines, code = list[str](), 0
    for line in output.splitlines():
        name, _, value = line.partition(": ")
        if name == "Exit Code" and value.lstrip("-").isdecimal():
            code = int(value)
        elif name not in ("Process Group PGID", "Background PIDs", "Signal"):
            lines.append(line.removeprefix("Output: "))
    return {"stdout": "\n".join(lines), "exit_code": code}


def _diff(diff: str) -> list[Fields]:
    """Return the changed lines of a unified diff, as one stretch."""
    head, mark, body = diff.partition("\n@@ ")
    del head
    lines = [line for line in body.splitlines()[1:] if line[:1] in ("+", "-", " ")] if mark else []
    olds, news = (sum(line[:1] in (sign, " ") for line in lines) for sign in "-+")
    hunk: Fields = {"oldStart": 1, "oldLines": olds, "newStart": 1, "newLines": news}
    return [{**hunk, "lines": lines}] if lines else []


def project_of(path: Path) -> str:
    """Read from beside the transcripts which folder they are about."""
    folder = next((each.parent for each in path.parents if each.name == "chats"), path.parent)
    try:
        return (folder / ".project_root").read_text(errors="replace")[:4_096].strip()
    except OSError:
        return ""

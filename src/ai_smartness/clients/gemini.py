"""The transcripts of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl` or `.json`.

Seen: 0.61.0 as the client itself writes it, a line for each message, which is written again when
its tools have run; before 0.40 or so, by what is published of it, one JSON object for the whole
session, written anew each time.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    message_texts,
    object_field,
    object_list,
    parsed_time,
    read_document,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import SessionTurns, known_tool
from ai_smartness.ports.transfer import ImportMark, TranscriptChunk, TranscriptFile, TranscriptItem

__all__ = ["FORMAT", "READER", "is_transcript"]

FORMAT = "gemini"
_CLIENT_TEXTS = ("<session_context>", "<hook_context>")
_FINAL_STATUSES = frozenset({"success", "error"})


def transcript_folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("GEMINI_CLI_HOME")
    return [(Path(moved) if moved else home) / ".gemini" / "tmp"]


def is_transcript(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    in_chats = "chats" in (path.parent.name, path.parent.parent.name)
    return in_chats and path.suffix in (".json", ".jsonl")


def read_chunks(
    source: TranscriptFile, since: ImportMark | None, now: datetime
) -> Iterator[TranscriptChunk]:
    """Read a transcript of either kind."""
    if source.path.suffix == ".jsonl":
        return read_transcript(GeminiTranscript, source, since, now)
    return read_document(source, since, _read_session)


def _read_session(source: TranscriptFile, text: str) -> tuple[list[TranscriptItem], dict[str, int]]:
    try:
        fields = json.loads(text)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if not isinstance(fields, dict):
        msg = "it is no JSON object"
        raise ValueError(msg)  # noqa: TRY004 - whoever reads catches one kind
    scribe = GeminiTranscript(source, {})
    told = scribe.read_line({name: each for name, each in fields.items() if name != "messages"})
    for message in object_list(fields, "messages"):
        told += scribe.read_line(message)
    return [*told, *scribe.finish_turn()], dict(scribe.skipped)


class GeminiTranscript(SessionTurns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: TranscriptFile, state: Fields) -> None:
        super().__init__(FORMAT, state)
        self.cwd = self.cwd or project_root(source.path)
        self._seen = set[str]()

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Tell what a line means."""
        kind = text_field(fields, "type")
        at = parsed_time(fields.get("timestamp"))
        if "sessionId" in fields:
            self.session = text_field(fields, "sessionId") or self.session
            return []
        match kind:
            case "user":
                return self._prompt_line(at, fields)
            case "gemini":
                return self._model_message(at, fields)
            case _:
                name = next((each for each in ("$set", "$rewindTo") if each in fields), kind)
                self.skipped[name[:60] or "no type"] += 1
        return []

    def _prompt_line(self, at: datetime | None, fields: Fields) -> list[TranscriptItem]:
        shown = fields.get("displayContent") or fields.get("content")
        text = "\n".join(
            each for each in message_texts(shown) if not each.startswith(_CLIENT_TEXTS)
        )
        if not text.strip():
            # The results of tools come back as words of the user.
            return []
        return self.start_turn(at, text, text_field(fields, "id"))

    def _model_message(self, at: datetime | None, fields: Fields) -> list[TranscriptItem]:
        calls = object_list(fields, "toolCalls")
        if not calls:
            self.note_answer(at, "\n".join(message_texts(fields.get("content"))))
            return []
        self.note_tool_use("", "", {})
        self.take_tool_use("")
        return [
            self._completed_tool(each) for each in calls if each.get("status") in _FINAL_STATUSES
        ]

    def _completed_tool(self, call: Fields) -> TranscriptItem:
        name, given = known_tool(text_field(call, "name"), object_field(call, "args"))
        at, id_ = parsed_time(call.get("timestamp")), text_field(call, "id")
        output = _tool_output(call)
        if call.get("status") == "error":
            return self.tool_event(at, id_, name, given, None, error=output)
        shown = call.get("resultDisplay")
        if isinstance(shown, dict) and name in ("Edit", "Write"):
            made = "create" if shown.get("isNewFile") is True else ""
            lines = _diff_hunks(text_field(shown, "fileDiff"))
            return self.tool_event(at, id_, name, given, {"type": made, "structuredPatch": lines})
        return self.tool_event(at, id_, name, given, _command_response(output))


def _tool_output(call: Fields) -> str:
    results = [
        object_field(object_field(each, "functionResponse"), "response")
        for each in object_list(call, "result")
    ]
    text = "\n".join(text_field(each, "output", "error") for each in results)
    return text.removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>")


def _command_response(output: str) -> Fields:
    lines, code = list[str](), 0
    for line in output.splitlines():
        name, _, value = line.partition(": ")
        if name == "Exit Code" and value.lstrip("-").isdecimal():
            code = int(value)
        elif name not in ("Process Group PGID", "Background PIDs", "Signal"):
            lines.append(line.removeprefix("Output: "))
    return {"stdout": "\n".join(lines), "exit_code": code}


def _diff_hunks(diff: str) -> list[Fields]:
    """Return the changed lines of a unified diff, as one stretch."""
    head, mark, body = diff.partition("\n@@ ")
    del head
    lines = [line for line in body.splitlines()[1:] if line[:1] in ("+", "-", " ")] if mark else []
    olds, news = (sum(line[:1] in (sign, " ") for line in lines) for sign in "-+")
    hunk: Fields = {"oldStart": 1, "oldLines": olds, "newStart": 1, "newLines": news}
    return [{**hunk, "lines": lines}] if lines else []


def project_root(path: Path) -> str:
    """Read from beside the transcripts which folder they are about."""
    folder = next((each.parent for each in path.parents if each.name == "chats"), path.parent)
    try:
        return (folder / ".project_root").read_text(errors="replace")[:4_096].strip()
    except OSError:
        return ""


READER = TranscriptFormat(
    FORMAT,
    read_chunks,
    is_transcript,
    transcript_folders,
    is_line=lambda fields: "projectHash" in fields,
    session_folder=project_root,
    live=True,
)

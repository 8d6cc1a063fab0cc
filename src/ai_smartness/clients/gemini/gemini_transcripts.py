"""The transcripts of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl` or `.json`.

Tested with files that 0.61.0 wrote: one line for each message, written again when its tools have
run. Before about 0.40, by the published format, a session was one JSON object, rewritten each
time.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from ai_smartness.clients.tool_names import edit_response, known_tool
from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    configured_folder,
    message_texts,
    object_field,
    object_list,
    parsed_object,
    parsed_time,
    read_document,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import SessionTurns
from ai_smartness.ports.transfer import ImportMark, TranscriptChunk, TranscriptFile, TranscriptItem

__all__ = ["READER"]

_CLIENT_TEXTS = ("<session_context>", "<hook_context>")
_FINAL_STATUSES = frozenset({"success", "error"})


def _read_chunks(
    file: TranscriptFile, since: ImportMark | None, now: datetime
) -> Iterator[TranscriptChunk]:
    if file.path.suffix == ".jsonl":
        return read_transcript(GeminiTranscript, file, since, now)
    return read_document(_read_session, file, since, now)


def _read_session(file: TranscriptFile, text: str) -> tuple[list[TranscriptItem], dict[str, int]]:
    fields = parsed_object(text.encode("utf-8", "surrogatepass"))
    if fields is None:
        msg = "it is no JSON object"
        raise ValueError(msg)
    messages = object_list(fields, "messages")
    fields.pop("messages", None)
    reader = GeminiTranscript(file, {})
    items = [item for line in (fields, *messages) for item in reader.read_line(line)]
    return [*items, *reader.finish_turn()], dict(reader.skipped)


class GeminiTranscript(SessionTurns):
    """Reads the lines of a transcript."""

    def __init__(self, file: TranscriptFile, state: Fields) -> None:
        super().__init__("gemini", state)
        self.cwd = self.cwd or _project_root(file.path)

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Return the items that this line completes."""
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
        command = next((name for name in ("$set", "$rewindTo") if name in fields), kind)
        self.skipped[command[:60] or "no type"] += 1
        return []

    def _prompt_line(self, at: datetime | None, fields: Fields) -> list[TranscriptItem]:
        texts = message_texts(fields.get("displayContent") or fields.get("content"))
        prompt = "\n".join(text for text in texts if not text.startswith(_CLIENT_TEXTS))
        # Tool results come back as messages of the user, without a text.
        return self.start_turn(at, prompt, text_field(fields, "id")) if prompt.strip() else []

    def _model_message(self, at: datetime | None, fields: Fields) -> list[TranscriptItem]:
        calls = object_list(fields, "toolCalls")
        if not calls:
            self.note_answer(at, "\n".join(message_texts(fields.get("content"))))
            return []
        # The text before a tool use was no answer.
        self.note_tool_use("", "", {})
        self.take_tool_use("")
        return [
            self._completed_tool(call)
            for call in calls
            if text_field(call, "status") in _FINAL_STATUSES
        ]

    def _completed_tool(self, call: Fields) -> TranscriptItem:
        use = known_tool(text_field(call, "name"), object_field(call, "args"))
        at, id_ = parsed_time(call.get("timestamp")), text_field(call, "id")
        output = _tool_output(call)
        if call.get("status") == "error":
            return self.failure_event(at, id_, use, output)
        display = call.get("resultDisplay")
        if isinstance(display, dict) and use[0] in ("Edit", "Write"):
            return self.tool_event(at, id_, use, _edit_response(display))
        return self.tool_event(at, id_, use, _command_response(output))


def _tool_output(call: Fields) -> str:
    responses = [
        object_field(object_field(result, "functionResponse"), "response")
        for result in object_list(call, "result")
    ]
    text = "\n".join(text_field(response, "output", "error") for response in responses)
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


def _edit_response(display: Fields) -> Fields:
    """Return the changed lines of a unified diff as one hunk; no hunk if none is changed."""
    body = text_field(display, "fileDiff").partition("\n@@ ")[2]
    lines = [line for line in body.splitlines()[1:] if line[:1] in ("+", "-", " ")]
    response = edit_response(lines, is_new=display.get("isNewFile") is True)
    return response if lines else {**response, "structuredPatch": []}


def _project_root(path: Path) -> str:
    """Read the project's folder from the file beside its transcripts."""
    folder = next((above.parent for above in path.parents if above.name == "chats"), path.parent)
    try:
        return (folder / ".project_root").read_text(errors="replace")[:4_096].strip()
    except OSError:
        return ""


def _is_transcript(path: Path) -> bool:
    is_in_chats = "chats" in (path.parent.name, path.parent.parent.name)
    return is_in_chats and path.suffix in (".json", ".jsonl")


def _folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [configured_folder(environ, "GEMINI_CLI_HOME", home) / ".gemini" / "tmp"]


READER = TranscriptFormat(
    "gemini",
    _read_chunks,
    _is_transcript,
    _folders,
    is_line=lambda fields: "projectHash" in fields,
    session_folder=_project_root,
    live=True,
)

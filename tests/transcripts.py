"""Transcripts as clients write them, line by line, to test with."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ai_smartness.clients.transcript_files import FORMATS, Transcripts
from ai_smartness.memory import Memory
from ai_smartness.model.transfer import ImportResult
from ai_smartness.ports.transfer import RecordedHookEvent, TranscriptChunk, TranscriptFile
from builders import NOON

__all__ = [
    "CWD",
    "SESSION",
    "answer",
    "brought_in",
    "claude",
    "claude_folder",
    "events_in",
    "prompt",
    "read",
    "result",
    "source_of",
    "tool",
    "written",
]

SESSION = "5c7d5c23-0691-4467-b98e-0fb865b4a639"
CWD = "/home/ann/shop"

Line = dict[str, Any]


def claude(kind: str, message: Line | None = None, *, minute: int = 0, **fields: object) -> Line:
    """Make a line as Claude Code writes it."""
    line: Line = {
        "parentUuid": None,
        "isSidechain": False,
        "type": kind,
        "uuid": f"uuid-{minute}",
        "timestamp": f"2026-03-02T12:{minute:02}:00.000Z",
        "cwd": CWD,
        "sessionId": SESSION,
        "version": "2.1.325",
    }
    return {**line, **({"message": message} if message is not None else {}), **fields}


def prompt(text: str, turn: str = "p1", *, minute: int = 0, **fields: object) -> Line:
    """Make the line of a prompt."""
    said = {"role": "user", "content": text}
    return claude("user", said, minute=minute, promptId=turn, **fields)


def answer(text: str, *, minute: int = 0, ends: str | None = "end_turn", **fields: object) -> Line:
    """Make the line of an answer."""
    said = {"role": "assistant", "stop_reason": ends, "content": [{"type": "text", "text": text}]}
    return claude("assistant", said, minute=minute, **fields)


def tool(name: str, call: str = "t1", *, minute: int = 0, **given: object) -> Line:
    """Make the line of a tool that is used."""
    use = {"type": "tool_use", "id": call, "name": name, "input": given}
    said = {"role": "assistant", "stop_reason": "tool_use", "content": [use]}
    return claude("assistant", said, minute=minute)


def result(
    printed: str, call: str = "t1", *, minute: int = 0, error: bool = False, **fields: object
) -> Line:
    """Make the line of what came of it."""
    came: Line = {"type": "tool_result", "tool_use_id": call, "content": printed}
    said = {"role": "user", "content": [{**came, **({"is_error": True} if error else {})}]}
    return claude("user", said, minute=minute, promptId="p1", **fields)


def written(path: Path, lines: Iterable[Line | bytes]) -> Path:
    """Write lines into a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = (each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines)
    path.write_bytes(b"".join(each + b"\n" for each in whole))
    return path


def claude_folder(home: Path) -> Path:
    """Name a folder in which Claude Code keeps the transcripts of a project."""
    return home / ".claude" / "projects" / "-home-ann-shop"


def source_of(path: Path, format_: str = "claude-code") -> TranscriptFile:
    """Return a file as one of the past."""
    about = path.stat()
    return TranscriptFile(format_, path, about.st_size, about.st_mtime_ns)


def read(path: Path, format_: str = "claude-code") -> list[TranscriptChunk]:
    """Read a whole file."""
    return list(FORMATS[format_].read_chunks(source_of(path, format_), None, NOON))


def events_in(pieces: Sequence[TranscriptChunk]) -> list[tuple[str, Line]]:
    """Return the events that were told, by name, without what all of them have."""
    told = [each for piece in pieces for each in piece.items]
    common = ("hook_event_name", "session_id", "cwd", "prompt_id")
    return [
        (
            str(each.fields["hook_event_name"]),
            {name: value for name, value in each.fields.items() if name not in common},
        )
        for each in told
        if isinstance(each, RecordedHookEvent)
    ]


def brought_in(
    memory: Memory,
    home: Path,
    *paths: Path,
    wanted: str | None = None,
    project: str | None = None,
    dry_run: bool = False,
    trust: bool = False,
) -> ImportResult:
    """Import what is in a user's home, or the paths that are named."""
    history = Transcripts(home, {})
    found = list(history.find_files(paths, wanted))
    return memory.import_history(history, found, project=project, dry_run=dry_run, trust=trust)

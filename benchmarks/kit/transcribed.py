"""A session of Claude Code as a log: whole, as an agent of one's own keeps it, or as imported."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ai_smartness.clients.claude_code.transcripts import ClaudeCodeTranscript
from ai_smartness.model.event import EventType, Message
from ai_smartness.ports.transfer import TranscriptFile
from ai_smartness.transfer.history_messages import ProjectFinder

__all__ = ["imported", "whole"]

Line = Mapping[str, Any]


def whole(lines: Sequence[Line]) -> list[Message]:
    """Return everything that was said, called and printed."""
    return [message for line in lines for message in _messages(line)]


def imported(lines: Sequence[Line]) -> list[Message]:
    """Return what `ais import` keeps of it."""
    source = TranscriptFile("claude-code", Path("made-up.jsonl"), 0, 0)
    reader = ClaudeCodeTranscript(source, {})
    told = [each for line in lines for each in reader.read_line(dict(line))] + reader.finish_turn()
    placing = ProjectFinder("bench", [], "/nowhere", "bench")
    return [kept.message for each in told for kept in placing.history_messages(each, source)]


def _messages(line: Line) -> Iterator[Message]:
    at, session = datetime.fromisoformat(line["timestamp"]), str(line["sessionId"])
    role, content = line["message"]["role"], line["message"]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for number, part in enumerate(parts):
        id_ = f"{line['uuid']}-{number}"
        match part["type"]:
            case "text":
                yield Message(id=id_, session=session, role=role, text=part["text"], at=at)
            case "tool_use":
                called = {"call_id": part["id"], "tool": part["name"], "args": part["input"]}
                yield Message(
                    id=id_,
                    session=session,
                    role="assistant",
                    type=EventType.TOOL_CALL,
                    text="",
                    payload=called,
                    at=at,
                )
            case _:
                came = {"call_id": part["tool_use_id"], "is_error": part["is_error"]}
                yield Message(
                    id=id_,
                    session=session,
                    role="tool",
                    type=EventType.TOOL_RESULT,
                    text=part["content"],
                    payload=came,
                    at=at,
                )

"""Read the end of a transcript: what an agent said in a turn that ended in a tool.

The client tells a hook the last words of a turn only if they come after its last tool. Standard
library only, and little of it: the hook imports this at the end of such a turn.
"""

import os
import stat

from ai_smartness.clients.fast_json import loads
from ai_smartness.clients.hook_event import Fields, object_field, text_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["file_tail", "unanswered_text"]

TURN_BYTES = 8_000_000
"""The longest turn that is read here; the import of transcripts reads a longer one later."""


def file_tail(path: "str | os.PathLike[str]", size: int) -> bytes:
    """Return the last bytes of a file; none of a pipe or a device, which could block."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            return b""
        file.seek(max(0, about.st_size - size))
        return file.read(size)


def unanswered_text(path: str) -> str:
    """Return what the agent said in the last turn, if the turn ended in a tool."""
    try:
        lines = file_tail(path, TURN_BYTES).split(b"\n") if path.startswith("/") else []
    except OSError:
        return ""
    texts, ends_in_tool = list[str](), False
    for fields in _turn_lines(lines):
        if _is_prompt(fields):
            return "\n\n".join(reversed(texts))
        for part in reversed(_message_parts(fields)):
            ends_in_tool = ends_in_tool or part.get("type") == "tool_use"
            text = text_field(part, "text").strip()
            if text and not ends_in_tool:
                return ""
            if text:
                texts.append(text)
    # The turn began before what was read.
    return ""


def _turn_lines(lines: "list[bytes]") -> "Iterator[Fields]":
    """Yield the messages between the user and the agent, the last one first."""
    for line in reversed(lines):
        if b'"user"' in line or b'"assistant"' in line:
            fields = _parsed_line(line)
            if fields.get("isSidechain") is not True and not _is_by_client(fields):
                yield fields


def _parsed_line(line: bytes) -> Fields:
    try:
        fields = loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _is_by_client(fields: Fields) -> bool:
    is_note = fields.get("isMeta") is True or fields.get("isApiErrorMessage") is True
    return is_note or object_field(fields, "message").get("model") == "<synthetic>"


def _is_prompt(fields: Fields) -> bool:
    results = (part for part in _message_parts(fields) if part.get("type") == "tool_result")
    return fields.get("type") == "user" and next(results, None) is None


def _message_parts(fields: Fields) -> "list[Fields]":
    if fields.get("type") not in ("user", "assistant"):
        return []
    content = object_field(fields, "message").get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []

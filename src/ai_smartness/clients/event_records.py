"""Turn a hook event into records for the inbox: prompts, answers, tool uses, summaries and marks.

An event that is not worth remembering gives no record. Secrets, ignored paths and everything
between `<private>` and `</private>` are removed before a record is made.
"""

import time

from ai_smartness.clients.fast_json import dumps
from ai_smartness.clients.hook_event import (
    CLAUDE_CODE,
    Fields,
    HookEvent,
    object_field,
    text_field,
)
from ai_smartness.clients.own_names import is_own_prompt
from ai_smartness.redact import redacted_fields, redacted_json, redacted_text
from ai_smartness.text.markers import MEMORY_OPEN

__all__ = [
    "BRIEF_MARK",
    "PRINTED_MARK",
    "SESSION_END_MARK",
    "brief_record",
    "event_records",
    "is_memory_prompt",
    "is_task_notification",
    "printed_record",
    "without_private",
]

SESSION_END_MARK = "session_end"
BRIEF_MARK = "brief"  # of a record that says which brief the hook printed from its file
PRINTED_MARK = "printed"  # of a record that says which messages a keyword answer showed

MAX_TEXT_CHARACTERS = 400_000
"""A prompt or an answer of this length is a pasted log: its middle is cut out."""

MAX_REDACTED_CHARACTERS = 100_000
"""A longer tool input or result is redacted only where lines are picked from it."""

UNRECORDED_TOOLS = ("Read", "NotebookRead")  # their result is a file, which is not recorded

TASK_NOTIFICATION = "<task-notification>"
"""The client's own message to its agent that a background task has ended."""

MAX_COMMAND_CHARACTERS = 200  # of a prompt, those in which a command of ours would stand

_AGENT = ("assistant", "agent")
_MARKS = {"SessionEnd": SESSION_END_MARK, "PreCompact": "precompact"}
_MARK_FIELDS = ("reason", "trigger", "custom_instructions", "source")


def event_records(event: HookEvent, home: str) -> list[Fields]:
    """Return the records of an event; messages between the client and its own agents have none."""
    if is_task_notification(event) or is_memory_prompt(event) or _is_summarizer(event):
        return []
    match event.event_name:
        case "UserPromptSubmit":
            return _message_records(event, "prompt", "USER_MESSAGE", ("user", "user"))
        case "Stop" | "SubagentStop":
            return _message_records(event, "last_assistant_message", "AGENT_MESSAGE", _AGENT)
        case "PostToolUse" | "PostToolUseFailure":
            return _tool_records(event, home)
        case "PostCompact":
            return _summary_records(event)
    return [*_last_words(event), *_mark_records(event)]


def is_task_notification(event: HookEvent) -> bool:
    """Say whether a prompt comes from the client itself and not from a person."""
    prompt = event.text_field("prompt").lstrip()
    return event.event_name == "UserPromptSubmit" and prompt.startswith(TASK_NOTIFICATION)


def is_memory_prompt(event: HookEvent) -> bool:
    """Say whether a prompt calls one of our own server's prompts."""
    if event.event_name != "UserPromptSubmit":
        return False
    words = event.text_field("prompt")[:MAX_COMMAND_CHARACTERS].split(maxsplit=1)
    return bool(words) and words[0].startswith("/mcp__") and is_own_prompt(words[0])


def _is_summarizer(event: HookEvent) -> bool:
    """Say whether the client's own summarizer ended: its text comes with PostCompact."""
    return event.event_name == "SubagentStop" and event.fields.get("agent_type") == ""


def _message_records(
    event: HookEvent, field: str, kind: str, speaker: tuple[str, str]
) -> list[Fields]:
    text = _bounded_text(_public_event(event).text_field(field))
    if not text.strip() or text.lstrip().startswith(MEMORY_OPEN):
        return []
    return [_record(event, kind, speaker, text, {})]


def _last_words(event: HookEvent) -> list[Fields]:
    """Return the answer of a session that ended in a tool, which had no Stop."""
    if event.event_name != "SessionEnd":
        return []
    # Its transcript, if it is imported, has a Stop with these words.
    last = event.with_fields(hook_event_name="Stop")
    return _message_records(last, "last_assistant_message", "AGENT_MESSAGE", _AGENT)


def _tool_records(event: HookEvent, home: str) -> list[Fields]:
    from ai_smartness.clients.tool_use import tool_record

    public = _public_event(event)
    use = tool_record(_redacted_event(public), home, has_private=public.fields != event.fields)
    if use is None:
        return []
    speaker = text_field(use, "role"), text_field(use, "source")
    text, payload = text_field(use, "text"), object_field(use, "payload")
    return [_record(event, text_field(use, "kind"), speaker, text, payload)]


def _summary_records(event: HookEvent) -> list[Fields]:
    text = _public_event(event).text_field("compact_summary").strip()
    text = text.removeprefix("<summary>").removesuffix("</summary>").strip()
    if not text:
        return []
    payload: Fields = {"what": "compaction summary", "trigger": event.text_field("trigger")}
    return [_record(event, "NOTE", ("note", "agent"), _bounded_text(text), payload)]


def _mark_records(event: HookEvent) -> list[Fields]:
    source = event.text_field("source")
    is_fresh_context = event.event_name == "SessionStart" and source in ("compact", "clear")
    mark = source if is_fresh_context else _MARKS.get(event.event_name, "")
    if not mark:
        return []
    public = _public_event(event)
    payload: Fields = {name: text for name in _MARK_FIELDS if (text := public.text_field(name))}
    return [_record(event, "COMPACTION", ("note", "agent"), "", payload, mark)]


def brief_record(event: HookEvent, digest: str) -> Fields:
    """Return the mark that a session was given the brief with this digest."""
    return _record(event, "COMPACTION", ("note", "agent"), "", {"digest": digest}, BRIEF_MARK)


def printed_record(event: HookEvent, lines: "dict[str, list[int]]", prompt_id: str) -> Fields:
    """Return the mark that a session was shown these messages, by thread, before a prompt."""
    payload: Fields = {"lines": lines, "prompt": prompt_id}
    return _record(event, "COMPACTION", ("note", "agent"), "", payload, PRINTED_MARK)


def _record(
    event: HookEvent,
    kind: str,
    speaker: tuple[str, str],
    text: str,
    payload: Fields,
    mark: str = "",
) -> Fields:
    """Return a record without secrets; the same event always gets the same id."""
    # Before the id is made: an id made from a secret could be checked against a guess.
    text = redacted_text(text)
    role, source = speaker
    about = {"agent": event.text_field("agent_type"), "client": event.client}
    if event.client == CLAUDE_CODE:
        del about["client"]
    return {
        "v": 1,
        "id": _record_id(event, mark or kind, text),
        "session": event.session,
        "cwd": event.cwd,
        "at": _current_time(),
        "role": role,
        "type": kind,
        "text": text,
        "source": source,
        "payload": redacted_fields(
            {**payload, **{name: value for name, value in about.items() if value}}
        ),
        "client": event.client,
        "mark": mark or None,
    }


def _public_event(event: HookEvent) -> HookEvent:
    fields = without_private(event.fields)
    return HookEvent(fields, event.client) if isinstance(fields, dict) else event


def _redacted_event(event: HookEvent) -> HookEvent:
    """Return a tool use without secrets, before it is cut: half a secret is not recognized."""
    names = ("tool_input", "tool_response", "error")
    clean = {name: redacted_json(event.fields[name]) for name in names if _is_short(event, name)}
    return event.with_fields(**clean)


def _is_short(event: HookEvent, name: str) -> bool:
    """Say whether a field is there, and short enough to scan while an agent waits."""
    if name not in event.fields or (name == "tool_response" and event.tool in UNRECORDED_TOOLS):
        return False
    return len(dumps(event.fields[name])) <= MAX_REDACTED_CHARACTERS


def _bounded_text(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARACTERS:
        return text
    half = MAX_TEXT_CHARACTERS // 2
    missing = len(text) - 2 * half
    return f"{text[:half]}\n[… {missing:,} characters left out …]\n{text[-half:]}"


def _record_id(event: HookEvent, kind: str, text: str) -> str:
    from _blake2 import blake2s

    # Without an id of the turn, "go on" said twice is two prompts if a minute lies between.
    turn = text_field(event.fields, "prompt_id", "turn_id") or str(int(time.time() // 60))
    # A tool use has its own id; hook and transcript may hold different parts of its result.
    words = "" if event.call_id else text
    agent = event.text_field("agent_id")
    parts = (event.session, event.call_id or turn, event.event_name, kind, agent, words)
    whole = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"hook_{blake2s(whole, digest_size=16).hexdigest()}"


def _current_time() -> str:
    microseconds = time.time_ns() // 1_000
    day = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(microseconds // 1_000_000))
    return f"{day}.{microseconds % 1_000_000:06}+00:00"


def without_private(value: object) -> object:
    """Return a JSON value without its `<private>` parts, at any depth.

    In doubt more is cut: a tag that is never closed cuts to the end, one that was never opened
    cuts from the beginning.
    """
    match value:
        case str():
            return _without_tagged_parts(value) if _may_have_private(value) else value
        case list():
            return [without_private(part) for part in value]
        case dict():
            return {
                _without_tagged_parts(name) if _may_have_private(name) else name: without_private(
                    part
                )
                for name, part in value.items()
            }
    return value


def _may_have_private(text: str) -> bool:
    return "private" in text or "private" in text.lower()


def _without_tagged_parts(text: str) -> str:
    import re

    parts, start, depth = list[str](), 0, 0
    for tag in re.finditer(r"<\s*(/?)\s*private\b[^<>]*>", text, re.IGNORECASE):
        if tag[1] and depth == 0:
            parts.clear()
        elif not tag[1] and depth == 0:
            parts.append(text[start : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        start = tag.end()
    if depth == 0:
        parts.append(text[start:])
    # The client itself may have cut the text within the tag.
    return re.sub(r"<\s*private\b[^<>]*\Z", "", "".join(parts), flags=re.IGNORECASE)

"""What of an event is kept: prompts, answers, edits, commands, references and marks.

An event becomes records for the inbox, none where it says nothing worth keeping. Private parts,
secrets and ignored paths are gone before there is a record.
"""

import time

from ai_smartness.clients.fast_json import dumps
from ai_smartness.clients.hook_event import HookEvent, object_field, text_field
from ai_smartness.clients.private import without_private
from ai_smartness.redact import redacted_fields, redacted_json, redacted_text
from ai_smartness.text.markers import MEMORY_OPEN

__all__ = ["event_records", "hook_record", "is_memory_prompt", "is_task_notification"]

CLIENT = "claude-code"

MAX_TEXT_CHARACTERS = 400_000
"""Of a prompt or an answer: a pasted log of this length has said what it has to say."""

MAX_REDACTED_CHARACTERS = 100_000
"""Of what a tool was given or answered; of more, what is picked out is looked through."""

UNRECORDED_TOOLS = ("Read", "NotebookRead")
"""What they answer is a file, and not kept."""

TASK_NOTIFICATION = "<task-notification>"
"""How the client begins to tell its agent that work in the background has ended."""

OWN_PROMPT_NAME = "ai_smartness__"
"""Is in the name of a prompt of our server, as a client spells it: `/mcp__ai_smartness__recall`."""


def event_records(given: HookEvent, home: str) -> "list[dict[str, object]]":
    """Return the records of an event; the client's words to itself are none."""
    own = is_task_notification(given) or is_memory_prompt(given) or _is_summarizer(given)
    return [] if own else _records_by_event(given, home)


def _records_by_event(given: HookEvent, home: str) -> "list[dict[str, object]]":
    match given.event_name:
        case "UserPromptSubmit":
            return _message_records(given, "prompt", "user", "USER_MESSAGE", "user")
        case "Stop" | "SubagentStop":
            return _message_records(
                given,
                "last_assistant_message",
                "assistant",
                "AGENT_MESSAGE",
                "agent",
            )
        case "PostToolUse" | "PostToolUseFailure":
            from ai_smartness.clients.tool_use import tool_records

            public = _public_event(given)
            veiled = public.fields != given.fields
            return [
                _tool_record(given, each)
                for each in tool_records(_redacted_event(public), home, has_private=veiled)
            ]
        case "PostCompact":
            return _summary_records(given)
        case "PreCompact" | "SessionEnd" | "SessionStart":
            return _mark_records(given)
    return []


def is_task_notification(given: HookEvent) -> bool:
    """Say whether a prompt is the client's own word to its agent, not a person's."""
    told = given.event_name == "UserPromptSubmit" and given.text_field(
        "prompt",
    ).lstrip().startswith(TASK_NOTIFICATION)
    return bool(told)


def is_memory_prompt(given: HookEvent) -> bool:
    """Say whether a prompt is a question to the memory itself, by a prompt of our server."""
    command = given.text_field("prompt").lstrip().partition(" ")[0]
    asked = given.event_name == "UserPromptSubmit" and command.startswith("/mcp__")
    return asked and OWN_PROMPT_NAME in command


def _is_summarizer(given: HookEvent) -> bool:
    """Say whether the client's own summarizer ended: its words come with PostCompact."""
    return given.event_name == "SubagentStop" and given.fields.get("agent_type") == ""


def hook_record(  # noqa: PLR0913 - the fields of a record
    given: HookEvent,
    *,
    role: str,
    kind: str,
    source: str,
    text: str,
    payload: "dict[str, object]",
    mark: "str | None" = None,
) -> "dict[str, object]":
    """Return a record without secrets; its id is the same whenever the same event is handed in."""
    # Before the id is made: one that is made from a secret could be checked against a guess.
    text = redacted_text(text)
    return {
        "v": 1,
        "id": _record_id(given, mark or kind, text),
        "session": given.session,
        "cwd": given.cwd,
        "at": _current_time(),
        "role": role,
        "type": kind,
        "text": text,
        "source": source,
        "payload": redacted_fields(_with_agent(given, payload)),
        "client": CLIENT,
        "mark": mark,
    }


def _message_records(
    given: HookEvent,
    field: str,
    role: str,
    kind: str,
    source: str,
) -> "list[dict[str, object]]":
    text = _bounded_text(_public_event(given).text_field(field))
    if not text.strip() or text.lstrip().startswith(MEMORY_OPEN):
        return []
    return [hook_record(given, role=role, kind=kind, source=source, text=text, payload={})]


def _tool_record(given: HookEvent, found: "dict[str, object]") -> "dict[str, object]":
    return hook_record(
        given,
        role=text_field(found, "role"),
        kind=text_field(found, "kind"),
        source=text_field(found, "source"),
        text=text_field(found, "text"),
        payload=object_field(found, "payload"),
    )


def _summary_records(given: HookEvent) -> "list[dict[str, object]]":
    text = _public_event(given).text_field("compact_summary").strip()
    text = text.removeprefix("<summary>").removesuffix("</summary>").strip()
    if not text:
        return []
    payload: dict[str, object] = {
        "what": "compaction summary",
        "trigger": given.text_field("trigger"),
    }
    return [
        hook_record(
            given,
            role="note",
            kind="NOTE",
            source="agent",
            text=_bounded_text(text),
            payload=payload,
        ),
    ]


def _mark_records(given: HookEvent) -> "list[dict[str, object]]":
    source = given.text_field("source")
    match given.event_name:
        case "SessionEnd":
            mark = "session_end"
        case "PreCompact":
            mark = "precompact"
        case _ if source in ("compact", "clear"):
            mark = source
        case _:
            return []
    public = _public_event(given)
    named = ("reason", "trigger", "custom_instructions", "source")
    payload: dict[str, object] = {
        name: public.text_field(name) for name in named if public.text_field(name)
    }
    return [
        hook_record(
            given,
            role="note",
            kind="COMPACTION",
            source="agent",
            text="",
            payload=payload,
            mark=mark,
        ),
    ]


def _public_event(given: HookEvent) -> HookEvent:
    fields = without_private(given.fields)
    return HookEvent(fields) if isinstance(fields, dict) else given


def _redacted_event(given: HookEvent) -> HookEvent:
    """Return a tool's use without secrets, before it is cut: half of one is not known as one."""
    named = ("tool_input", "tool_response", "error")
    safe = {name: redacted_json(given.fields[name]) for name in named if _is_short(given, name)}
    return HookEvent({**given.fields, **safe})


def _is_short(given: HookEvent, name: str) -> bool:
    """Say whether a field is there, and little enough to look through while an agent waits."""
    if name not in given.fields or (name == "tool_response" and given.tool in UNRECORDED_TOOLS):
        return False
    return len(dumps(given.fields[name])) <= MAX_REDACTED_CHARACTERS


def _bounded_text(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARACTERS:
        return text
    half = MAX_TEXT_CHARACTERS // 2
    missing = len(text) - 2 * half
    return f"{text[:half]}\n[… {missing:,} characters left out …]\n{text[-half:]}"


def _with_agent(given: HookEvent, payload: "dict[str, object]") -> "dict[str, object]":
    agent = given.text_field("agent_type")
    return {**payload, "agent": agent} if agent else payload


def _record_id(given: HookEvent, kind: str, text: str) -> str:
    from _blake2 import blake2s

    # Without a turn's own id, "go on" said twice is two prompts if a minute lies between.
    turn = (
        given.text_field("prompt_id") or given.text_field("turn_id") or str(int(time.time() // 60))
    )
    # A tool's use has an id of its own; how much of its result is told, hook and transcript differ.
    said = "" if given.call_id else text
    told = (
        given.session,
        given.call_id or turn,
        given.event_name,
        kind,
        given.text_field("agent_id"),
        said,
    )
    whole = "\0".join(told).encode("utf-8", "surrogatepass")
    return f"hook_{blake2s(whole, digest_size=16).hexdigest()}"


def _current_time() -> str:
    seconds = time.time_ns() // 1_000
    day = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds // 1_000_000))
    return f"{day}.{seconds % 1_000_000:06}+00:00"

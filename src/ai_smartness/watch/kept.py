"""What of an event is kept: prompts, answers, edits, commands, references and marks.

An event becomes records for the inbox, none where it says nothing worth keeping. Private parts,
secrets and ignored paths are gone before there is a record.
"""

import time

from ai_smartness.redact import redacted, redacted_fields, redacted_within
from ai_smartness.watch.given import Given, inner, text_of
from ai_smartness.watch.private import without_private
from ai_smartness.watch.quick_json import dumps

__all__ = ["asks_us", "is_notice", "kept", "record"]

CLIENT = "claude-code"

LONGEST_TEXT_CHARACTERS = 400_000
"""Of a prompt or an answer: a pasted log of this length has said what it has to say."""

LONGEST_TOLD_CHARACTERS = 100_000
"""Of what a tool was given or answered; of more, what is picked out is looked through."""

UNKEPT = ("Read", "NotebookRead")
"""What they answer is a file, and not kept."""

NOTICE = "<task-notification>"
"""How the client begins to tell its agent that work in the background has ended."""

OUR_PROMPTS = "ai_smartness__"
"""Is in the name of a prompt of our server, as a client spells it: `/mcp__ai_smartness__recall`."""

MEMORY_OPEN, MEMORY_CLOSE = "<ai-smartness-memory", "</ai-smartness-memory>"
"""As in `capture/clean`, which cuts them out wherever they stand; here they only say "ours"."""


def kept(given: Given, home: str) -> "list[dict[str, object]]":
    """Return the records of an event; the client's words to itself are none."""
    own = is_notice(given) or asks_us(given) or _is_summarizer(given)
    return [] if own else _records(given, home)


def _records(given: Given, home: str) -> "list[dict[str, object]]":
    match given.event:
        case "UserPromptSubmit":
            return _said(given, "prompt", "user", "USER_MESSAGE", "user")
        case "Stop" | "SubagentStop":
            return _said(given, "last_assistant_message", "assistant", "AGENT_MESSAGE", "agent")
        case "PostToolUse" | "PostToolUseFailure":
            from ai_smartness.watch.tools import used  # noqa: PLC0415 - for tools alone

            public = _public(given)
            veiled = public.fields != given.fields
            return [_of_tool(given, each) for each in used(_safe(public), home, veiled=veiled)]
        case "PostCompact":
            return _summary(given)
        case "PreCompact" | "SessionEnd" | "SessionStart":
            return _marked(given)
    return []


def is_notice(given: Given) -> bool:
    """Say whether a prompt is the client's own word to its agent, not a person's."""
    told = given.event == "UserPromptSubmit" and given.text("prompt").lstrip().startswith(NOTICE)
    return bool(told)


def asks_us(given: Given) -> bool:
    """Say whether a prompt is a question to the memory itself, by a prompt of our server."""
    command = given.text("prompt").lstrip().partition(" ")[0]
    asked = given.event == "UserPromptSubmit" and command.startswith("/mcp__")
    return asked and OUR_PROMPTS in command


def _is_summarizer(given: Given) -> bool:
    """Say whether the client's own summarizer ended: its words come with PostCompact."""
    return given.event == "SubagentStop" and given.fields.get("agent_type") == ""


def record(  # noqa: PLR0913 - the fields of a record
    given: Given,
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
    text = redacted(text)
    return {
        "v": 1,
        "id": _id(given, mark or kind, text),
        "session": given.session,
        "cwd": given.cwd,
        "at": _now(),
        "role": role,
        "type": kind,
        "text": text,
        "source": source,
        "payload": redacted_fields(_with_agent(given, payload)),
        "client": CLIENT,
        "mark": mark,
    }


def _said(given: Given, field: str, role: str, kind: str, source: str) -> "list[dict[str, object]]":
    text = _bounded(_public(given).text(field))
    if not text.strip() or text.lstrip().startswith(MEMORY_OPEN):
        return []
    return [record(given, role=role, kind=kind, source=source, text=text, payload={})]


def _of_tool(given: Given, found: "dict[str, object]") -> "dict[str, object]":
    return record(
        given,
        role=text_of(found, "role"),
        kind=text_of(found, "kind"),
        source=text_of(found, "source"),
        text=text_of(found, "text"),
        payload=inner(found, "payload"),
    )


def _summary(given: Given) -> "list[dict[str, object]]":
    text = _public(given).text("compact_summary").strip()
    text = text.removeprefix("<summary>").removesuffix("</summary>").strip()
    if not text:
        return []
    payload: dict[str, object] = {"what": "compaction summary", "trigger": given.text("trigger")}
    return [
        record(
            given, role="note", kind="NOTE", source="agent", text=_bounded(text), payload=payload
        )
    ]


def _marked(given: Given) -> "list[dict[str, object]]":
    source = given.text("source")
    match given.event:
        case "SessionEnd":
            mark = "session_end"
        case "PreCompact":
            mark = "precompact"
        case _ if source in ("compact", "clear"):
            mark = source
        case _:
            return []
    public = _public(given)
    named = ("reason", "trigger", "custom_instructions", "source")
    payload: dict[str, object] = {name: public.text(name) for name in named if public.text(name)}
    return [
        record(
            given,
            role="note",
            kind="COMPACTION",
            source="agent",
            text="",
            payload=payload,
            mark=mark,
        )
    ]


def _public(given: Given) -> Given:
    fields = without_private(given.fields)
    return Given(fields) if isinstance(fields, dict) else given


def _safe(given: Given) -> Given:
    """Return a tool's use without secrets, before it is cut: half of one is not known as one."""
    named = ("tool_input", "tool_response", "error")
    safe = {name: redacted_within(given.fields[name]) for name in named if _is_short(given, name)}
    return Given({**given.fields, **safe})


def _is_short(given: Given, name: str) -> bool:
    """Say whether a field is there, and little enough to look through while an agent waits."""
    if name not in given.fields or (name == "tool_response" and given.tool in UNKEPT):
        return False
    return len(dumps(given.fields[name])) <= LONGEST_TOLD_CHARACTERS


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_TEXT_CHARACTERS:
        return text
    half = LONGEST_TEXT_CHARACTERS // 2
    missing = len(text) - 2 * half
    return f"{text[:half]}\n[… {missing:,} characters left out …]\n{text[-half:]}"


def _with_agent(given: Given, payload: "dict[str, object]") -> "dict[str, object]":
    agent = given.text("agent_type")
    return {**payload, "agent": agent} if agent else payload


def _id(given: Given, kind: str, text: str) -> str:
    from _blake2 import blake2s  # noqa: PLC0415 - hashlib loads OpenSSL for it

    # Without a turn's own id, "go on" said twice is two prompts if a minute lies between.
    turn = given.text("prompt_id") or given.text("turn_id") or str(int(time.time() // 60))
    # A tool's use has an id of its own; how much of its result is told, hook and transcript differ.
    said = "" if given.call else text
    told = (given.session, given.call or turn, given.event, kind, given.text("agent_id"), said)
    whole = "\0".join(told).encode("utf-8", "surrogatepass")
    return f"hook_{blake2s(whole, digest_size=16).hexdigest()}"


def _now() -> str:
    seconds = time.time_ns() // 1_000
    day = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds // 1_000_000))
    return f"{day}.{seconds % 1_000_000:06}+00:00"

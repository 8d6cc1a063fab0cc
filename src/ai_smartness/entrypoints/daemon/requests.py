"""Answer the requests to the daemon, verb by verb; `client.py` lists them."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon.inbox_record import CONTEXT_RESET_MARKS
from ai_smartness.entrypoints.daemon.jobs import ActiveRequests, BackgroundJobs
from ai_smartness.entrypoints.daemon.memory_pool import DEFAULT_CLIENT, MemoryPool, Work
from ai_smartness.entrypoints.tools.call import reply_to_call
from ai_smartness.entrypoints.tools.definitions import ToolCall
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.journal import Actor

__all__ = ["DaemonRequests", "RequestFields"]

RequestFields: TypeAlias = Mapping[str, object]
AnswerFields: TypeAlias = "dict[str, object]"

HANDOFF_SECONDS = 0.6
"""A greeting after a compaction waits this long for the messages before it to be stored."""

MAX_DRAIN_SECONDS = 60.0

PROMPT_END_CHARACTERS = 10_000
"""Of a longer prompt, usually with a pasted log, only the beginning and the end are searched."""


@dataclass(slots=True, kw_only=True)
class DaemonRequests:
    """Answers each verb, or raises an error."""

    memories: MemoryPool
    jobs: BackgroundJobs
    active_requests: ActiveRequests
    folder: str
    version: str
    now: Callable[[], datetime]
    stop: Callable[[], None]
    since: datetime = field(init=False)
    last_request_at: datetime = field(init=False)
    request_count: int = 0

    def __post_init__(self) -> None:
        self.since = self.last_request_at = self.now()

    def answer_request(self, verb: str, fields: RequestFields) -> AnswerFields:
        """Return the fields of the answer."""
        match verb:
            case "ping":
                return {"version": self.version, "pid": os.getpid()}
            case "inject" | "read" | "greet":
                return {"text": self._text_answer(verb, fields)}
            case "tool":
                return self._call_tool(fields)
            case "drain":
                return self._drain_inbox(fields)
            case "status":
                return self._daemon_status()
            case "stop":
                self.stop()
                return {}
        msg = f"there is no verb {verb[:40]!r}."
        raise RefusedError(msg)

    def _text_answer(self, verb: str, fields: RequestFields) -> str:
        self.last_request_at = self.now()
        self.request_count += 1
        cwd = _text_field(fields, "cwd")
        if verb == "greet" and _text_field(fields, "source") in CONTEXT_RESET_MARKS:
            self._wait_for_capture(_text_field(fields, "session"))
        with self.active_requests.track_request():
            match verb:
                case "inject":
                    text = self._inject(cwd, fields)
                case "read":
                    text = self._read(cwd, fields)
                case _:
                    text = self._session_greeting(cwd, fields)
        # The hook has captured the prompt before it fields.
        self.jobs.wake_up(cwd)
        return text

    def _wait_for_capture(self, session: str) -> None:
        """Have a session's messages stored; refuse a greeting while some still wait."""
        if self.jobs.wait_until_drained(HANDOFF_SECONDS):
            return
        records = inbox.peek_records(self.folder)
        if any(record.get("session") == session and record.get("text") for record in records):
            # The hook then makes a handoff from the inbox itself.
            msg = f"what session {session} said is not stored yet. Ask again in a moment."
            raise StoreError(msg)

    def _inject(self, cwd: str, fields: RequestFields) -> str:
        source = _text_field(fields, "source") or "user"
        with self.memories.memory_for(cwd, Work.PROMPT) as memory:
            session = _text_field(fields, "session") or None
            prompt = _prompt_ends(_text_field(fields, "text"))
            return memory.inject(prompt, session=session, source=source).text

    def _read(self, cwd: str, fields: RequestFields) -> str:
        with self.memories.memory_for(cwd, Work.READ) as memory:
            client, session = _text_field(fields, "client"), _text_field(fields, "session") or None
            # The same object where possible: it keeps what it has loaded.
            is_own = client in ("", memory.who.client)
            reader = memory if is_own else memory.used_by(Actor("agent", client))
            return reader.read_virtual(_text_field(fields, "path"), session)

    def _call_tool(self, fields: RequestFields) -> AnswerFields:
        """Call a tool; a refusal is an answer too, marked as an error."""
        self.last_request_at = self.now()
        self.request_count += 1
        cwd, arguments = _text_field(fields, "cwd"), fields.get("arguments") or {}
        if not isinstance(arguments, dict):
            msg = "`arguments` must be an object."
            raise RefusedError(msg)
        call = ToolCall(
            name=_text_field(fields, "name"),
            arguments=arguments,
            client=_text_field(fields, "client") or DEFAULT_CLIENT,
            session=_text_field(fields, "session") or None,
            reads=fields.get("reads") is True,
        )
        with self.active_requests.track_request():
            reply = reply_to_call(call, self.memories.memory_for(cwd, Work.READ))
        self.jobs.wake_up(cwd)
        return reply._asdict()

    def _session_greeting(self, cwd: str, fields: RequestFields) -> str:
        source = _text_field(fields, "source") or "startup"
        with self.memories.memory_for(cwd, Work.PROMPT) as memory:
            return memory.greeting(_text_field(fields, "session") or None, source)

    def _drain_inbox(self, fields: RequestFields) -> AnswerFields:
        """Drain the inbox; with `seconds`, wait so long for it at most."""
        seconds = fields.get("seconds", 0)
        if not isinstance(seconds, int | float):
            msg = "`seconds` must be a number."
            raise RefusedError(msg)
        self.jobs.wait_until_drained(max(0.0, min(float(seconds), MAX_DRAIN_SECONDS)))
        return {"left": inbox.count_records(self.folder)}

    def _daemon_status(self) -> AnswerFields:
        stored, refused = self.jobs.record_counts
        error = self.jobs.last_error
        return {
            "version": self.version,
            "pid": os.getpid(),
            "since": self.since.isoformat(),
            "asked": self.request_count,
            "drained": stored,
            "set_aside": refused,
            "left": inbox.count_records(self.folder),
            "memories": len(self.memories),
            "trouble": self.jobs.trouble,
            "last_error": error[1] if error else "",
            "last_error_at": error[0].isoformat() if error else None,
        }


def _prompt_ends(text: str) -> str:
    if len(text) <= 2 * PROMPT_END_CHARACTERS:
        return text
    return f"{text[:PROMPT_END_CHARACTERS]}\n{text[-PROMPT_END_CHARACTERS:]}"


def _text_field(fields: RequestFields, name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        msg = f"`{name}` must be text, not {type(value).__name__}."
        raise RefusedError(msg)
    return value

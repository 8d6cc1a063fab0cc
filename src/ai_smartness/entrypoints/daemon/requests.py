"""Answer the requests to the daemon, verb by verb; `client.py` lists them."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from time import monotonic
from typing import NamedTuple, TypeAlias

from ai_smartness.clients.hook_answers import printed_context
from ai_smartness.clients.registry import CLIENTS, load_client
from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon.active_requests import ActiveRequests
from ai_smartness.entrypoints.daemon.inbox_record import CONTEXT_RESET_MARKS
from ai_smartness.entrypoints.daemon.jobs import BackgroundJobs
from ai_smartness.entrypoints.daemon.memory_pool import DEFAULT_CLIENT, MemoryPool, Work
from ai_smartness.entrypoints.tools.call import reply_to_call
from ai_smartness.entrypoints.tools.definitions import ToolCall
from ai_smartness.memory import Memory
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.injection import Injection, PreparedInjection
from ai_smartness.model.journal import Actor

__all__ = ["DaemonAnswer", "DaemonRequests", "RequestFields", "SettleAnswer"]

RequestFields: TypeAlias = Mapping[str, object]
AnswerFields: TypeAlias = "dict[str, object]"
SettleAnswer: TypeAlias = Callable[[bool], None]

HANDOFF_SECONDS = 0.6
"""A greeting after a compaction waits this long for the messages before it to be stored."""

SETTLE_SECONDS = 0.2
"""A request waits so long for the record of what its session was shown just before."""

MAX_DRAIN_SECONDS = 60.0

SUBAGENT_SOURCE = "subagent"
"""The source of a greeting that is for a subagent, and not for its session."""

REPEAT_SECONDS = 1.5
"""A session does not begin twice within this time, but two hooks of one event run in it."""

PROMPT_END_CHARACTERS = 10_000
"""Of a longer prompt, usually with a pasted log, only the beginning and the end are searched."""


class DaemonAnswer(NamedTuple):
    """The fields of an answer; `settle` is to be told whether the client has printed it.

    Only a client that `confirms` says so; another one is believed to print what it gets.
    """

    fields: AnswerFields
    settle: SettleAnswer | None = None
    confirms: bool = False


class UnsettledAnswers:
    """Counts the answers of each session that are not yet recorded as shown or late."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._counts = Counter[str]()

    def add(self, session: str) -> None:
        """Count an answer."""
        with self._changed:
            self._counts[session] += 1

    def remove(self, session: str) -> None:
        """Count an answer as recorded."""
        with self._changed:
            self._counts[session] -= 1
            self._counts += Counter()
            self._changed.notify_all()

    def wait_for(self, session: str, seconds: float) -> None:
        """Wait until all answers of a session are recorded, for so long at most."""
        with self._changed:
            self._changed.wait_for(lambda: not self._counts[session], seconds)


class RecentGreetings:
    """Tells the start of a session that another hook of ours has just brought.

    Hooks that are registered twice, by a plugin and in the settings, run at the same time, and a
    session has its brief once. What stands before a prompt is not repeated in any case.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[tuple[str, ...], float] = {}

    def is_repeated(self, fields: RequestFields) -> bool:
        """Say whether the same start was asked about a moment ago, and remember it."""
        key = tuple(_text_field(fields, name) for name in ("client", "session", "source"))
        now = monotonic()
        with self._lock:
            self._times = {
                start: at for start, at in self._times.items() if now - at < REPEAT_SECONDS
            }
            is_known = key in self._times
            self._times[key] = now
        return is_known


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
    unsettled: UnsettledAnswers = field(default_factory=UnsettledAnswers)
    greetings: RecentGreetings = field(default_factory=RecentGreetings)

    def __post_init__(self) -> None:
        self.since = self.last_request_at = self.now()

    def answer_request(self, verb: str, fields: RequestFields) -> DaemonAnswer:
        """Return the answer."""
        match verb:
            case "inject" | "read" | "greet":
                return self._text_answer(verb, fields)
            case "ping":
                return DaemonAnswer({"version": self.version, "pid": os.getpid()})
            case "tool":
                return DaemonAnswer(self._call_tool(fields))
            case "drain":
                return DaemonAnswer(self._drain_inbox(fields))
            case "status":
                return DaemonAnswer(self._daemon_status())
            case "stop":
                self.stop()
                return DaemonAnswer({})
        msg = f"there is no verb {verb[:40]!r}."
        raise RefusedError(msg)

    def _text_answer(self, verb: str, fields: RequestFields) -> DaemonAnswer:
        self.last_request_at = self.now()
        self.request_count += 1
        cwd = _text_field(fields, "cwd")
        self.unsettled.wait_for(_text_field(fields, "session"), SETTLE_SECONDS)
        if verb == "greet" and _text_field(fields, "source") in CONTEXT_RESET_MARKS:
            self._wait_for_capture(_text_field(fields, "session"))
        with self.active_requests.track_request():
            match verb:
                case "read":
                    answer = DaemonAnswer({"text": self._read(cwd, fields)})
                case _:
                    answer = self._injected_answer(verb, cwd, fields)
        # The hook has captured the prompt before it fields.
        self.jobs.wake_up(cwd)
        return answer

    def _wait_for_capture(self, session: str) -> None:
        """Have a session's messages stored; refuse a greeting while some still wait."""
        if self.jobs.wait_until_drained(HANDOFF_SECONDS):
            return
        records = inbox.peek_records(self.folder)
        if any(record.get("session") == session and record.get("text") for record in records):
            # The hook then makes a handoff from the inbox itself.
            msg = f"what session {session} said is not stored yet. Ask again in a moment."
            raise StoreError(msg)

    def _injected_answer(self, verb: str, cwd: str, fields: RequestFields) -> DaemonAnswer:
        """Answer with memory; that it was shown is recorded later, as that may have to wait."""
        with self.memories.memory_for(cwd, Work.PROMPT) as shared:
            memory = _memory_for_client(shared, fields)
            session = _text_field(fields, "session") or None
            if verb == "greet" and _text_field(fields, "source") == SUBAGENT_SOURCE:
                return DaemonAnswer({"text": memory.subagent_brief()})
            if verb == "greet" and session and self.greetings.is_repeated(fields):
                return DaemonAnswer({"text": "", "repeated": True})
            if verb == "inject":
                source = _text_field(fields, "source") or "user"
                prompt = _prompt_ends(_text_field(fields, "text"))
                prepared = memory.prepared_injection(prompt, session=session, source=source)
            else:
                source = _text_field(fields, "source") or "startup"
                prepared = memory.prepared_greeting(session, source)
            prepared = _as_printed(prepared, verb, fields)
            answer = _injection_fields(prepared.injection)
        self.unsettled.add(prepared.session.id)
        settle = partial(self._settle, cwd, prepared)
        return DaemonAnswer(answer, settle, confirms=fields.get("confirms") is True)

    def _settle(self, cwd: str, prepared: PreparedInjection, is_shown: bool) -> None:  # noqa: FBT001 - the server has one value to tell
        try:
            # Not with the memory of prompts: another writer may have to be waited for.
            with self.memories.memory_for(cwd, Work.READ) as memory:
                memory.settle_injection(prepared, is_shown=is_shown)
        finally:
            self.unsettled.remove(prepared.session.id)

    def _read(self, cwd: str, fields: RequestFields) -> str:
        with self.memories.memory_for(cwd, Work.READ) as memory:
            session = _text_field(fields, "session") or None
            reader = _memory_for_client(memory, fields)
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


def _injection_fields(injection: Injection) -> AnswerFields:
    """Return the text, and why it is empty although something matches."""
    fields: AnswerFields = {"text": injection.text}
    if injection.is_unneeded:
        fields["unneeded"] = True
    return {**fields, "in_sight": True} if injection.is_in_sight else fields


def _memory_for_client(memory: Memory, fields: RequestFields) -> Memory:
    """Return the memory as the client that asks uses it."""
    client = _text_field(fields, "client")
    # The same object where possible: it keeps what it has loaded.
    is_own = client in ("", memory.who.client)
    return memory if is_own else memory.used_by(Actor("agent", client))


def _as_printed(prepared: PreparedInjection, verb: str, fields: RequestFields) -> PreparedInjection:
    """Return an injection with its text as the hook of the client that asks prints it."""
    name = _text_field(fields, "client") or DEFAULT_CLIENT
    if name not in CLIENTS:
        return prepared
    event = "UserPromptSubmit" if verb == "inject" else "SessionStart"
    sent = printed_context(load_client(name), event, prepared.injection.text)
    return replace(prepared, sent=sent)


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

"""What can be asked of the daemon, verb by verb."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon.jobs import Jobs
from ai_smartness.entrypoints.daemon.opened import CLIENT, Memories, Work
from ai_smartness.entrypoints.daemon.records import NEW_CONTEXT
from ai_smartness.entrypoints.daemon.traffic import Traffic
from ai_smartness.entrypoints.tools.asked import Call
from ai_smartness.entrypoints.tools.reply import replied
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.journal import Actor

__all__ = ["Asked", "Verbs"]

Asked: TypeAlias = Mapping[str, object]
Answered: TypeAlias = "dict[str, object]"

HANDOFF_SECONDS = 0.6
"""A greeting after a compaction waits this long for what was said before it to be stored."""

LONGEST_DRAIN_SECONDS = 60.0

PROMPT_END_CHARACTERS = 10_000
"""Of a longer prompt, which holds a log as a rule, its beginning and its end are asked with."""


@dataclass(slots=True, kw_only=True)
class Verbs:
    """Answers each verb; what cannot be answered is raised."""

    memories: Memories
    jobs: Jobs
    traffic: Traffic
    folder: str
    version: str
    now: Callable[[], datetime]
    stop: Callable[[], None]
    since: datetime = field(init=False)
    last_asked: datetime = field(init=False)
    asked: int = 0

    def __post_init__(self) -> None:
        self.since = self.last_asked = self.now()

    def answer(self, verb: str, asked: Asked) -> Answered:
        """Do what is asked for."""
        match verb:
            case "ping":
                return {"version": self.version, "pid": os.getpid()}
            case "inject" | "read" | "greet":
                return {"text": self._text(verb, asked)}
            case "tool":
                return self._tool(asked)
            case "drain":
                return self._drain(asked)
            case "status":
                return self._status()
            case "stop":
                self.stop()
                return {}
        msg = f"there is no verb {verb[:40]!r}."
        raise RefusedError(msg)

    def _text(self, verb: str, asked: Asked) -> str:
        self.last_asked = self.now()
        self.asked += 1
        cwd = _said(asked, "cwd")
        if verb == "greet" and _said(asked, "source") in NEW_CONTEXT:
            self._catch_up(_said(asked, "session"))
        with self.traffic.one():
            match verb:
                case "inject":
                    text = self._inject(cwd, asked)
                case "read":
                    text = self._read(cwd, asked)
                case _:
                    text = self._greet(cwd, asked)
        # The hook that asks has captured first.
        self.jobs.wake(cwd)
        return text

    def _catch_up(self, session: str) -> None:
        """Have what a session said stored; refuse to say where it stood as long as that waits."""
        if self.jobs.drained(HANDOFF_SECONDS):
            return
        waiting = inbox.looked_at(self.folder)
        if any(each.get("session") == session and each.get("text") for each in waiting):
            # The hook reads it from the inbox.
            msg = f"what session {session} said is not stored yet. Ask again in a moment."
            raise StoreError(msg)

    def _inject(self, cwd: str, asked: Asked) -> str:
        source = _said(asked, "source") or "user"
        with self.memories.of(cwd, Work.PROMPT) as memory:
            session = _said(asked, "session") or None
            prompt = _ends(_said(asked, "text"))
            return memory.inject(prompt, session=session, source=source).text

    def _read(self, cwd: str, asked: Asked) -> str:
        with self.memories.of(cwd, Work.READ) as memory:
            client = _said(asked, "client") or memory.who.client
            hands = (
                memory if client == memory.who.client else memory.used_by(Actor("agent", client))
            )
            return hands.read_virtual(_said(asked, "path"), _said(asked, "session") or None)

    def _tool(self, asked: Asked) -> Answered:
        """Call a tool; what the memory refuses is an answer, and says that it is one."""
        self.last_asked = self.now()
        self.asked += 1
        cwd, arguments = _said(asked, "cwd"), asked.get("arguments") or {}
        if not isinstance(arguments, dict):
            msg = "`arguments` must be an object."
            raise RefusedError(msg)
        called = Call(
            name=_said(asked, "name"),
            arguments=arguments,
            client=_said(asked, "client") or CLIENT,
            session=_said(asked, "session") or None,
            reads=asked.get("reads") is True,
        )
        with self.traffic.one():
            reply = replied(called, self.memories.of(cwd, Work.READ))
        self.jobs.wake(cwd)
        return reply._asdict()

    def _greet(self, cwd: str, asked: Asked) -> str:
        source = _said(asked, "source") or "startup"
        with self.memories.of(cwd, Work.PROMPT) as memory:
            return memory.greeting(_said(asked, "session") or None, source)

    def _drain(self, asked: Asked) -> Answered:
        """Drain now; with `seconds`, answer when that is done, or when they are over."""
        seconds = asked.get("seconds", 0)
        if not isinstance(seconds, int | float):
            msg = "`seconds` must be a number."
            raise RefusedError(msg)
        self.jobs.drained(max(0.0, min(float(seconds), LONGEST_DRAIN_SECONDS)))
        return {"left": inbox.left(self.folder)}

    def _status(self) -> Answered:
        stored, refused = self.jobs.counts
        error = self.jobs.last_error
        return {
            "version": self.version,
            "pid": os.getpid(),
            "since": self.since.isoformat(),
            "asked": self.asked,
            "drained": stored,
            "set_aside": refused,
            "left": inbox.left(self.folder),
            "memories": len(self.memories),
            "trouble": self.jobs.trouble,
            "last_error": error[1] if error else "",
            "last_error_at": error[0].isoformat() if error else None,
        }


def _ends(text: str) -> str:
    if len(text) <= 2 * PROMPT_END_CHARACTERS:
        return text
    return f"{text[:PROMPT_END_CHARACTERS]}\n{text[-PROMPT_END_CHARACTERS:]}"


def _said(asked: Asked, name: str) -> str:
    value = asked.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        msg = f"`{name}` must be text, not {type(value).__name__}."
        raise RefusedError(msg)
    return value

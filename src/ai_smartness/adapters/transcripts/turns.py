"""What the transcripts of all clients have in common: prompts, tools and answers, in turns.

Each becomes the event that the client would have handed to a hook, with the same ids, so that
what a hook has captured is known when the transcript tells of it.
"""

from collections import Counter
from datetime import datetime

from ai_smartness.adapters.transcripts.fields import Fields
from ai_smartness.ports.history import Happened, Told

__all__ = ["Turns"]


class Turns:
    """The state of one session while its transcript is read."""

    def __init__(self, client: str, state: Fields) -> None:
        self.client = client
        self.session = str(state.get("session") or "")
        self.cwd = str(state.get("cwd") or "")
        self.turn = str(state.get("turn") or "")
        self.agent: Fields = {}
        self.skipped: Counter[str] = Counter()
        self._uses: dict[str, tuple[str, Fields]] = {}
        self._answer: tuple[datetime | None, str] | None = None

    @property
    def waits(self) -> bool:
        """Say whether a tool's result or the end of a turn is to come."""
        return bool(self._uses) or self._answer is not None

    @property
    def state(self) -> Fields:
        """Return which session, folder and turn it is."""
        return {"session": self.session, "cwd": self.cwd, "turn": self.turn}

    def passes_over(self, start: bytes) -> str:  # noqa: ARG002 - those who can tell say so
        """Read every line, unless the format says otherwise."""
        return ""

    def prompted(self, at: datetime | None, text: str, turn: str) -> list[Told]:
        """Begin a turn: whatever was waited for is over."""
        told = self.end()
        # As a hook does where the client names no turn.
        self.turn = turn or (str(int(at.timestamp() // 60)) if at else "")
        if text.strip():
            told.append(self._event("UserPromptSubmit", at, prompt=text))
        return told

    def may_answer(self, at: datetime | None, text: str) -> None:
        """Take note of what is the turn's answer if nothing comes after it."""
        if text.strip():
            self._answer = (at, text)

    def answered(self, at: datetime | None, text: str) -> list[Told]:
        """End a turn with its answer."""
        self._answer = (at, text) if text.strip() else None
        return self.end()

    def uses(self, call: str, tool: str, given: Fields) -> None:
        """Take note of a tool that is used: what was said before it was no answer."""
        self._answer = None
        self._uses[call] = (tool, given)

    def used(self, call: str) -> tuple[str, Fields] | None:
        """Return what a result belongs to, once."""
        return self._uses.pop(call, None)

    def end(self) -> list[Told]:
        """Tell the answer, and forget tools that never came back."""
        self._uses.clear()
        if self._answer is None:
            return []
        (at, text), self._answer = self._answer, None
        event = "SubagentStop" if self.agent else "Stop"
        return [self._event(event, at, last_assistant_message=text)]

    def ran(
        self,
        at: datetime | None,
        call: str,
        tool: str,
        given: Fields,
        response: object,
        *,
        error: str | None = None,
    ) -> Told:
        """Tell of a tool's use and what came of it."""
        about: Fields = {"tool_name": tool, "tool_input": given, "tool_use_id": call}
        if error is not None:
            return self._event("PostToolUseFailure", at, **about, error=error)
        return self._event("PostToolUse", at, **about, tool_response=response)

    def summarized(self, at: datetime | None, text: str, trigger: str) -> Told:
        """Tell of the summary that a client made of its context."""
        return self._event("PostCompact", at, compact_summary=text, trigger=trigger)

    def _event(self, name: str, at: datetime | None, **fields: object) -> Happened:
        about = {
            "hook_event_name": name,
            "session_id": self.session,
            "cwd": self.cwd,
            "prompt_id": self.turn,
        }
        return Happened(at, {**about, **self.agent, **fields}, self.client)

"""The turns of a session, as all transcripts tell them: a prompt, tool uses, an answer.

Each becomes the event that the client would have handed to a hook, with the same ids: a message
that a hook has captured is recognized when the transcript is imported.
"""

from datetime import datetime

from ai_smartness.clients.transcript_reader import Fields, LineReader
from ai_smartness.ports.transfer import RecordedHookEvent, TranscriptItem

__all__ = ["SessionTurns"]


class SessionTurns(LineReader):
    """The state of one session while its transcript is read."""

    def __init__(self, client: str, state: Fields) -> None:
        super().__init__()
        self.client = client
        self.session = str(state.get("session") or "")
        self.cwd = str(state.get("cwd") or "")
        self.turn = str(state.get("turn") or "")
        self.agent: Fields = {}
        self._uses: dict[str, tuple[str, Fields]] = {}
        self._answer: tuple[datetime | None, str] | None = None
        self._before_tools: list[tuple[datetime | None, str]] = []

    @property
    def is_waiting(self) -> bool:
        """Say whether a tool's result or the end of a turn is still to come."""
        return bool(self._uses or self._before_tools) or self._answer is not None

    @property
    def state(self) -> Fields:
        """Return the session, folder and turn."""
        return {"session": self.session, "cwd": self.cwd, "turn": self.turn}

    def start_turn(self, at: datetime | None, text: str, turn: str) -> list[TranscriptItem]:
        """Start a turn with a prompt, and finish the one before; without a text, go on with it."""
        items = self.finish_turn() if text.strip() else self._finish_answer()
        # Where the client does not name the turn, the hook counts minutes too.
        self.turn = turn or (str(int(at.timestamp() // 60)) if at else "")
        if text.strip():
            items.append(self._hook_event("UserPromptSubmit", at, prompt=text))
        return items

    def note_answer(self, at: datetime | None, text: str) -> None:
        """Remember a text that is the turn's answer if nothing follows it."""
        if text.strip():
            self._answer = (at, text)

    def answer_turn(self, at: datetime | None, text: str) -> list[TranscriptItem]:
        """End a turn with its answer."""
        if text.strip():
            self._answer = (at, text)
        return self.finish_turn()

    def note_tool_use(self, call: str, tool: str, tool_input: Fields) -> None:
        """Remember a tool use until its result comes; the text before it may not be the answer."""
        if self._answer is not None:
            self._before_tools.append(self._answer)
        self._answer = None
        self._uses[call] = (tool, tool_input)

    def take_tool_use(self, call: str) -> tuple[str, Fields] | None:
        """Return the tool and the input that a result belongs to, once."""
        return self._uses.pop(call, None)

    def finish_turn(self) -> list[TranscriptItem]:
        """Return the turn's answer, and drop tool uses without a result.

        The answer of a turn that ended in a tool is what the agent said before its tools.
        """
        if self._answer is None and self._before_tools:
            texts = [text.strip() for _, text in self._before_tools]
            self._answer = (self._before_tools[-1][0], "\n\n".join(texts))
        return self._finish_answer()

    def _finish_answer(self) -> list[TranscriptItem]:
        self._uses.clear()
        if self._answer is None:
            return []
        (at, text), self._answer = self._answer, None
        self._before_tools.clear()
        name = "SubagentStop" if self.agent else "Stop"
        return [self._hook_event(name, at, last_assistant_message=text)]

    def tool_event(
        self, at: datetime | None, call: str, use: tuple[str, Fields], response: object
    ) -> TranscriptItem:
        """Return the event of a tool use that succeeded."""
        return self._hook_event("PostToolUse", at, **_use_fields(call, use), tool_response=response)

    def failure_event(
        self, at: datetime | None, call: str, use: tuple[str, Fields], error: str
    ) -> TranscriptItem:
        """Return the event of a tool use that failed."""
        return self._hook_event("PostToolUseFailure", at, **_use_fields(call, use), error=error)

    def summary_event(self, at: datetime | None, text: str) -> TranscriptItem:
        """Return the event of a summary that the client made of its context."""
        return self._hook_event("PostCompact", at, compact_summary=text, trigger="")

    def _hook_event(self, name: str, at: datetime | None, **fields: object) -> RecordedHookEvent:
        session = {"hook_event_name": name, "session_id": self.session, "cwd": self.cwd}
        turn = {"prompt_id": self.turn, **self.agent}
        return RecordedHookEvent(at, {**session, **turn, **fields}, self.client)


def _use_fields(call: str, use: tuple[str, Fields]) -> Fields:
    return {"tool_name": use[0], "tool_input": use[1], "tool_use_id": call}

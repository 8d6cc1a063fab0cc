"""A thread that grew long, as an agent of one's own writes it."""

from collections.abc import Sequence

from ai_smartness.condense import Context
from ai_smartness.memory import Memory
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType, Message
from builders import NOON, a_thread, an_event

__all__ = ["OUTPUT", "LineByLine", "a_context", "a_long_thread", "a_tool_call", "a_tool_result"]

OUTPUT = "\n".join(
    [
        "collected 412 items",
        *(f"step {number} is fine and says nothing of interest here" for number in range(60)),
        "E   KeyError: 'refresh_token' in src/auth/token.py:88",
        *(f"step {number} is fine and says nothing of interest here" for number in range(60, 120)),
        "1 failed, 411 passed in 12.34s",
    ],
)


class LineByLine:
    """A condenser of somebody's own: what it is told to give back, it does."""

    id = "line-by-line"
    version = "7"

    def __init__(self, gives: object) -> None:
        self.gives = gives

    def condense(self, events: Sequence[Event], context: Context) -> Sequence[Replacement]:
        return self.gives(events, context) if callable(self.gives) else self.gives  # type: ignore[return-value]


def a_context(target: int = 400) -> Context:
    return Context(thread_id="thread_1", title="Tokens", target=target, now=NOON)


def a_tool_call(id_: str, command: str = "pytest -q", minute: float = 0) -> Event:
    event = an_event(id_, a_thread(), "", minute=minute)
    ids = {"call_id": f"call-{id_}", "tool": "Bash"}
    payload: dict[str, object] = {**ids, "args": {"command": command}}
    return _as(event, EventType.TOOL_CALL, "assistant", payload)


def a_tool_result(of: Event, text: str, minute: float = 0, **payload: object) -> Event:
    event = an_event(f"{of.id}-result", a_thread(), text, minute=minute)
    ids = {"call_id": of.payload["call_id"], **payload}
    return _as(event, EventType.TOOL_RESULT, "tool", ids)


def a_long_thread(memory: Memory, turns: int = 12) -> str:
    """Write a log of so many turns, each a question, a call, its result and an answer."""
    thread = memory.create("Refresh tokens")
    for turn in range(turns):
        ids = {"call_id": f"call-{turn}", "tool": "Bash"}
        memory.append(
            thread,
            Message(
                id=f"u{turn}",
                session="s",
                text=f"Never log a token. Now look at src/auth/token_{turn}.py, please.",
            ),
        )
        memory.append(
            thread,
            Message(
                id=f"c{turn}",
                session="s",
                role="assistant",
                type=EventType.TOOL_CALL,
                text="",
                payload={**ids, "args": {"command": f"pytest tests/test_{turn}.py"}},
            ),
        )
        memory.append(
            thread,
            Message(
                id=f"r{turn}",
                session="s",
                role="tool",
                type=EventType.TOOL_RESULT,
                text=OUTPUT,
                payload={**ids, "exit_code": 1},
            ),
        )
        memory.append(
            thread,
            Message(
                id=f"a{turn}",
                session="s",
                role="assistant",
                text=f"I fixed the KeyError in src/auth/token_{turn}.py because it was renamed.",
            ),
        )
    return thread


def _as(event: Event, type_: EventType, role: str, payload: dict[str, object]) -> Event:
    return Event(
        id=event.id,
        project=event.project,
        thread_id=event.thread_id,
        session=event.session,
        type=type_,
        role=role,
        text=event.text,
        at=event.at,
        source=event.source,
        payload=payload,
    )

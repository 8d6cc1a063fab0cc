"""Write a thread's events as messages for the API of Anthropic or OpenAI.

Roles alternate and the user speaks first. Every tool call is followed by its result. A call
or a result without its counterpart becomes plain text.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ai_smartness.condense.tool_calls import call_arguments, paired_calls, tool_name
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType

__all__ = ["SHAPES", "api_messages"]

SHAPES = ("anthropic", "openai")

MISSING_START = "(The beginning of this conversation is not shown.)"
NO_OUTPUT = "(no output)"

LONGEST_NAME_CHARACTERS = 64
_UNNAMEABLE = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(slots=True)
class _ToolCall:
    """A tool call with its result."""

    id: str
    name: str
    arguments: dict[str, object]
    result: str


@dataclass(slots=True)
class _Turn:
    """What one side says at once; an agent's calls follow its text."""

    agent: bool
    texts: list[str] = field(default_factory=list)
    calls: list[_ToolCall] = field(default_factory=list)


def api_messages(events: Sequence[Event], shape: str) -> list[dict[str, Any]]:
    """Return events as messages in one of the shapes."""
    if shape not in SHAPES:
        msg = f"there is no shape {shape!r} of messages. There are {' and '.join(SHAPES)}."
        raise RefusedError(msg)
    turns = _conversation_turns(events)
    if turns and turns[0].agent:
        turns.insert(0, _Turn(agent=False, texts=[MISSING_START]))
    return list(_anthropic_messages(turns) if shape == "anthropic" else _openai_messages(turns))


def _conversation_turns(events: Sequence[Event]) -> list[_Turn]:
    pairs = paired_calls(events)
    answers = set(pairs.values())
    turns: list[_Turn] = []
    for place, event in enumerate(events):
        if place in answers:
            # It is part of its call; whatever the agent does next is another turn.
            _close_turn(turns)
        elif place in pairs:
            _current_turn(turns, agent=True).calls.append(
                _tool_call(event, events[pairs[place]], place)
            )
        elif text := _event_text(event):
            is_agent = event.type in (EventType.AGENT_MESSAGE, EventType.TOOL_CALL)
            if is_agent:
                # After calls, an agent's text starts a new turn.
                _close_turn(turns)
            _current_turn(turns, agent=is_agent).texts.append(text)
    return [turn for turn in turns if turn.texts or turn.calls]


def _current_turn(turns: list[_Turn], *, agent: bool) -> _Turn:
    if not turns or turns[-1].agent is not agent:
        turns.append(_Turn(agent))
    return turns[-1]


def _close_turn(turns: list[_Turn]) -> None:
    if turns and turns[-1].calls:
        turns.append(_Turn(agent=False))


def _tool_call(event: Event, result: Event, place: int) -> _ToolCall:
    name = _UNNAMEABLE.sub("_", tool_name(event))[:LONGEST_NAME_CHARACTERS] or "tool"
    output = result.text.strip() or NO_OUTPUT
    return _ToolCall(f"call_{place + 1}", name, call_arguments(event), output)


def _event_text(event: Event) -> str:
    text = event.text.strip()
    match event.type:
        case EventType.TOOL_CALL:
            name = tool_name(event) or "a tool"
            return f"[called {name}, result not shown] {text}".strip()
        case EventType.TOOL_RESULT:
            return f"[result of {tool_name(event) or 'a tool'}] {text}" if text else ""
        case EventType.NOTE:
            return f"[note] {text}" if text else ""
        case _:
            return text


def _anthropic_messages(turns: Sequence[_Turn]) -> Iterator[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for turn in turns:
        if turn.agent and results:
            yield {"role": "user", "content": results}
            results = []
        content: list[dict[str, Any]] = [*results] if not turn.agent else []
        content += [{"type": "text", "text": text} for text in turn.texts]
        results = []
        for call in turn.calls:
            content.append(
                {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
            )
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": call.result})
        yield {"role": "assistant" if turn.agent else "user", "content": content}
    if results:
        yield {"role": "user", "content": results}


def _openai_messages(turns: Sequence[_Turn]) -> Iterator[dict[str, Any]]:
    for turn in turns:
        message: dict[str, Any] = {"role": "assistant" if turn.agent else "user"}
        if turn.texts or not turn.calls:
            message["content"] = "\n\n".join(turn.texts)
        if turn.calls:
            message["tool_calls"] = [
                {
                    "type": "function",
                    "id": call.id,
                    "function": {
                        "name": call.name,
                        "arguments": json.dumps(call.arguments, ensure_ascii=False),
                    },
                }
                for call in turn.calls
            ]
        yield message
        for call in turn.calls:
            yield {"role": "tool", "tool_call_id": call.id, "content": call.result}

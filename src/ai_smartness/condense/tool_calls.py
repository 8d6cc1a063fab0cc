"""Read tool calls: which call has which result, its name and arguments, and its size in tokens.

A call and its result share an id in their payloads. Without ids, a result belongs to the
call of the same tool right before it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType
from ai_smartness.text.token_count import estimate_tokens

__all__ = [
    "EVENT_TOKENS",
    "EventLike",
    "call_arguments",
    "call_id",
    "event_tokens",
    "paired_calls",
    "tool_name",
    "unanswered_calls",
    "view_tokens",
]

EventLike: TypeAlias = Event | Replacement

EVENT_TOKENS = 4  # tokens around each message: its role and its borders

_IDS = ("call_id", "tool_use_id", "tool_call_id", "id")
_NAMES = ("tool", "name")
_ARGUMENTS = ("input", "args", "arguments")


def paired_calls(events: Sequence[EventLike]) -> dict[int, int]:
    """Return the place of each call's result, by the place of the call."""
    pairs: dict[int, int] = {}
    open_by_id: dict[str, int] = {}
    open_calls: list[int] = []
    for place, event in enumerate(events):
        if event.type is EventType.TOOL_CALL:
            open_calls.append(place)
            if id_ := call_id(event):
                open_by_id[id_] = place
        elif event.type is EventType.TOOL_RESULT:
            call = _call_for_result(events, event, open_by_id, open_calls)
            if call is not None:
                pairs[call] = place
                open_calls = [other for other in open_calls if other != call]
                open_by_id = {id_: other for id_, other in open_by_id.items() if other != call}
        else:
            open_calls = []
    return pairs


def unanswered_calls(events: Sequence[EventLike]) -> list[int]:
    """Return the places of calls with an id whose result has not come yet."""
    pairs = paired_calls(events)
    return [
        place
        for place, event in enumerate(events)
        if event.type is EventType.TOOL_CALL and call_id(event) and place not in pairs
    ]


def call_id(event: EventLike) -> str:
    """Return the id that a call shares with its result, if there is one."""
    return _payload_text(event.payload, _IDS)


def tool_name(event: EventLike) -> str:
    """Return the name of the called tool, if it is known."""
    return _payload_text(event.payload, _NAMES)


def call_arguments(event: EventLike) -> dict[str, object]:
    """Return the arguments of a tool call."""
    for name in _ARGUMENTS:
        arguments = event.payload.get(name)
        if isinstance(arguments, Mapping):
            return dict(arguments)
    own = {*_IDS, *_NAMES}
    return {name: value for name, value in event.payload.items() if name not in own}


def view_tokens(events: Iterable[EventLike]) -> int:
    """Estimate the tokens of events in an agent's window."""
    return sum(event_tokens(event) for event in events)


def event_tokens(event: EventLike) -> int:
    """Estimate the tokens of one event, with the arguments of a call."""
    size = EVENT_TOKENS + estimate_tokens(event.text)
    if event.type is EventType.TOOL_CALL:
        size += estimate_tokens(json.dumps(call_arguments(event), ensure_ascii=False))
    return size


def _call_for_result(
    events: Sequence[EventLike],
    result: EventLike,
    open_by_id: Mapping[str, int],
    open_calls: Sequence[int],
) -> int | None:
    if id_ := call_id(result):
        return open_by_id.get(id_)
    for place in open_calls:
        names = {tool_name(events[place]), tool_name(result)} - {""}
        if not call_id(events[place]) and len(names) <= 1:
            return place
    return None


def _payload_text(payload: Mapping[str, object], names: Sequence[str]) -> str:
    values = (payload.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")

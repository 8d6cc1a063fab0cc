"""Which tool call has which result, and what a call says of itself.

A call and its result know each other by the id in their payloads; where they have
none, a result belongs to the call of the same tool that stands right before it.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from ai_smartness.model.event import EventType

__all__ = [
    "EventLike",
    "call_arguments",
    "call_id",
    "paired_calls",
    "tool_name",
    "unanswered_calls",
]

_IDS = ("call_id", "tool_use_id", "tool_call_id", "id")
_NAMES = ("tool", "name")
_ARGUMENTS = ("input", "args", "arguments")


class EventLike(Protocol):
    """An event, or what stands for some."""

    @property
    def type(self) -> EventType:
        """What it is."""
        ...

    @property
    def role(self) -> str:
        """Who said it."""
        ...

    @property
    def text(self) -> str:
        """What was said."""
        ...

    @property
    def payload(self) -> Mapping[str, object]:
        """What came with it."""
        ...


def paired_calls(events: Sequence[EventLike]) -> dict[int, int]:
    """Tell for each call that has a result, by their places, which one it is."""
    found: dict[int, int] = {}
    by_id: dict[str, int] = {}
    before: list[int] = []
    for place, event in enumerate(events):
        if event.type is EventType.TOOL_CALL:
            before.append(place)
            if id_ := call_id(event):
                by_id[id_] = place
        elif event.type is EventType.TOOL_RESULT:
            call = _call_for_result(events, event, by_id, before)
            if call is not None:
                found[call] = place
                before = [each for each in before if each != call]
                by_id = {id_: each for id_, each in by_id.items() if each != call}
        else:
            before = []
    return found


def unanswered_calls(events: Sequence[EventLike]) -> list[int]:
    """Tell the places of calls whose result, to be known by its id, is still to come."""
    answered = paired_calls(events)
    return [
        place
        for place, event in enumerate(events)
        if event.type is EventType.TOOL_CALL and call_id(event) and place not in answered
    ]


def call_id(event: EventLike) -> str:
    """Return the id that a call and its result share; nothing where there is none."""
    return _payload_text(event.payload, _IDS)


def tool_name(event: EventLike) -> str:
    """Return the tool that was called; nothing where it is not said."""
    return _payload_text(event.payload, _NAMES)


def call_arguments(event: EventLike) -> dict[str, object]:
    """Return what a tool was called with."""
    for name in _ARGUMENTS:
        given = event.payload.get(name)
        if isinstance(given, Mapping):
            return dict(given)
    own = {*_IDS, *_NAMES}
    return {name: value for name, value in event.payload.items() if name not in own}


def _call_for_result(
    events: Sequence[EventLike], result: EventLike, by_id: Mapping[str, int], before: Sequence[int]
) -> int | None:
    if id_ := call_id(result):
        return by_id.get(id_)
    for place in before:
        names = {tool_name(events[place]), tool_name(result)} - {""}
        if not call_id(events[place]) and len(names) <= 1:
            return place
    return None


def _payload_text(payload: Mapping[str, object], names: Sequence[str]) -> str:
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""

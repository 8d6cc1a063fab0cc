"""How many tokens events take in an agent's window, near enough and rather too many."""

import json
from collections.abc import Callable, Iterable

from ai_smartness.condense.tool_calls import EventLike, call_arguments
from ai_smartness.model.event import EventType
from ai_smartness.text.token_count import estimate_tokens

__all__ = ["EVENT_TOKENS", "event_tokens", "truncated_middle", "view_tokens"]

EVENT_TOKENS = 4
"""Around each message: its role and its borders."""


def view_tokens(events: Iterable[EventLike]) -> int:
    """Estimate the tokens of events together."""
    return sum(event_tokens(event) for event in events)


def event_tokens(event: EventLike) -> int:
    """Estimate the tokens of one event; of a call also what it was called with."""
    size = EVENT_TOKENS + estimate_tokens(event.text)
    if event.type is EventType.TOOL_CALL:
        size += estimate_tokens(json.dumps(call_arguments(event), ensure_ascii=False))
    return size


def truncated_middle(text: str, room: int, size: Callable[[str], int] = estimate_tokens) -> str:
    """Return as much of a text as takes no more than so many tokens, cut at its middle."""
    if size(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if size(_without_middle(text, middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return _without_middle(text, low) if low else ""


def _without_middle(text: str, characters: int) -> str:
    tail = characters // 3
    return f"{text[: characters - tail].rstrip()} […] {text[len(text) - tail :].lstrip()}".strip()

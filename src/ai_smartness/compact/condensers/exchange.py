"""The last exchange of a thread, word for word: what was asked last, and what was answered."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ai_smartness.compact.condensers.trim import as_it_is
from ai_smartness.compact.sizes import EVENT_TOKENS, event_tokens, fitting
from ai_smartness.model.condensed import Replacement
from ai_smartness.model.event import Event, EventType

__all__ = ["last_exchange"]

_SPOKEN = frozenset({EventType.USER_MESSAGE, EventType.AGENT_MESSAGE})

LEAST_TOKENS = 12
"""Of a message: less says nothing."""


def last_exchange(
    events: Sequence[Event], room: int, tokens: Callable[[str], int]
) -> list[Replacement]:
    """Return the last message of the user's and the last of the agent's, in order.

    Within so many tokens: what is longer is cut at its middle, the longer of the two first.
    """
    spoken = [event for event in events if event.type in _SPOKEN and event.text.strip()]
    last = {event.type: place for place, event in enumerate(spoken)}
    pair = [spoken[place] for place in sorted(last.values())]
    kept: dict[EventType, Replacement] = {}
    for left, event in zip(range(len(pair), 0, -1), sorted(pair, key=event_tokens), strict=True):
        text = fitting(event.text, room // left - EVENT_TOKENS, tokens)
        if text and tokens(text) >= min(LEAST_TOKENS, tokens(event.text)):
            kept[event.type] = replace(as_it_is(event), text=text)
            room -= event_tokens(kept[event.type])
    return [kept[event.type] for event in pair if event.type in kept]

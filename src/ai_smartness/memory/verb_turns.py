"""Let the threads that share a memory take turns, verb by verb, and repeat what a chance undid."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Protocol

from ai_smartness.model.errors import StoreError

if TYPE_CHECKING:
    from ai_smartness.memory.parts import MemoryParts
    from ai_smartness.ports import ThreadStore

__all__ = ["taking_turns"]

_LOG = logging.getLogger(__name__)

MOST_REPEATS = 3

RESUMED_VERBS = frozenset({"capture", "embed", "tell"})
"""Verbs that go on where they were, and store nothing twice."""


class _SharedMemory(Protocol):
    _parts: MemoryParts


def taking_turns(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb that waits until no other thread is in a verb of the same memory."""

    @wraps(verb)
    def in_turn(memory: _SharedMemory, *arguments: object, **named: object) -> object:
        with memory._parts.turn:  # noqa: SLF001 - of its own class
            call = partial(verb, memory, *arguments, **named)
            return _repeated(call, verb.__name__, memory._parts.store)  # noqa: SLF001 - likewise

    return in_turn


def _repeated(call: partial[Any], verb: str, store: ThreadStore) -> object:
    """Call a verb, and again if its unit was undone by chance, such as a deadlock.

    What was stored before is stored once only by verbs that go by ids or by marks. What reads an
    iterator has read it.
    """
    may_repeat = not any(isinstance(one, Iterator) for one in (*call.args, *call.keywords.values()))
    for _ in range(MOST_REPEATS if may_repeat else 0):
        stored = store.stored_units
        try:
            return call()
        except StoreError as error:
            is_safe = verb in RESUMED_VERBS or store.stored_units == stored
            if not error.may_repeat or not is_safe:
                raise
            _LOG.info("%s is repeated: %s", verb, error)
    return call()

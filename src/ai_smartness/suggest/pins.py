"""Which pins take room and do nothing for it.

A pin never fades by itself. It is forgotten when it was shown often and never
came back in what agents did, when it was not shown in all the sessions of a
month, or when a newer thread says otherwise.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ai_smartness.model.suggestion import Conflict, ForgottenPin
from ai_smartness.model.thread import Kind, Thread
from ai_smartness.threads.decay import is_pinned

__all__ = ["PinUse", "forgotten_pins"]

SHOWN_OFTEN = 10
"""Times a pin was shown: what is of use at all has come back by then."""

LONG = timedelta(days=30)

SESSIONS = 3
"""After so many a pin had its chances; a project that rests forgets nothing."""

LIVED_BY = frozenset({Kind.IDENTITY, Kind.PREFERENCE})
"""Agents follow these without a word: that none comes back says nothing."""


@dataclass(frozen=True, slots=True)
class PinUse:
    """How often a pin was shown, how often it was of use, and how many sessions there were."""

    shown: int
    used: int
    sessions: int


def forgotten_pins(
    pins: Iterable[Thread],
    uses: Mapping[str, PinUse],
    against: Sequence[Conflict],
    now: datetime,
) -> tuple[ForgottenPin, ...]:
    """Return the pins that should be looked at, each with the reason."""
    newer = {each.older: each for each in reversed(against)}
    looked_at = ((pin, _reason(pin, uses.get(pin.id), newer, now)) for pin in pins)
    return tuple(
        ForgottenPin(thread_id=pin.id, title=pin.title, reason=reason)
        for pin, reason in looked_at
        if reason
    )


def _reason(
    pin: Thread, use: PinUse | None, newer: Mapping[str, Conflict], now: datetime
) -> str | None:
    if not is_pinned(pin):
        return None
    if pin.id in newer:
        conflict = newer[pin.id]
        return f"{conflict.newer} {conflict.relation} it: {conflict.reason}"
    if use is None or _is_valued(pin, use):
        return None
    if use.shown >= SHOWN_OFTEN:
        return f"Shown {use.shown:,} times, never of use"
    idle = now - pin.last_active
    if not use.shown and idle >= LONG and use.sessions >= SESSIONS:
        return f"Not shown once in {idle.days:,} days and {use.sessions:,} sessions"
    return None


def _is_valued(pin: Thread, use: PinUse) -> bool:
    """Say whether somebody, or what agents did, spoke for a pin, or it goes without saying."""
    return use.used > 0 or pin.kind in LIVED_BY or any(each.useful for each in pin.ratings)

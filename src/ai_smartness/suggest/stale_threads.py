"""Which threads stand against each other: one takes back or replaces what another says.

Found by the words when they were captured, without a language model; here they
are the ones that somebody should settle, because both are still in use.

Which pins take room and do nothing for it.

A pin never fades by itself. It is forgotten when it was shown often and never
came back in what agents did, when it was not shown in all the sessions of a
month, or when a newer thread says otherwise.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.suggestion import Conflict, ForgottenPin
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.threads.decay import is_pinned

__all__ = ["PinUse", "forgotten_pins", "thread_conflicts"]


_CONFLICT_STRENGTH = {Relation.REPLACES: 2, Relation.UPDATES: 1, Relation.CONTRADICTS: 0}
_REASONS = {
    Relation.REPLACES: "replaces what the other says",
    Relation.UPDATES: "brings up to date what the other says",
    Relation.CONTRADICTS: "says otherwise",
}


def thread_conflicts(
    bridges: Iterable[Bridge], threads: Mapping[str, Thread]
) -> tuple[Conflict, ...]:
    """Return what stands against each other, the latest first; of two threads the strongest."""
    found: dict[frozenset[str], Bridge] = {}
    for bridge in bridges:
        ends = frozenset((bridge.source, bridge.target))
        known = found.get(ends)
        if all(_is_in_use(threads.get(end)) for end in ends) and (
            known is None
            or _CONFLICT_STRENGTH[bridge.relation] > _CONFLICT_STRENGTH[known.relation]
        ):
            found[ends] = bridge
    listed = [_conflict_of(bridge, threads) for bridge in found.values()]
    return tuple(sorted(listed, key=lambda each: (each.at, each.newer, each.older), reverse=True))


def _is_in_use(thread: Thread | None) -> bool:
    return thread is not None and thread.status is Status.ACTIVE


def _conflict_of(bridge: Bridge, threads: Mapping[str, Thread]) -> Conflict:
    newer, older = threads[bridge.source], threads[bridge.target]
    # A contradiction says the same from either end; the later thread is the one to believe.
    if bridge.relation is Relation.CONTRADICTS and newer.created_at < older.created_at:
        newer, older = older, newer
    return Conflict(
        older=older.id,
        newer=newer.id,
        relation=bridge.relation,
        reason=bridge.reason or _REASONS[bridge.relation],
        at=bridge.last_used,
    )


SHOWN_OFTEN = 10
"""Times a pin was shown: what is of use at all has come back by then."""

LONG_IDLE = timedelta(days=30)

LEAST_SESSIONS = 3
"""After so many a pin had its chances; a project that rests forgets nothing."""

SILENT_KINDS = frozenset({Kind.IDENTITY, Kind.PREFERENCE})
"""Agents follow these without a word: that none comes back says nothing."""


@dataclass(frozen=True, slots=True)
class PinUse:
    """How often a pin was shown, how often it was of use, and how many sessions there were."""

    shown: int
    used: int
    sessions: int


def forgotten_pins(
    pins: Iterable[Thread], uses: Mapping[str, PinUse], against: Sequence[Conflict], now: datetime
) -> tuple[ForgottenPin, ...]:
    """Return the pins that should be looked at, each with the reason."""
    newer = {each.older: each for each in reversed(against)}
    looked_at = ((pin, _forgotten_reason(pin, uses.get(pin.id), newer, now)) for pin in pins)
    return tuple(
        ForgottenPin(thread_id=pin.id, title=pin.title, reason=reason)
        for pin, reason in looked_at
        if reason
    )


def _forgotten_reason(
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
    if not use.shown and idle >= LONG_IDLE and use.sessions >= LEAST_SESSIONS:
        return f"Not shown once in {idle.days:,} days and {use.sessions:,} sessions"
    return None


def _is_valued(pin: Thread, use: PinUse) -> bool:
    """Say whether somebody, or what agents did, spoke for a pin, or it goes without saying."""
    return use.used > 0 or pin.kind in SILENT_KINDS or any(each.useful for each in pin.ratings)

"""Find threads that may be out of date: contradicted by another one, or pinned and never useful.

Conflicts come from the bridges found at capture, between threads that are both in use. A pin
never fades. It is suggested for review if it was shown often and never used, if it was not
shown in all the sessions of a month, or if a newer thread conflicts with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.suggestion import Conflict, ForgottenPin
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.threads.decay import is_pinned

__all__ = ["PinUse", "forgotten_pins", "thread_conflicts"]

OFTEN_SHOWN = 10  # a pin that was shown this often and is useful at all has been used by then
LONG_IDLE = timedelta(days=30)
LEAST_SESSIONS = 3  # then a pin had its chances; a project at rest forgets nothing
SILENT_KINDS = frozenset({Kind.IDENTITY, Kind.PREFERENCE})
"""Agents follow these without a word: missing use says nothing."""

_CONFLICT_STRENGTH = {Relation.REPLACES: 2, Relation.UPDATES: 1, Relation.CONTRADICTS: 0}
_REASONS = {
    Relation.REPLACES: "replaces what the other says",
    Relation.UPDATES: "brings up to date what the other says",
    Relation.CONTRADICTS: "says otherwise",
}


@dataclass(frozen=True, slots=True)
class PinUse:
    """How often a pin was shown and used, and in how many sessions it could have been."""

    shown: int
    used: int
    sessions: int


def thread_conflicts(
    bridges: Iterable[Bridge], threads: Mapping[str, Thread]
) -> tuple[Conflict, ...]:
    """Return the conflicts between active threads, latest first; one for each pair."""
    strongest: dict[frozenset[str], Bridge] = {}
    for bridge in bridges:
        ends = frozenset((bridge.source, bridge.target))
        known = strongest.get(ends)
        if all(end in threads and threads[end].status is Status.ACTIVE for end in ends) and (
            known is None
            or _CONFLICT_STRENGTH[bridge.relation] > _CONFLICT_STRENGTH[known.relation]
        ):
            strongest[ends] = bridge
    conflicts = [_conflict_of(bridge, threads) for bridge in strongest.values()]
    conflicts.sort(key=lambda conflict: (conflict.at, conflict.newer, conflict.older), reverse=True)
    return tuple(conflicts)


def forgotten_pins(
    pins: Iterable[Thread], uses: Mapping[str, PinUse], conflicts: Sequence[Conflict], now: datetime
) -> tuple[ForgottenPin, ...]:
    """Return the pins to review, each with the reason."""
    newer = {conflict.older: conflict for conflict in reversed(conflicts)}
    reasons = ((pin, _forgotten_reason(pin, uses.get(pin.id), newer, now)) for pin in pins)
    return tuple(
        ForgottenPin(thread_id=pin.id, title=pin.title, reason=reason)
        for pin, reason in reasons
        if reason
    )


def _conflict_of(bridge: Bridge, threads: Mapping[str, Thread]) -> Conflict:
    newer, older = threads[bridge.source], threads[bridge.target]
    # A contradiction has no direction; the later thread is the one to believe.
    if bridge.relation is Relation.CONTRADICTS and newer.created_at < older.created_at:
        newer, older = older, newer
    return Conflict(
        older=older.id,
        newer=newer.id,
        relation=bridge.relation,
        reason=bridge.reason or _REASONS[bridge.relation],
        at=bridge.last_used,
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
    if use.shown >= OFTEN_SHOWN:
        return f"Shown {use.shown:,} times, never of use"
    idle = now - pin.last_active
    if not use.shown and idle >= LONG_IDLE and use.sessions >= LEAST_SESSIONS:
        return f"Not shown once in {idle.days:,} days and {use.sessions:,} sessions"
    return None


def _is_valued(pin: Thread, use: PinUse) -> bool:
    """Say whether a pin was used or rated useful, or needs no use."""
    return use.used > 0 or pin.kind in SILENT_KINDS or any(r.useful for r in pin.ratings)

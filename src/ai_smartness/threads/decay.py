"""How a thread's weight fades without use.

Computed on every read, never by a job that rewrites weights: many small steps give exactly
the same as one big step.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from ai_smartness.model.thread import Origin, Status, Thread

__all__ = [
    "DOCUMENT_TAG",
    "PINNED_TAG",
    "WEIGHT_CEILING",
    "decayed_thread",
    "decayed_weight_and_status",
    "faded_weight",
    "half_life",
    "is_pinned",
    "is_protected",
    "raised_weight",
]

WEIGHT_CEILING = 1.5  # the limit of a thread's weight, however often it is used
SUSPENDED_BELOW = 0.1  # a lighter thread reads as suspended: out of the way until it is recalled

PINNED_TAG = "pinned"
DOCUMENT_TAG = "document"
WHOLE_TAG = "whole"


def decayed_thread(thread: Thread, now: datetime, half_life_days: float) -> Thread:
    """Return the thread with its present weight, suspended if it is too light."""
    weight, status = decayed_weight_and_status(thread, now, half_life_days)
    return replace(thread, weight=weight, status=status)


def decayed_weight_and_status(
    thread: Thread, now: datetime, half_life_days: float
) -> tuple[float, Status]:
    """Return the thread's present weight and status."""
    if is_pinned(thread):
        return thread.weight, thread.status
    idle = now - thread.last_active
    weight = faded_weight(thread.weight, idle, half_life(thread, half_life_days))
    is_light = thread.status is Status.ACTIVE and weight < SUSPENDED_BELOW
    return weight, Status.SUSPENDED if is_light else thread.status


def raised_weight(weight: float, by: float) -> float:
    """Return a raised weight, within the ceiling."""
    return min(WEIGHT_CEILING, weight + by)


def faded_weight(weight: float, idle: timedelta, half_life: timedelta) -> float:
    """Return the weight that remains after a time without use."""
    if idle <= timedelta(0):
        return weight
    return float(weight * 0.5 ** (idle / half_life))


def half_life(thread: Thread, days: float) -> timedelta:
    """Return the time in which the thread loses half its weight.

    The least important thread fades in half the given time, the most important in one and
    a half times.
    """
    return timedelta(days=days * (0.5 + thread.importance))


def is_pinned(thread: Thread) -> bool:
    """Say whether the thread was pinned: it does not fade."""
    return thread.origin is Origin.PIN or PINNED_TAG in thread.tags


def is_protected(thread: Thread) -> bool:
    """Say whether compaction must leave the thread alone: a pin, or a document."""
    return is_pinned(thread) or DOCUMENT_TAG in thread.tags

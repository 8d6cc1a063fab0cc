"""Counts and facts about a memory, as `status` reports them."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["MAX_BACKLOG_MESSAGES", "MemoryStatus", "ProjectCount"]

MAX_BACKLOG_MESSAGES = 200
"""A few seconds of embedding at most: a person waits that long for a better answer."""


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """A project of the store, with its number of threads and events."""

    project: str
    threads: int
    events: int


@dataclass(frozen=True, slots=True)
class PendingWork:
    """Whether events are not described yet, and how many are not embedded and not judged."""

    is_undescribed: bool
    unembedded: int
    unjudged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStatus:
    """The state of a memory, seen from one project.

    `pending` counts the visible messages that are not embedded yet. `trouble` says why
    the configured model cannot be used. `injected` counts the threads ever added to
    prompts, `used` those that reappeared in an agent's work.
    """

    project: str
    threads: int
    events: int
    projects: tuple[ProjectCount, ...]
    space: str | None
    pending: int
    trouble: str
    spaces: Mapping[str, int]
    injected: int = 0
    used: int = 0

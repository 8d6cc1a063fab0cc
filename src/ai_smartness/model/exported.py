"""What a memory is when it is taken out whole, and what came of taking one in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["EXPORT", "VERSION", "Header", "ProjectMarks", "Spent", "TakenIn"]

EXPORT = "ai_smartness export"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line: what there is, so that a file that was cut off is known for one.

    `last_event` and `last_change` are the highest numbers in it.
    """

    version: int
    projects: tuple[str, ...]
    counts: Mapping[str, int]
    last_event: int = 0
    last_change: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMarks:
    """What is kept of a project itself: how far it was described, what was shown and used."""

    name: str
    told: int
    injected: int
    used: int


@dataclass(frozen=True, slots=True)
class Spent:
    """The tokens that language models took on a day."""

    day: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What was added of a memory that was taken in, what was known, and what was left out."""

    added: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    projects: tuple[str, ...] = ()

"""A bridge: a typed, weighted link from one thread to another."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

__all__ = ["Bridge", "BridgeDraft", "Relation"]


class Relation(StrEnum):
    """The relation of the source to the target."""

    EXTENDS = "extends"
    DEPENDS = "depends"
    CONTRADICTS = "contradicts"
    UPDATES = "updates"
    REPLACES = "replaces"
    CHILD_OF = "child_of"
    SIBLING = "sibling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """One link, with the reason for it.

    A link that somebody removed stays as `unwanted`, so that it is not found again.
    """

    id: str
    source: str
    target: str
    relation: Relation
    weight: float
    reason: str
    confidence: float
    made_by: str
    last_used: datetime
    unwanted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeDraft:
    """A bridge that somebody asks for."""

    source: str
    target: str
    relation: Relation
    weight: float = 0.5
    reason: str = ""

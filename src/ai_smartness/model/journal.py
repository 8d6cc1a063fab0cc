"""The journal: every change of the store, with everything needed to undo it.

A `Change` is worked out before anything is written: threads, bridges, foci and reviews of
statements before and after, and which messages move. A dry run is a change that is not applied;
an undo applies its inverse.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.focus import Focus
from ai_smartness.model.statement import StatementReview
from ai_smartness.model.thread import Thread

__all__ = [
    "READ_VERBS",
    "Actor",
    "BridgeEdit",
    "Change",
    "FocusEdit",
    "JournalEntry",
    "Move",
    "Outcome",
    "ReviewEdit",
    "ThreadEdit",
]

READ_VERBS = ("recall",)
"""The verbs that only read; threads that they find may become active again."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who made a change, and through which program."""

    kind: str = "user"
    client: str = "python"

    def __str__(self) -> str:
        return f"{self.kind} ({self.client})" if self.client else self.kind


@dataclass(frozen=True, slots=True)
class ThreadEdit:
    """A thread before and after: new without a `before`, gone without an `after`."""

    before: Thread | None
    after: Thread | None

    @property
    def id(self) -> str:
        """The thread's id."""
        return (self.after or self.before).id  # type: ignore[union-attr] # one of them is there


@dataclass(frozen=True, slots=True)
class BridgeEdit:
    """A bridge before and after."""

    before: Bridge | None
    after: Bridge | None

    @property
    def id(self) -> str:
        """The bridge's id."""
        return (self.after or self.before).id  # type: ignore[union-attr] # one of them is there

    @property
    def thread_ids(self) -> tuple[str, str]:
        """The two threads that it links, which never change."""
        bridge = self.after or self.before
        return bridge.source, bridge.target  # type: ignore[union-attr] # one of them is there


@dataclass(frozen=True, slots=True)
class FocusEdit:
    """A focus before and after."""

    before: Focus | None
    after: Focus | None

    @property
    def key(self) -> tuple[str | None, str]:
        """The focus's session, if it has one, and its folded topic."""
        return (self.after or self.before).key  # type: ignore[union-attr] # one of them is there


@dataclass(frozen=True, slots=True)
class ReviewEdit:
    """The review of a statement before and after."""

    before: StatementReview | None
    after: StatementReview | None

    @property
    def id(self) -> str:
        """The statement's id."""
        review = self.after or self.before
        return review.statement_id  # type: ignore[union-attr] # one of them is there


@dataclass(frozen=True, slots=True)
class Move:
    """Messages, by their numbers, that move from one thread to another."""

    source: str
    target: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Everything that one verb changes in the store."""

    threads: tuple[ThreadEdit, ...] = ()
    moves: tuple[Move, ...] = ()
    bridges: tuple[BridgeEdit, ...] = ()
    foci: tuple[FocusEdit, ...] = ()
    reviews: tuple[ReviewEdit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.threads or self.moves or self.bridges or self.foci or self.reviews)

    @property
    def inverse(self) -> "Change":
        """The change that undoes this one."""
        return Change(
            tuple(ThreadEdit(edit.after, edit.before) for edit in reversed(self.threads)),
            tuple(Move(move.target, move.source, move.seqs) for move in reversed(self.moves)),
            tuple(BridgeEdit(edit.after, edit.before) for edit in reversed(self.bridges)),
            tuple(FocusEdit(edit.after, edit.before) for edit in reversed(self.foci)),
            tuple(ReviewEdit(edit.after, edit.before) for edit in reversed(self.reviews)),
        )

    @property
    def moved_count(self) -> int:
        """The number of messages that change their thread."""
        return sum(len(move.seqs) for move in self.moves)

    @property
    def touched_threads(self) -> tuple[str, ...]:
        """The ids of all threads that it concerns."""
        ids = [edit.id for edit in self.threads]
        ids += [end for move in self.moves for end in (move.source, move.target)]
        ids += [end for bridge in self.bridges for end in bridge.thread_ids]
        return tuple(dict.fromkeys(ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One change, made by one verb in one transaction; `seq` is 0 until it is written.

    `undoes` is the entry that this one undoes. `undone_by` is the entry that undid this one, if
    that was not undone itself.
    """

    project: str
    at: datetime
    who: Actor
    verb: str
    arguments: Mapping[str, object]
    said: str = ""
    change: Change = field(default_factory=Change)
    session: str | None = None
    undoes: int | None = None
    undone_by: int | None = None
    seq: int = 0

    @property
    def is_read(self) -> bool:
        """Say whether a question caused it: that is no change for `log` and `undo`."""
        return self.verb in READ_VERBS

    @property
    def is_forgotten(self) -> bool:
        """Say whether its content was forgotten, so that it cannot be undone."""
        return self.arguments.get("forgotten") is True


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a verb, or of its dry run.

    `number` is the change to undo, None in a dry run. `threads` are the threads afterwards, the
    one that the verb was called on first.
    """

    verb: str
    said: str
    number: int | None
    threads: tuple[Thread, ...]
    change: Change

"""The journal: every change of the store, with what is needed to undo it.

A `Change` is what one verb does, worked out before anything is done: threads,
bridges and foci as they were and as they will be, and which messages go where. A
dry run is a change that is not carried out; an undo is one turned around.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.focus import Focus
from ai_smartness.model.thread import Thread

__all__ = [
    "Actor",
    "BridgeEdit",
    "Change",
    "FocusEdit",
    "JournalEntry",
    "Move",
    "Outcome",
    "ThreadEdit",
]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, and through which program."""

    kind: str = "user"
    client: str = "python"

    def __str__(self) -> str:
        return f"{self.kind} ({self.client})" if self.client else self.kind


@dataclass(frozen=True, slots=True)
class ThreadEdit:
    """A thread as it was and as it becomes; without the one it is new, without the other gone."""

    before: Thread | None
    after: Thread | None

    @property
    def id(self) -> str:
        """Name the thread."""
        return (self.after or self.before).id  # type: ignore[union-attr] # one of them is there


@dataclass(frozen=True, slots=True)
class BridgeEdit:
    """A bridge as it was and as it becomes."""

    before: Bridge | None
    after: Bridge | None

    @property
    def id(self) -> str:
        """Name the bridge."""
        return (self.after or self.before).id  # type: ignore[union-attr] # one of them is there

    @property
    def thread_ids(self) -> tuple[str, str]:
        """Name the threads it links; they never change under one id."""
        bridge = self.after or self.before
        return bridge.source, bridge.target  # type: ignore[union-attr] # one of them is there


@dataclass(frozen=True, slots=True)
class FocusEdit:
    """A focus as it was and as it becomes."""

    before: Focus | None
    after: Focus | None

    @property
    def key(self) -> tuple[str | None, str]:
        """Name the focus: its session, if it is of one, and its topic as topics are compared."""
        return (self.after or self.before).key  # type: ignore[union-attr] # one of them is there


@dataclass(frozen=True, slots=True)
class Move:
    """Messages, by their numbers, that go from one thread to another."""

    source: str
    target: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """All that one verb does to the store."""

    threads: tuple[ThreadEdit, ...] = ()
    moves: tuple[Move, ...] = ()
    bridges: tuple[BridgeEdit, ...] = ()
    foci: tuple[FocusEdit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.threads or self.moves or self.bridges or self.foci)

    @property
    def inverse(self) -> "Change":
        """The change that takes this one back."""
        return Change(
            tuple(ThreadEdit(each.after, each.before) for each in reversed(self.threads)),
            tuple(Move(each.target, each.source, each.seqs) for each in reversed(self.moves)),
            tuple(BridgeEdit(each.after, each.before) for each in reversed(self.bridges)),
            tuple(FocusEdit(each.after, each.before) for each in reversed(self.foci)),
        )

    @property
    def moved_count(self) -> int:
        """Count the messages that change their thread."""
        return sum(len(move.seqs) for move in self.moves)

    @property
    def touched_threads(self) -> tuple[str, ...]:
        """Name every thread it has to do with."""
        ids = [each.id for each in self.threads]
        ids += [end for move in self.moves for end in (move.source, move.target)]
        ids += [end for bridge in self.bridges for end in bridge.thread_ids]
        return tuple(dict.fromkeys(ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One change, made by one verb in one transaction; `seq` is 0 until it is written.

    `undoes` is the entry that this one takes back, `undone_by` the one that
    took this one back and is still in force itself.
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
    def is_forgotten(self) -> bool:
        """Say whether what it changed was forgotten, so that it cannot be undone."""
        return self.arguments.get("forgotten") is True


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a verb did, or in a dry run would do.

    `number` is what to undo it by, nothing in a dry run. `threads` are those
    it was about as they are afterwards, the one it was called on first.
    """

    verb: str
    said: str
    number: int | None
    threads: tuple[Thread, ...]
    change: Change

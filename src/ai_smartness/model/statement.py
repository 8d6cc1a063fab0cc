"""A statement: a sentence that holds beyond its turn, and what a person decided about it.

Statements are derived from events. A review is not: it outlives a reindex, and it applies to
the same sentence wherever that is said again.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from ai_smartness.model.bridge import Relation
from ai_smartness.model.thread import Kind

__all__ = [
    "AUTHORITATIVE_KINDS",
    "DISPUTED_SESSION",
    "KIND_HEADINGS",
    "MOST_COMPARED_EVENTS",
    "PIN_KINDS",
    "SHARED_SESSION",
    "SHORT_ID_CHARACTERS",
    "HeldGroup",
    "HeldStatement",
    "PossibleChange",
    "ReviewState",
    "Speaker",
    "Statement",
    "StatementKind",
    "StatementReview",
    "sentence_hash",
    "statement_id",
]

SHORT_ID_CHARACTERS = 10  # `s_` and eight hex digits: short enough to type and to show
MOST_COMPARED_EVENTS = 100_000
"""In a larger project a question is compared only with the statements of the messages that were
found: comparing it with all of them would take longer than the search."""

SHARED_SESSION = "shared by "
"""The session of what a teammate shared is called so, with their name."""

DISPUTED_SESSION = ", disputed by "
"""It goes on like this with the names of those who dispute it."""

_SHORT_BYTES = 4
_MORE_DIGITS = 8  # of the sentence's hash: 100,000 statements of a project have different ids
_HASH_BYTES = 8
_NOT_A_WORD = re.compile(r"[\W_]+")


class StatementKind(StrEnum):
    """What a statement says."""

    DECISION = "decision"
    RULE = "rule"
    PREFERENCE = "preference"
    ENVIRONMENT = "environment"
    COMMAND = "command"
    ERROR_CURE = "error_cure"
    OPEN_TASK = "open_task"


KIND_HEADINGS = {
    StatementKind.RULE: "Rules",
    StatementKind.PREFERENCE: "Preferences",
    StatementKind.DECISION: "Decisions",
    StatementKind.ENVIRONMENT: "Environment",
    StatementKind.COMMAND: "Commands",
    StatementKind.ERROR_CURE: "Errors and cures",
    StatementKind.OPEN_TASK: "Open tasks",
}
"""The kinds in the order in which they are shown."""

AUTHORITATIVE_KINDS = frozenset(
    {StatementKind.RULE, StatementKind.PREFERENCE, StatementKind.DECISION}
)
"""What only a user or an agent can state: the words of tools, pages and files are data."""

PIN_KINDS = tuple(dict.fromkeys((*map(str, Kind), *map(str, StatementKind))))
"""The kinds that a pin can have: those of a thread, and those of a statement."""


class Speaker(StrEnum):
    """Who made a statement: a user, an agent, or neither, such as a tool, a page or a file."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class ReviewState(StrEnum):
    """What a person decided about a statement; a proposed one has not been reviewed."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of an event, with its kind and whether it still holds.

    `thread_id` is the thread that the event is on now. `superseded_by` is the statement that
    holds instead, `superseded_at` the time since when, and `relation` how the two relate.
    """

    id: str
    project: str
    seq: int
    thread_id: str
    session: str
    speaker: Speaker
    at: datetime
    kind: StatementKind
    text: str
    subject: tuple[str, ...] = ()
    confidence: float = 1.0
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    relation: Relation | None = None
    review: ReviewState = ReviewState.PROPOSED

    @property
    def short_id(self) -> str:
        """The start of the id that people and agents are shown, and can type."""
        return self.id[:SHORT_ID_CHARACTERS]

    @property
    def shared_by(self) -> str:
        """The teammate who shared it; empty for what was said here."""
        is_shared = self.session.startswith(SHARED_SESSION)
        name = self.session.removeprefix(SHARED_SESSION) if is_shared else ""
        return name.partition(DISPUTED_SESSION)[0]

    @property
    def disputed_by(self) -> str:
        """The teammates who dispute what another one shared; empty if nobody does."""
        is_shared = self.session.startswith(SHARED_SESSION)
        return self.session.partition(DISPUTED_SESSION)[2] if is_shared else ""

    @property
    def team_mark(self) -> str:
        """Who shared it and who disputes it; empty for what was said here."""
        if not self.shared_by:
            return ""
        disputed = f"{DISPUTED_SESSION}{self.disputed_by}" if self.disputed_by else ""
        return f"{SHARED_SESSION}{self.shared_by}{disputed}"

    @property
    def holds(self) -> bool:
        """Say whether it is neither superseded nor rejected."""
        return self.superseded_by is None and self.review is not ReviewState.REJECTED


class HeldStatement(NamedTuple):
    """A statement, and those that it replaced, directly or one after the other, newest first."""

    statement: Statement
    replaced: tuple[Statement, ...]


class HeldGroup(NamedTuple):
    """Statements of one kind that hold, and how many of the kind there are."""

    kind: StatementKind
    total: int
    statements: tuple[HeldStatement, ...]

    @property
    def heading(self) -> str:
        """The heading that the kind has for people."""
        return KIND_HEADINGS[self.kind]


class PossibleChange(NamedTuple):
    """A later statement that may have superseded another, and how likely that is."""

    newer: Statement
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementReview:
    """What a person decided about one statement.

    `text` and `kind` are the corrected sentence and kind, if any. `event_id` is the message
    that the statement stands in. `sentence_hash` finds the same sentence in other messages.
    A short id, as earlier versions made them, is completed.
    """

    statement_id: str
    project: str
    state: ReviewState
    at: datetime
    text: str = ""
    kind: StatementKind | None = None
    event_id: str = ""
    sentence_hash: str = ""

    def __post_init__(self) -> None:
        """Complete the id of a journal entry or an export of an earlier version."""
        if self.sentence_hash and len(self.statement_id) == SHORT_ID_CHARACTERS:
            full_id = self.statement_id + self.sentence_hash[:_MORE_DIGITS]
            object.__setattr__(self, "statement_id", full_id)


def statement_id(project: str, event_id: str, sentence: str) -> str:
    """Make the id of a statement: the same whenever the event is judged again."""
    sentence_digits = sentence_hash(sentence)
    origin = f"{project}\x1f{event_id}\x1f{sentence_digits}"
    short = blake2b(origin.encode(), digest_size=_SHORT_BYTES).hexdigest()
    return f"s_{short}{sentence_digits[:_MORE_DIGITS]}"


def sentence_hash(sentence: str) -> str:
    """Return a hash of a sentence's words, whatever their case and punctuation."""
    words = _NOT_A_WORD.sub(" ", sentence.casefold()).strip()
    # A sentence of signs alone has no words, and is told apart by its signs.
    return blake2b((words or sentence).encode(), digest_size=_HASH_BYTES).hexdigest()

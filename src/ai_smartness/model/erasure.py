"""What is to be forgotten, and what came of it.

A secret that is kept although none should be: where it is, never what it is.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime

from ai_smartness.model.event import Event

__all__ = [
    "FORGOTTEN_TEXT",
    "ForgetResult",
    "Selection",
    "StoredSecret",
    "Trace",
    "contained_words",
    "described_secret",
    "distinctive_words",
]


FORGOTTEN_TEXT = "(forgotten)"
"""Stands where words were."""

MIN_WORD_CHARACTERS = 4
"""Of a word: what is shorter stands by chance in any file. One in another script says more."""

MIN_WORD_CHARACTERS_OTHER_SCRIPT = 2

MIN_NUMBER_CHARACTERS = 8
"""Of a word without two letters side by side: numbers stand by chance among packed numbers."""

FEW_WORDS_LIMIT = 200

_WORD = re.compile(r"\w{2,}")
_LETTERS = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is to be forgotten: messages that are all of what is given.

    `matching` is a text that a message holds, whatever its case. Without a project it is
    looked for in all of them. A message is named by its whole id.
    """

    project: str | None = None
    messages: tuple[str, ...] = ()
    thread: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    matching: str | None = None

    @property
    def is_whole_project(self) -> bool:
        """Say whether a project is named and nothing else."""
        narrowed = (self.thread, self.session, self.since, self.until, self.matching)
        return self.project is not None and not self.messages and not any(narrowed)


@dataclass(frozen=True, slots=True)
class Trace:
    """A forgotten word that is still there, and where."""

    place: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetResult:
    """What was forgotten, or in a dry run would be.

    `threads` counts those that went with their last message, `described` those that are
    described anew. `files` tells what was done to each file beside the store. `words` counts
    those of the forgotten messages that nothing else holds: they were looked for in all `read`
    bytes, and `left` names those that were found, which should be none. `kept` are words that
    other messages hold too or that the program's own files are written with.
    """

    messages: int
    threads: int = 0
    described: int = 0
    compactions: int = 0
    changes: int = 0
    projects: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Event, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    words: int = 0
    kept: int = 0
    read: int = 0
    left: tuple[Trace, ...] = ()
    dry_run: bool = False


def distinctive_words(text: str) -> set[str]:
    """Return the words of a text that can be told from chance, whatever their case."""
    return {word for word in set(_WORD.findall(text.casefold())) if _is_distinctive(word)}


def contained_words(words: AbstractSet[str], text: str) -> set[str]:
    """Return those of some words that a text holds, whatever their case."""
    folded = text.casefold()
    near = words if len(words) > FEW_WORDS_LIMIT else {word for word in words if word in folded}
    # Taking a text apart costs more than looking for a few words in it.
    return {*near} & set(_WORD.findall(folded)) if near else set()


def _is_distinctive(word: str) -> bool:
    if not word.isascii():
        return len(word) >= MIN_WORD_CHARACTERS_OTHER_SCRIPT
    least = MIN_WORD_CHARACTERS if _LETTERS.search(word) else MIN_NUMBER_CHARACTERS
    return len(word) >= least


SHOWN_CHARACTERS = 3
"""Enough to tell a key of one service from another's, too few to be of use to anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSecret:
    """One secret in the store or in a file beside it.

    `where` is what holds it: a message's text, a thread's title, a line of a file; `id` names
    that message, thread, change or file.
    """

    kind: str
    where: str
    id: str
    begins: str
    length: int
    project: str = ""


def described_secret(
    kind: str, secret: str, *, where: str, id_: str, project: str = ""
) -> StoredSecret:
    """Tell of a secret without telling it."""
    begins = secret[:SHOWN_CHARACTERS] if len(secret) > 4 * SHOWN_CHARACTERS else ""
    return StoredSecret(
        kind=kind, where=where, id=id_, begins=begins, length=len(secret), project=project
    )

"""What is to be forgotten, and what came of it."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime

from ai_smartness.model.event import Event

__all__ = ["FORGOTTEN", "Forgotten", "Selection", "Trace", "held", "words_in"]

FORGOTTEN = "(forgotten)"
"""Stands where words were."""

LEAST_CHARACTERS = 4
"""Of a word: what is shorter stands by chance in any file. One in another script says more."""

LEAST_CHARACTERS_OTHER_SCRIPT = 2

LEAST_DIGITS = 8
"""Of a word without two letters side by side: numbers stand by chance among packed numbers."""

FEW_WORDS = 200

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
class Forgotten:
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


def words_in(text: str) -> set[str]:
    """Return the words of a text that can be told from chance, whatever their case."""
    return {word for word in set(_WORD.findall(text.casefold())) if _says_something(word)}


def held(words: AbstractSet[str], text: str) -> set[str]:
    """Return those of some words that a text holds, whatever their case."""
    folded = text.casefold()
    near = words if len(words) > FEW_WORDS else {word for word in words if word in folded}
    # Taking a text apart costs more than looking for a few words in it.
    return {*near} & set(_WORD.findall(folded)) if near else set()


def _says_something(word: str) -> bool:
    if not word.isascii():
        return len(word) >= LEAST_CHARACTERS_OTHER_SCRIPT
    least = LEAST_CHARACTERS if _LETTERS.search(word) else LEAST_DIGITS
    return len(word) >= least

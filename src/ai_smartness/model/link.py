"""Requests to the memory as values, for whoever names the next step.

An agent reads a path or calls a tool, a person runs a command: `views.links` writes a link in
each of these forms. An error names its way out with a `Remedy`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock

__all__ = [
    "ANY_SURVIVOR",
    "HandoffLink",
    "Link",
    "MergeLink",
    "ReadingLink",
    "RecallLink",
    "Remedy",
    "RemedyLink",
    "SplitLink",
    "SplitProposalLink",
    "StatementsLink",
    "StatusLink",
    "SuggestionsLink",
    "SurvivorLink",
    "ThreadListLink",
    "UndoLink",
    "UnlockLink",
    "link_command",
]


ANY_SURVIVOR = "SURVIVOR"  # stands for a thread of the reader's choice


@dataclass(frozen=True, slots=True)
class MergeLink:
    """Move the messages of one thread to another."""

    survivor: str
    absorbed: str


@dataclass(frozen=True, slots=True)
class SplitProposalLink:
    """List a thread's messages and propose a split."""

    thread: str


@dataclass(frozen=True, slots=True)
class SplitLink:
    """Split a thread into these parts."""

    thread: str
    parts: tuple[SplitPart, ...]
    lock: SplitLock = SplitLock.COMPACTION


@dataclass(frozen=True, slots=True)
class UnlockLink:
    """Allow a split thread to be merged again; a `force` lock needs `force`."""

    thread: str
    force: bool = False


@dataclass(frozen=True, slots=True)
class RecallLink:
    """Answer a question with threads, or show the thread with this id."""

    query: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class SuggestionsLink:
    """Suggest what to tidy or recall, for the given context or for the session."""

    context: str | None = None


@dataclass(frozen=True, slots=True)
class HandoffLink:
    """Show where a session stopped: the named one, or the one before the reader's."""

    session: str | None = None


@dataclass(frozen=True, slots=True)
class StatusLink:
    """Show what the memory holds."""


@dataclass(frozen=True, slots=True)
class StatementsLink:
    """List the statements in force: all, those of a kind, or those with these words."""

    about: str | None = None


@dataclass(frozen=True, slots=True)
class UndoLink:
    """Undo a change."""

    change: int


@dataclass(frozen=True, slots=True)
class ThreadListLink:
    """List the threads with their ids."""


@dataclass(frozen=True, slots=True)
class SurvivorLink:
    """Look at the thread that another was merged into."""

    thread: str


ReadingLink = RecallLink | SuggestionsLink | StatementsLink | HandoffLink | StatusLink
"""Links that change nothing, except that a recall reactivates the threads it finds."""

Link = MergeLink | SplitProposalLink | SplitLink | UnlockLink | ReadingLink
"""Links that have a path."""

RemedyLink = UnlockLink | SplitProposalLink | MergeLink | UndoLink | ThreadListLink | SurvivorLink
"""Links that lead out of an error."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """The way out of an error: a link, and a sentence in which `{}` stands for it.

    `shell_only` continues the sentence with what only a command can do.
    """

    link: RemedyLink
    sentence: str
    shell_only: str = ""

    def __str__(self) -> str:
        return self.spelled_sentence(link_command, self.shell_only)

    def spelled_sentence(self, spell: Callable[[RemedyLink], str], more: str = "") -> str:
        """Return the sentence with the link in the form that `spell` gives it."""
        return f"{self.sentence.replace('{}', spell(self.link))}{more}."


def link_command(link: RemedyLink) -> str:
    """Write the command that follows a link, with what it does where that is not obvious."""
    match link:
        case UnlockLink(thread, force):
            return f"`ais threads unlock {thread}{' --force' if force else ''}`"
        case SplitProposalLink(thread) | SurvivorLink(thread):
            return f"`ais threads split {thread}`"
        case MergeLink(survivor, absorbed):
            return f"`ais threads merge {survivor} {absorbed}`"
        case UndoLink(change):
            return f"`ais undo {change}`"
        case ThreadListLink():
            return "`ais threads` lists them"

"""One turn as a page shows it: the prompt, each thread shown with its lines, and what was left out.

`views/ledger.py` writes the same in lines for a terminal.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ai_smartness.model.session import LedgerEntry, LedgerPage, SkippedThread

__all__ = ["ShownThread", "TurnView", "turn_view"]

UNTITLED = "a thread that is gone"
BRIEF_WORD = "brief"  # in the reason of a line that the brief has


@dataclass(frozen=True, slots=True)
class ShownThread:
    """A thread that was shown, with its title of today; `why` says why it was considered."""

    entry: LedgerEntry
    title: str
    why: str

    @property
    def is_gone(self) -> bool:
        """Say whether the thread no longer exists."""
        return self.title == UNTITLED


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """A turn with everything that is said about it."""

    page: LedgerPage
    threads: tuple[ShownThread, ...]
    skipped: tuple[SkippedThread, ...]
    is_brief: bool

    @property
    def id(self) -> str:
        """A name for this turn within its project."""
        return f"{self.page.session}-{self.page.epoch}-{self.page.turn}"

    @property
    def tokens(self) -> int:
        """The tokens of everything shown."""
        return sum(thread.entry.tokens for thread in self.threads)

    @property
    def used(self) -> int:
        """The number of threads that the agent used afterwards."""
        return sum(thread.entry.used for thread in self.threads)


def turn_view(page: LedgerPage, titles: Mapping[str, str]) -> TurnView:
    """Return a turn for a page; `titles` are those of the threads by their ids."""
    threads = tuple(
        ShownThread(
            entry,
            titles.get(entry.thread_id, UNTITLED),
            entry.why.partition(":")[0] if entry.lines else entry.why,
        )
        for entry in page.shown
    )
    lines = (line for entry in page.shown for line in entry.lines)
    is_brief = not page.prompt and any(BRIEF_WORD in line.why for line in lines)
    return TurnView(page=page, threads=threads, skipped=page.skipped, is_brief=is_brief)

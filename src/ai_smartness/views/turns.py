"""A turn as a page shows it: the prompt, the lines with their numbers, and what was left out.

`views/ledger.py` writes the same in lines for a terminal.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ai_smartness.model.session import (
    LedgerEntry,
    LedgerPage,
    LineSource,
    Session,
    ShownLine,
    SkippedThread,
)
from ai_smartness.model.statement import Statement
from ai_smartness.text.display import time_ago
from ai_smartness.text.trust import AGENT, CONTENT, IMPORTED, SHARED, TOOL, USER

__all__ = [
    "LineView",
    "NumberBar",
    "ShownThread",
    "TurnDetails",
    "TurnGroup",
    "TurnView",
    "turn_groups",
    "turn_view",
]

UNTITLED = "a thread that is gone"
BRIEF_WORD = "brief"  # in the reason of a line that the brief has
FRESH_HALF_LIFE_DAYS = 30.0  # the bar of a line's age is half as long after a month

TIER_TRUST = {USER: 1.0, AGENT: 0.8, SHARED: 0.6, IMPORTED: 0.5, TOOL: 0.3, CONTENT: 0.2}
"""How long the bar of a tier is: only the order means something."""


@dataclass(frozen=True, slots=True)
class NumberBar:
    """One number of a line: its name, how long its bar is (0–1), and the number in words."""

    name: str
    share: float
    text: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDetails:
    """What is known today about the turns of a page: by thread, by message and by session."""

    titles: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[int, LineSource] = field(default_factory=dict)
    sessions: Mapping[str, Session] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineView:
    """A line that was shown, with its numbers, its message and the statement that it is."""

    line: ShownLine
    bars: tuple[NumberBar, ...]
    source: LineSource | None
    statement: Statement | None

    @property
    def speaker(self) -> str:
        """Who or what speaks."""
        return (self.source.origin if self.source else "") or self.line.role


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownThread:
    """A thread that was shown, with its title of today; `why` says why it was considered."""

    entry: LedgerEntry
    title: str
    why: str
    lines: tuple[LineView, ...]

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
        """A name for this turn within its session."""
        return f"{self.page.epoch}-{self.page.turn}-{self.page.at:%Y%m%d%H%M%S%f}"

    @property
    def tokens(self) -> int:
        """The tokens of everything shown."""
        return sum(thread.entry.tokens for thread in self.threads)

    @property
    def used(self) -> int:
        """The number of threads that the agent used afterwards."""
        return sum(thread.entry.used for thread in self.threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnGroup:
    """Turns of one session that follow each other, newest first."""

    session: str
    client: str
    turns: tuple[TurnView, ...]


def turn_groups(turns: Iterable[TurnView], details: TurnDetails) -> list[TurnGroup]:
    """Group turns by session, as far as they follow each other."""
    groups: list[TurnGroup] = []
    for turn in turns:
        name = turn.page.session
        last = groups.pop() if groups and groups[-1].session == name else None
        session = details.sessions.get(name)
        groups.append(
            TurnGroup(
                session=name,
                client=session.client if session else "",
                turns=(*(last.turns if last else ()), turn),
            )
        )
    return groups


def turn_view(page: LedgerPage, details: TurnDetails) -> TurnView:
    """Return a turn for a page."""
    threads = tuple(_shown_thread(entry, page.at, details) for entry in page.shown)
    lines = (line for entry in page.shown for line in entry.lines)
    is_brief = not page.prompt and any(BRIEF_WORD in line.why for line in lines)
    return TurnView(
        page=page,
        threads=threads,
        skipped=page.skipped,
        is_brief=is_brief,
    )


def _shown_thread(entry: LedgerEntry, at: datetime, details: TurnDetails) -> ShownThread:
    return ShownThread(
        entry=entry,
        title=details.titles.get(entry.thread_id, UNTITLED),
        why=entry.why.partition(":")[0] if entry.lines else entry.why,
        lines=tuple(_line_view(line, at, details.sources.get(line.seq)) for line in entry.lines),
    )


def _line_view(line: ShownLine, at: datetime, source: LineSource | None) -> LineView:
    statements = source.statements if source else ()
    return LineView(
        line=line,
        bars=tuple(_number_bars(line, at, source)),
        source=source,
        statement=_stated(line, statements),
    )


def _stated(line: ShownLine, statements: Sequence[Statement]) -> Statement | None:
    """Return the statement that a line is, or the first that it contains."""
    same = [one for one in statements if one.text == line.text]
    within = [one for one in statements if one.text in line.text]
    return next(iter((*same, *within)), None)


def _number_bars(line: ShownLine, at: datetime, source: LineSource | None) -> Iterator[NumberBar]:
    scores = line.scores
    if scores and scores.words is not None:
        yield _share_bar("words", scores.words, "share of the prompt's words that the line has")
    if scores and scores.meaning is not None:
        yield _share_bar("meaning", scores.meaning, "how near it is to the prompt in meaning")
    if source:
        meaning = "how far the line is trusted, by where it came from"
        yield NumberBar("trust", TIER_TRUST.get(source.tier, 0.0), source.tier, meaning)
    days = max(0.0, (at - line.at).total_seconds() / 86_400)
    fresh = 0.5 ** (days / FRESH_HALF_LIFE_DAYS)
    age = time_ago(line.at, at).removesuffix(" ago")
    yield NumberBar("age", fresh, age, "how old the line was; after a month, half a bar")


def _share_bar(name: str, share: float, meaning: str) -> NumberBar:
    return NumberBar(name, min(1.0, max(0.0, share)), f"{share:.2f}", meaning)

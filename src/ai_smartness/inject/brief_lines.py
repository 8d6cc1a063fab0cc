"""Choose the statements for a brief and write them as lines: whole lines, within a token budget.

Only statements that hold are chosen. What one of them superseded lately is added to its line
if there is room left, and never stands alone. The same statements on the same day give the same
bytes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ai_smartness.model.statement import (
    KIND_HEADINGS,
    ReviewState,
    Speaker,
    Statement,
    StatementKind,
)
from ai_smartness.text.display import one_line, short_date, shortened_text
from ai_smartness.text.token_count import estimate_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BriefCandidates",
    "WrittenStatements",
    "ranked_statements",
    "shortened_at_clause",
    "statement_text",
    "written_brief",
]

KIND_WEIGHTS = {
    StatementKind.RULE: 1.0,
    StatementKind.PREFERENCE: 1.0,
    StatementKind.DECISION: 1.0,
    StatementKind.ENVIRONMENT: 0.9,
    StatementKind.COMMAND: 0.9,
    StatementKind.ERROR_CURE: 0.85,
    StatementKind.OPEN_TASK: 0.8,
}
SPEAKER_WEIGHTS = {Speaker.USER: 1.0, Speaker.ASSISTANT: 0.7, Speaker.TOOL: 0.3}
SPEAKER_NAMES = {Speaker.USER: "", Speaker.ASSISTANT: ", agent", Speaker.TOOL: ", tool"}
RUN_COMMAND_WEIGHT = 0.8  # of a command that a tool ran and that worked: nobody need say it
REVIEWED_BOOST = 1.5  # confirmed or corrected by a person: before all that was only found

REVIEWED_STATES = frozenset({ReviewState.CONFIRMED, ReviewState.CORRECTED})
RUN_SIGN = "$ "  # begins the statement of a command that a tool ran and that worked

SCORE_STEP = 0.05  # scores that differ by less count as equal, and the newer comes first

GUIDING_KINDS = frozenset({StatementKind.RULE, StatementKind.PREFERENCE})
GUIDING_SHARE = 0.5
"""The share of the budget that rules and preferences may take while others wait for room."""

LINE_CHARACTERS = 180
SHORTEST_CLAUSE_SHARE = 0.5  # a clause that ends earlier says too little
OLD_TEXT_CHARACTERS = 80
CHANGED_DAYS = 14  # for so long a change is news; later only what holds is said

SAME_COSINE = 0.9  # from here on two sentences say the same in other words
_CLAUSE_ENDS = (". ", "; ", ": ", " – ", " — ", ", ", " (")
_WORD = re.compile(r"\w+")
_REVIEWED = (ReviewState.CONFIRMED, ReviewState.CORRECTED)
_CURED_ERROR = re.compile(r" \(error: (.+)\)$")
_POINTING = re.compile(
    r"(?:it|they|that|this|these|those) (?:is|are|was|were|has|have|had|will|goes|runs|lives)\b",
    re.IGNORECASE,
)
"""How an agent's sentence begins that is about something in the sentence before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefCandidates:
    """The statements to choose from, what each superseded, and their vectors, all by id.

    `possible_changes` has the later statement that may have superseded one.
    """

    statements: tuple[Statement, ...] = ()
    possible_changes: Mapping[str, Statement] = field(default_factory=dict)
    superseded: Mapping[str, Sequence[Statement]] = field(default_factory=dict)
    vectors: "Mapping[str, NDArray[np.float32]]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WrittenStatements:
    """The lines of a brief, grouped by kind, and the statements that they show."""

    text: str = ""
    statements: tuple[Statement, ...] = ()


def ranked_statements(statements: Iterable[Statement]) -> list[Statement]:
    """Return the statements that hold, those that matter most first."""
    return sorted((one for one in statements if one.holds and is_unasked(one)), key=_rank)


def is_unasked(statement: Statement) -> bool:
    """Say whether a statement may stand in a brief, which nobody asked for.

    What a tool printed, or a page or a file says, may not, unless a person has reviewed it or it
    is the agent's own command, which worked.
    """
    return (
        statement.speaker is not Speaker.TOOL
        or statement.review in REVIEWED_STATES
        or (statement.kind is StatementKind.COMMAND and statement.text.startswith(RUN_SIGN))
    )


def written_brief(candidates: BriefCandidates, tokens: int, now: datetime) -> WrittenStatements:
    """Choose as many statements as fit into this many tokens, and write them in groups."""
    chosen = _ChosenLines(candidates, tokens, now)
    ranked = _understandable(ranked_statements(candidates.statements))
    waiting = [statement for statement in ranked if not chosen.add(statement, GUIDING_SHARE)]
    for statement in waiting:
        chosen.add(statement, 1.0)
    for statement in ranked:
        chosen.add_old_text(statement)
    return chosen.written()


def _understandable(statements: Sequence[Statement]) -> list[Statement]:
    """Leave out what nobody understands alone, and errors that stand with their cure as well."""
    cured = {match[1] for one in statements if (match := _CURED_ERROR.search(one.text))}
    return [
        one
        for one in statements
        if one.review in _REVIEWED
        or (
            not (one.speaker is Speaker.ASSISTANT and _POINTING.match(one.text))
            and not (one.kind is StatementKind.ERROR_CURE and _is_cured(one.text, cured))
        )
    ]


def _is_cured(text: str, cured_errors: Iterable[str]) -> bool:
    return not _CURED_ERROR.search(text) and any(error in text for error in cured_errors)


def _speaker_mark(statement: Statement) -> str:
    """Name the speaker of a statement if it is not the user."""
    if statement.shared_by:
        return f", shared by {one_line(statement.shared_by)}"
    return SPEAKER_NAMES[statement.speaker]


def statement_text(statement: Statement) -> str:
    """Return a statement as it stands in a brief."""
    return shortened_at_clause(one_line(statement.text), LINE_CHARACTERS)


def shortened_at_clause(text: str, characters: int) -> str:
    """Return a sentence, cut at the end of a clause if it is longer than this."""
    if len(text) <= characters:
        return text
    start = text[: characters - len(" …")]
    ends = [place for sign in _CLAUSE_ENDS if (place := start.rfind(sign)) > 0]
    place = max(ends, default=0)
    if place < characters * SHORTEST_CLAUSE_SHARE:
        place = start.rfind(" ")
    return f"{(start[:place] if place > 0 else start).rstrip(' ,;:–—(')} …"


def _rank(statement: Statement) -> tuple[int, float, str]:
    return -round(_score(statement) / SCORE_STEP), -statement.at.timestamp(), statement.id


def _score(statement: Statement) -> float:
    is_reviewed = statement.review in REVIEWED_STATES
    is_run = statement.kind is StatementKind.COMMAND and statement.speaker is Speaker.TOOL
    trust = RUN_COMMAND_WEIGHT if is_run else SPEAKER_WEIGHTS[statement.speaker]
    weight = KIND_WEIGHTS[statement.kind] * trust
    return statement.confidence * weight * (REVIEWED_BOOST if is_reviewed else 1.0)


class _ChosenLines:
    """The lines chosen so far; takes whole lines only."""

    def __init__(self, candidates: BriefCandidates, tokens: int, now: datetime) -> None:
        self._candidates = candidates
        self._tokens = tokens
        self._now = now
        self._lines: dict[StatementKind, dict[Statement, str]] = {}
        self._seen: set[str] = set()
        self._text = ""
        self._guiding = ""

    def add(self, statement: Statement, guiding_share: float) -> bool:
        """Take a statement if there is room; say whether it need not be asked about again."""
        if statement.id in self._seen or self._is_repeated(statement):
            return True
        if newer := self._candidates.possible_changes.get(statement.id):
            return self._add_below_newer(statement, newer, guiding_share)
        heading = "" if statement.kind in self._lines else f"\n{KIND_HEADINGS[statement.kind]}:\n"
        line = self._line(statement)
        if not self._has_room(f"{heading}{line}\n", statement.kind, guiding_share):
            return False
        self._take(statement, heading, line)
        return True

    def _add_below_newer(
        self, statement: Statement, newer: Statement, guiding_share: float
    ) -> bool:
        """Take a statement in the line of the later one that may have superseded it."""
        text = shortened_text(one_line(statement.text), LINE_CHARACTERS)
        by = _speaker_mark(statement)
        old = f" (on {short_date(statement.at, self._now)}{by}: {text})"
        lines = self._lines.get(newer.kind, {})
        known = lines.get(newer)
        heading = "" if lines else f"\n{KIND_HEADINGS[newer.kind]}:\n"
        piece = old if known else f"{heading}{self._line(newer, old)}\n"
        if not self._has_room(piece, newer.kind, guiding_share):
            return False
        self._seen.add(statement.id)
        if known is None:
            self._take(newer, heading, self._line(newer, old))
        else:
            lines[newer] = self._line(newer, f"{self._old_parts(newer, known)}{old}")
            self._text += old
        return True

    def _old_parts(self, statement: Statement, line: str) -> str:
        """Return what the line of a statement says of older ones."""
        start, end = self._line(statement).rsplit(" [", 1)
        return line.removeprefix(start).removesuffix(f" [{end}")

    def add_old_text(self, statement: Statement) -> None:
        """Say in the line of a chosen statement what it superseded lately, if there is room."""
        old = self._old_text(statement)
        is_chosen = statement in self._lines.get(statement.kind, {})
        if old and is_chosen and self._has_room(old, statement.kind, 1.0):
            before = self._old_parts(statement, self._lines[statement.kind][statement])
            self._lines[statement.kind][statement] = self._line(statement, f"{old}{before}")
            self._text += old

    def written(self) -> WrittenStatements:
        """Return the groups in their order, the newest statement of each first."""
        groups, statements = [], list[Statement]()
        for kind, heading in KIND_HEADINGS.items():
            lines = self._lines.get(kind, {})
            newest = sorted(lines, key=lambda one: (-one.at.timestamp(), one.id))
            statements += newest
            if newest:
                groups.append("\n".join([f"{heading}:", *(lines[one] for one in newest)]))
        return WrittenStatements("\n\n".join(groups), tuple(statements))

    def _has_room(self, piece: str, kind: StatementKind, guiding_share: float) -> bool:
        if kind in GUIDING_KINDS:
            share = int(self._tokens * guiding_share)
            if estimate_tokens(self._guiding + piece) > share:
                return False
        return estimate_tokens(self._text + piece) <= self._tokens

    def _take(self, statement: Statement, heading: str, line: str) -> None:
        self._lines.setdefault(statement.kind, {})[statement] = line
        self._seen.add(statement.id)
        self._text += f"{heading}{line}\n"
        if statement.kind in GUIDING_KINDS:
            self._guiding += f"{heading}{line}\n"

    def _line(self, statement: Statement, old: str = "") -> str:
        day = f"{short_date(statement.at, self._now)}{_speaker_mark(statement)}"
        return f"- {day}: {statement_text(statement)}{old} [{statement.short_id}]"

    def _old_text(self, statement: Statement) -> str:
        """Return what the statement superseded lately, with the day until which that held."""
        since = self._now - timedelta(days=CHANGED_DAYS)
        for older in self._candidates.superseded.get(statement.id, ()):
            changed = older.superseded_at or statement.at
            if changed >= since and older.review is not ReviewState.REJECTED:
                text = shortened_text(one_line(older.text), OLD_TEXT_CHARACTERS)
                return f" (until {short_date(changed, self._now)}: {text})"
        return ""

    def _is_repeated(self, statement: Statement) -> bool:
        """Say whether a chosen statement says the same, if in other words."""
        others = (other for lines in self._lines.values() for other in lines)
        return any(self._says_same(statement, other) for other in others)

    def _says_same(self, one: Statement, other: Statement) -> bool:
        words, other_words = _words(one.text), _words(other.text)
        if words == other_words:
            return True
        # Who says two sentences in one message means two things. A short one is embedded with the
        # one before it, so that their vectors are alike whatever they say.
        if one.seq == other.seq:
            return False
        # Two ports or versions make two facts, however alike the sentences are.
        if _with_digits(words) != _with_digits(other_words):
            return False
        vectors = self._candidates.vectors
        if one.id not in vectors or other.id not in vectors:
            return False
        return float(vectors[one.id] @ vectors[other.id]) > SAME_COSINE


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _with_digits(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(map(str.isdigit, word)))

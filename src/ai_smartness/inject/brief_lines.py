"""Choose the statements for a brief and write them as lines: whole lines, within a token budget.

Only statements that hold are chosen. Those of one message stand in one line, for a sentence is
often understood only with the one before it. What one of them superseded lately is added to its
line if there is room left, and never stands alone. The same statements on the same day give the
same bytes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import compress
from operator import add
from typing import TYPE_CHECKING

from ai_smartness.model.statement import (
    KIND_HEADINGS,
    PossibleChange,
    ReviewState,
    Speaker,
    Statement,
    StatementKind,
)
from ai_smartness.statements.supersede import NESTING_CHANCE
from ai_smartness.text.display import one_line, short_date, shortened_text
from ai_smartness.text.stretches import message_stretches
from ai_smartness.text.token_count import estimate_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BriefCandidates",
    "WrittenStatements",
    "ranked_statements",
    "shortened_at_clause",
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
JOINED_CHARACTERS = 300  # of the statements of one message that stand in one line
WHOLE_CHARACTERS = 160
"""Of a person's message that is told whole, chosen on the projects of `training/projects.jsonl`."""

SHORTEST_CLAUSE_SHARE = 0.5  # a clause that ends earlier says too little
OLD_TEXT_CHARACTERS = 80
CHANGED_DAYS = 14  # for so long a change is news; later only what holds is said

SAME_COSINE = 0.9  # from here on two sentences say the same in other words
_DIRECTING_KINDS = GUIDING_KINDS | {StatementKind.DECISION, StatementKind.ENVIRONMENT}
"""What one message may say in a breath, as sentences of one line."""

_SENTENCE_ENDS = (".", "!", "?", ":", ";")
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

    `possible_changes` has the later statement that may have superseded one, `messages` the texts of
    their messages by `seq`, and `of_one_statement` the messages that state nothing else.
    """

    statements: tuple[Statement, ...] = ()
    possible_changes: Mapping[str, PossibleChange] = field(default_factory=dict)
    superseded: Mapping[str, Sequence[Statement]] = field(default_factory=dict)
    vectors: "Mapping[str, NDArray[np.float32]]" = field(default_factory=dict)
    messages: Mapping[int, str] = field(default_factory=dict)
    of_one_statement: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class WrittenStatements:
    """The lines of a brief, grouped by kind, and the statements in them with how each is told."""

    text: str = ""
    statements: tuple[Statement, ...] = ()
    told_texts: Mapping[str, str] = field(default_factory=dict)


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
        return f", {one_line(statement.team_mark)}"
    return SPEAKER_NAMES[statement.speaker]


def _statement_text(statement: Statement) -> str:
    return shortened_at_clause(one_line(statement.text), LINE_CHARACTERS)


def _whole_message(statement: Statement, message: str) -> str:
    """Return the short message of a person whole, or else only what it states.

    A reason is seldom understood without what follows from it, nor the other way round.
    """
    if statement.speaker is Speaker.USER and "\n" not in message.strip():
        whole = " ".join(message_stretches(message, statement.speaker.value))
        if statement.text in whole and len(whole) <= WHOLE_CHARACTERS:
            return one_line(whole)
    return _statement_text(statement)


def _joined_sentences(texts: Iterable[str]) -> str:
    """Return sentences as one text, those that do not end with a mark told apart."""
    told = list(texts)
    ends = [" " if text.endswith(_SENTENCE_ENDS) else "; " for text in told]
    return "".join(map(add, told, [*ends[:-1], ""]))


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


@dataclass(frozen=True, slots=True)
class _BriefLine:
    """What one message states, the first choice first, and what that superseded or may have.

    A line that may be outdated stands in the `group` of the later one.
    """

    statements: tuple[Statement, ...]
    old: str = ""
    group: StatementKind | None = None

    @property
    def kind(self) -> StatementKind:
        """That of the first choice; a rule or preference stays one beside other sentences."""
        kinds = [one.kind for one in self.statements]
        guiding = (kind for kind in kinds if kind in GUIDING_KINDS)
        return self.group or next(guiding, kinds[0])

    def can_take(self, statement: Statement) -> bool:
        """Say whether another statement can stand in the line."""
        kinds, size = {self.kind, statement.kind}, len(statement.text)
        return (
            self.group is None
            and self.statements[0].seq == statement.seq
            and (len(kinds) == 1 or kinds <= _DIRECTING_KINDS)
            and sum(len(one.text) for one in self.statements) + size <= JOINED_CHARACTERS
        )


class _ChosenLines:
    """The lines chosen so far, one for each message."""

    def __init__(self, candidates: BriefCandidates, tokens: int, now: datetime) -> None:
        self._candidates = candidates
        self._tokens = tokens
        self._now = now
        self._lines: tuple[_BriefLine, ...] = ()
        self._seen: set[str] = set()

    def add(self, statement: Statement, guiding_share: float) -> bool:
        """Take a statement if there is room; say whether it need not be asked about again."""
        if self._is_there(statement):
            return True
        change = self._candidates.possible_changes.get(statement.id)
        if change is None:
            return self._take(statement, "", guiding_share)
        if change.chance >= NESTING_CHANCE:
            return self._add_below(change.newer, statement, guiding_share)
        is_newer_there = self._is_there(change.newer) or self._take(change.newer, "", guiding_share)
        return is_newer_there and self._add_after(change.newer, statement, guiding_share)

    def _add_after(self, newer: Statement, statement: Statement, guiding_share: float) -> bool:
        """Take a statement as a line in the group of the later one, which may have changed it."""
        line = self._line_with(newer)
        group = line.kind if line else newer.kind
        is_taken = self._put(None, _BriefLine((statement,), group=group), guiding_share)
        if is_taken:
            self._seen.add(statement.id)
        return is_taken

    def _is_there(self, statement: Statement) -> bool:
        return statement.id in self._seen or self._is_repeated(statement)

    def _add_below(self, newer: Statement, statement: Statement, guiding_share: float) -> bool:
        """Take a statement in the line of the later one that may have superseded it."""
        text = shortened_text(one_line(statement.text), LINE_CHARACTERS)
        by = _speaker_mark(statement)
        old = f" (on {short_date(statement.at, self._now)}{by}: {text})"
        line = self._line_with(newer)
        if line is None:
            is_taken = self._take(newer, old, guiding_share)
        else:
            is_taken = self._put(line, replace(line, old=line.old + old), guiding_share)
        if is_taken:
            self._seen.add(statement.id)
        return is_taken

    def add_old_text(self, statement: Statement) -> None:
        """Say in the line of a chosen statement what it superseded lately, if there is room."""
        old, line = self._old_text(statement), self._line_with(statement)
        if old and line:
            self._put(line, replace(line, old=old + line.old), 1.0)

    def written(self) -> WrittenStatements:
        """Return the groups in their order, the newest line of each first."""
        text = "\n\n".join(self._group_texts(self._lines).values())
        ordered = [one for kind in KIND_HEADINGS for one in _lines_of(kind, self._lines)]
        statements = tuple(one for line in ordered for one in line.statements)
        told_texts = {one.id: self._told_text(one) for one in statements}
        return WrittenStatements(text, statements, told_texts)

    def _take(self, statement: Statement, old: str, guiding_share: float) -> bool:
        """Write a statement beside others of its message, or as a line of its own."""
        line = next((line for line in self._lines if line.can_take(statement)), None)
        before = line or _BriefLine(())
        after = _BriefLine((*before.statements, statement), before.old + old)
        is_taken = self._put(line, after, guiding_share)
        if is_taken:
            self._seen.add(statement.id)
        return is_taken

    def _put(self, before: _BriefLine | None, after: _BriefLine, guiding_share: float) -> bool:
        """Put a line in the place of another, or behind all, if there is room for it."""
        lines = (*(line for line in self._lines if line is not before), after)
        texts = self._group_texts(lines)
        guiding = "\n\n".join(text for kind, text in texts.items() if kind in GUIDING_KINDS)
        is_guided = after.kind not in GUIDING_KINDS or estimate_tokens(guiding) <= int(
            self._tokens * guiding_share
        )
        if not is_guided or estimate_tokens("\n\n".join(texts.values())) > self._tokens:
            return False
        self._lines = lines
        return True

    def _group_texts(self, lines: Sequence[_BriefLine]) -> dict[StatementKind, str]:
        return {
            kind: "\n".join([f"{heading}:", *map(self._written_line, of_kind)])
            for kind, heading in KIND_HEADINGS.items()
            if (of_kind := _lines_of(kind, lines))
        }

    def _line_with(self, statement: Statement) -> _BriefLine | None:
        """Return the line of a statement, which may have another confidence there."""
        is_in = (any(one.id == statement.id for one in line.statements) for line in self._lines)
        return next(compress(self._lines, is_in), None)

    def _written_line(self, line: _BriefLine) -> str:
        first = line.statements[0]
        day = f"{short_date(first.at, self._now)}{_speaker_mark(first)}"
        return f"- {day}: {self._joined_text(line.statements)}{line.old} [{first.short_id}]"

    def _joined_text(self, statements: Sequence[Statement]) -> str:
        """Return the statements of a message in the order in which they were made."""
        message = self._candidates.messages.get(statements[0].seq, "")
        ordered = sorted(statements, key=lambda one: message.find(one.text))
        return _joined_sentences(map(self._told_text, ordered))

    def _told_text(self, statement: Statement) -> str:
        message = self._candidates.messages.get(statement.seq, "")
        is_alone = statement.seq in self._candidates.of_one_statement
        return _whole_message(statement, message) if is_alone else _statement_text(statement)

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
        others = (other for line in self._lines for other in line.statements)
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


def _lines_of(kind: StatementKind, lines: Sequence[_BriefLine]) -> list[_BriefLine]:
    """Return the lines of a kind, the newest first."""
    of_kind = (line for line in lines if line.kind is kind)
    return sorted(of_kind, key=lambda line: _by_age(line.statements[0]))


def _by_age(statement: Statement) -> tuple[float, str]:
    return -statement.at.timestamp(), statement.id


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _with_digits(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(map(str.isdigit, word)))

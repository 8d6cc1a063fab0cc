"""Whole made-up projects with their reversals, replayed as the memory judges them.

The statements are those that the product finds. `all_pairs` compares every statement with all
earlier ones, at the base rate of real work; `found_links` decides as the memory does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from fit_data import Item, training_items
from numpy.typing import NDArray

from ai_smartness.model.statement import Speaker, Statement, sentence_hash
from ai_smartness.ports import Embedder
from ai_smartness.statements.conversation import (
    CONTEXT_CHARACTERS,
    CONTEXT_MESSAGES,
    may_announce_change,
)
from ai_smartness.statements.heads import Heads
from ai_smartness.statements.in_force import StatementsInForce
from ai_smartness.statements.judge import JudgedSentence, SentenceJudge, SpokenSentence
from ai_smartness.statements.sentences import last_line, message_sentences
from ai_smartness.statements.supersede import ComparedPair

START = datetime(2025, 1, 1, tzinfo=UTC)
QUOTED_SHARE = 0.6  # of a phrase's words: the sentence that has them is the one that it quotes


class StatedLine(NamedTuple):
    """A statement with its vector, its message, and what was said around it.

    A line that `only_changes` is no statement by itself, unless it supersedes one.
    """

    statement: Statement
    vector: NDArray[np.float32]
    message: str
    context: str
    only_changes: bool


class FoundChanges(NamedTuple):
    """What superseded what in a project, and what only may have: the older and the newer."""

    links: list[tuple[StatedLine, StatedLine]]
    doubts: list[tuple[StatedLine, StatedLine]]


class ProjectPair(NamedTuple):
    """A statement compared with an earlier one; `label` is nothing where it is left open."""

    compared: ComparedPair
    newer: NDArray[np.float32]
    label: bool | None


@dataclass(frozen=True)
class LabelledProject:
    """A project, its statements in their order, and the places of its messages."""

    item: Item
    lines: list[StatedLine]
    places: dict[str, int]
    embedder: Embedder | None

    @property
    def writer(self) -> str:
        """Who wrote it."""
        return str(self.item["writer"])

    def all_pairs(self, heads: Heads) -> Iterator[ProjectPair]:
        """Compare every statement with the earlier ones, of which none is superseded."""
        in_force = StatementsInForce(heads, self.embedder)
        by_id = {line.statement.id: line for line in self.lines}
        for line in self.lines:
            in_force.add(line.statement, line.vector, line.context)
            for older, compared in in_force.compared_pairs(line.statement.id):
                if older.seq < line.statement.seq:
                    label = self._label(by_id[older.id], line)
                    yield ProjectPair(compared, line.vector, label)
            if line.only_changes:
                in_force.forget(line.statement.id)

    def found_changes(self, heads: Heads) -> FoundChanges:
        """Decide as the memory does, and return what superseded what, and what may have."""
        in_force = StatementsInForce(heads, self.embedder)
        by_id = {line.statement.id: line for line in self.lines}
        changes, previous = FoundChanges([], []), None
        for line in self.lines:
            in_force.add(line.statement, line.vector, line.context)
            if line.only_changes and not in_force.revalued_by(line.statement.id):
                in_force.forget(line.statement.id)
                continue
            found = [in_force.changes_by(line.statement.id)]
            if previous and previous.statement.seq == line.statement.seq:
                found.append(in_force.changes_by(previous.statement.id, line.statement.id))
            for superseded, doubted, in_part in found:
                changed = (*superseded, *in_part)
                changes.links.extend((by_id[one.older.id], by_id[one.newer.id]) for one in changed)
                changes.doubts.extend((by_id[older], by_id[newer]) for older, newer, _ in doubted)
            previous = line
        superseded_ids = {older.statement.id for older, _ in changes.links}
        doubts = [pair for pair in changes.doubts if pair[0].statement.id not in superseded_ids]
        return changes._replace(doubts=doubts)

    def is_right(self, older: StatedLine, newer: StatedLine) -> bool:
        """Say whether two statements stand in messages of which one reverses the other."""
        reversals = self.item["supersedes"]
        return any((one[0], one[2]) == (older.message, newer.message) for one in reversals)

    def found_count(self, links: Sequence[tuple[StatedLine, StatedLine]]) -> int:
        """Count the reversals among the links."""
        return sum(
            any(
                (older.message, newer.message) == (earlier, later)
                and quotes(older.statement.text, old)
                for older, newer in links
            )
            for earlier, old, later, _ in self.item["supersedes"]
        )

    def _label(self, older: StatedLine, newer: StatedLine) -> bool | None:
        """Return whether it is a reversal; nothing for its neighbours and for what follows it."""
        is_open = False
        for earlier, old, later, new in self.item["supersedes"]:
            if earlier != older.message:
                continue
            is_old = quotes(older.statement.text, old)
            if later == newer.message:
                if is_old and quotes(newer.statement.text, new):
                    return True
                is_open = True
            is_open |= is_old and self.places[newer.message] > self.places[later]
        return None if is_open else False


def labelled_projects(judge: SentenceJudge) -> list[LabelledProject]:
    """Find the statements of every project; of the changes, only the half for choosing is read."""
    items = [*training_items("projects"), *training_items("changes")[::2]]
    return [_judged_project(item, judge) for item in items]


def quotes(sentence: str, phrase: str) -> bool:
    """Say whether a sentence has most words of a labelled phrase."""
    words = set(phrase.casefold().split())
    shared = words & set(sentence.casefold().split())
    is_same = sentence_hash(sentence) == sentence_hash(phrase)
    return is_same or len(shared) >= QUOTED_SHARE * len(words)


class _SpokenMessage(NamedTuple):
    id: str
    session: str
    speaker: Speaker
    text: str


def _judged_project(item: Item, judge: SentenceJudge) -> LabelledProject:
    messages = [
        _SpokenMessage(one["id"], session["id"], Speaker(one["role"]), one["text"])
        for session in item["sessions"]
        for one in session["messages"]
    ]
    spoken = [
        (place, SpokenSentence(sentence, message.speaker))
        for place, message in enumerate(messages)
        for sentence in message_sentences(message.text, message.speaker, _before(place, messages))
    ]
    judged = judge.judged_sentences([sentence for _, sentence in spoken])
    lines: dict[str, StatedLine] = {}
    for (place, sentence), verdict in zip(spoken, judged, strict=True):
        words = sentence_hash(sentence.sentence.text)
        if verdict is None or verdict.vector is None or words in lines:
            continue
        if verdict.is_statement or may_announce_change(verdict):
            statement = _statement(verdict, place, messages[place].session)
            context = _context(place, messages)
            message, only_changes = messages[place].id, not verdict.is_statement
            lines[words] = StatedLine(statement, verdict.vector, message, context, only_changes)
    places = {message.id: place for place, message in enumerate(messages)}
    return LabelledProject(item, list(lines.values()), places, judge.embedder)


def _statement(judged: JudgedSentence, place: int, session: str) -> Statement:
    text = judged.spoken.sentence.text
    return Statement(
        id=f"{place} {text}",
        project="",
        seq=place,
        thread_id="",
        session=session,
        speaker=judged.spoken.speaker,
        at=START,
        kind=judged.kind,
        text=text,
        confidence=judged.confidence,
    )


def _before(place: int, messages: Sequence[_SpokenMessage]) -> str:
    """Return what somebody else said last in the session, if nobody else spoke since."""
    here = messages[place]
    for message in reversed(messages[:place]):
        if message.session != here.session:
            return ""
        if message.speaker is not Speaker.TOOL:
            return last_line(message.text) if message.speaker is not here.speaker else ""
    return ""


def _context(place: int, messages: Sequence[_SpokenMessage]) -> str:
    here = messages[place]
    texts = [
        message.text
        for message in messages[max(0, place - CONTEXT_MESSAGES) : place]
        if message.session == here.session and message.speaker is not Speaker.TOOL
    ]
    return "\n".join([*texts, here.text])[-CONTEXT_CHARACTERS:]

"""Choose the sentences that answer a query from the messages that a search returned.

A message is quoted by the stretches that answer, not as a whole. A repetition of the question, a
question that was asked before, small talk and narration do not answer: a question leads to the
message that followed it. Sentences that were said several times become one line.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.search import Hit, RecalledLine
from ai_smartness.search.statement_matches import StatementMatch
from ai_smartness.search.word_rarity import WordRarity, content_words, stemmed_set
from ai_smartness.text.display import matching_excerpt
from ai_smartness.text.keywords import subject_words
from ai_smartness.text.stretches import (
    STRETCH_CHARACTERS,
    ends_with_question,
    is_narration,
    message_stretches,
    telling_word_count,
)
from ai_smartness.text.translate import english_wording
from ai_smartness.text.trust import CONTENT, IMPORTED, SHARED
from ai_smartness.text.words import ascii_words

__all__ = [
    "LineScores",
    "QuotedLine",
    "answer_lines",
    "is_answer",
    "is_candidate",
    "is_repetition",
    "letters_only",
    "merged_hits",
    "quotable_lines",
]

PART_SHARE = 0.8  # the score of the best message for a part of the query; 1 is the best for all
REPEATED_ANSWER_SHARE = 0.95  # of the score of a repeated question, for the message after it
ANSWER_SHARE = 0.7  # of the score of any other question: the answer may be about something else
COVERAGE_SHARE = 0.5  # gain of a line that has all telling words of the query
STATEMENT_SHARE = 0.3  # gain of a line with a statement of full confidence
CLOSENESS_SHARE = 0.5  # gain of the line with the statement that is nearest by meaning
TOOL_SHARE = 0.7  # a tool's line says what happened, and seldom what holds
PERSON_SHARE = 1.1  # a person's line decides
TIER_SHARES = {CONTENT: 0.8, IMPORTED: 0.9, SHARED: 0.9}
"""Of the score of a line that neither a user nor an agent said here; tools count by their role."""

QUESTION_SHARE = 0.6
NARRATION_SHARE = 0.5
TELLING_WORDS = 3  # a line with fewer telling words loses up to this share of its score
UNTELLING_SHARE = 0.5
MOST_LINES = 120  # more than anybody is shown, with what they superseded
KNOWN_LINES = 5_000  # lines and statements whose letters are looked at once
REPEATED_SHARE = 0.75
"""A question repeats another one if the query has this share of its words."""

SAME_SHARE = 0.85  # of all words of both, for a message that is the query itself


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A line of a message, and which shares of the query's words it and the message have."""

    hit: Hit
    place: int
    text: str
    covered: float
    message_covered: float


class _ScoredLine(NamedTuple):
    """A line, its score, and how often it was said."""

    line: QuotedLine
    score: float
    times: int = 1


LineScores: TypeAlias = Callable[[Sequence[QuotedLine]], Sequence[float]]
"""Scores all lines that may answer a query together."""

_NO_LETTERS = re.compile(r"[\W_]+")

ASKED_MARK = " (asked: "  # behind it, a short answer's statement has its question


def merged_hits(whole: Sequence[Hit], parts: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Return the hits of a query and of its parts, each message once, the best first."""
    scores: dict[int, float] = {}
    hits: dict[int, Hit] = {}
    for share, group in [(1.0, whole), *((PART_SHARE, part) for part in parts)]:
        best = max((hit.score for hit in group), default=0.0) or 1.0
        for hit in group:
            scores[hit.seq] = max(scores.get(hit.seq, 0.0), share * hit.score / best)
            hits.setdefault(hit.seq, hit)
    scored = [replace(hit, score=scores[seq]) for seq, hit in hits.items()]
    return sorted(scored, key=lambda hit: (-hit.score, hit.seq))


def is_repetition(hit: Hit, query: str) -> bool:
    """Say whether a person's message is the query itself, or asks the same."""
    if hit.role.casefold() in ANSWERING_ROLES:
        return False
    if ends_with_question(hit.text):
        asked = content_words(query)
        wordings = filter(None, (hit.text, english_wording(hit.text)))
        return any(_is_mostly_in(content_words(wording), asked) for wording in wordings)
    words, asked = stemmed_set(hit.text), stemmed_set(query)
    return len(words & asked) >= SAME_SHARE * len(words | asked)


def _is_mostly_in(words: Collection[str], others: Collection[str]) -> bool:
    return sum(word in others for word in words) >= REPEATED_SHARE * len(words)


def is_candidate(hit: Hit, query: str) -> bool:
    """Say whether a hit was found by its meaning, or by more than the grammar of the query."""
    is_near = hit.why.meaning_rank is not None
    return is_near or bool(stemmed_set(hit.text) & content_words(query))


def is_answer(hit: Hit) -> bool:
    """Say whether a message can answer a question: more than small talk and narration."""
    stretches = message_stretches(hit.text, hit.role)
    return hit.role != "tool" and not all(_is_narrated(hit, stretch) for stretch in stretches)


def answer_lines(
    query: str,
    hits: Sequence[Hit],
    answers: Mapping[int, Hit],
    statements: Mapping[int, Sequence[StatementMatch]] | None = None,
    line_scores: LineScores | None = None,
) -> tuple[RecalledLine, ...]:
    """Return the lines that answer, best first; never none if there are hits.

    `answers` has for messages with a question the message that followed, and `statements` the
    statements of messages by their `seq`. Without `line_scores`, fixed weights decide.
    """
    quote = _Quoting(query, hits, statements or {})
    quoted = quote.lines_of(_with_answers(query, hits, answers))
    if quoted:
        scores = (line_scores or quote.fixed_scores)(quoted)
    else:  # for want of better ones
        quoted, scores = [_whole_line(hit) for hit in hits], [hit.score for hit in hits]
    scored = [
        _ScoredLine(line, score * TIER_SHARES.get(line.hit.tier, 1.0))
        for line, score in zip(quoted, scores, strict=True)
    ]
    best = sorted(_without_repeats(scored), key=lambda one: (-one.score, -one.line.hit.seq))
    return tuple(quote.recalled(one) for one in best[:MOST_LINES])


def quotable_lines(
    query: str,
    hits: Sequence[Hit],
    answers: Mapping[int, Hit],
    statements: Mapping[int, Sequence[StatementMatch]],
) -> list[QuotedLine]:
    """Return the lines among which `answer_lines` chooses."""
    return _Quoting(query, hits, statements).lines_of(_with_answers(query, hits, answers))


def _with_answers(query: str, hits: Sequence[Hit], answers: Mapping[int, Hit]) -> list[Hit]:
    """Return the hits with the answers to their questions, without repetitions of the query."""
    scored = {hit.seq: hit for hit in hits if not is_repetition(hit, query)}
    for hit in hits:
        answer = answers.get(hit.seq)
        if answer is None or is_repetition(answer, query):
            continue
        is_repeated = hit.seq not in scored
        score = (REPEATED_ANSWER_SHARE if is_repeated else ANSWER_SHARE) * hit.score
        known = scored.get(answer.seq)
        if known is None or known.score < score:
            scored[answer.seq] = replace(known or answer, score=score)
    return list(scored.values())


class _Quoting:
    """The words of a query and their weights, by which stretches are chosen and cut."""

    def __init__(
        self,
        query: str,
        hits: Sequence[Hit],
        statements: Mapping[int, Sequence[StatementMatch]],
    ) -> None:
        self._statements = statements
        self._rarity = WordRarity(hit.text for hit in hits)
        self._asked = content_words(query)
        self._total = self._rarity.total_weight(self._asked) or 1.0
        self._subject = subject_words(query)

    def lines_of(self, hits: Sequence[Hit]) -> list[QuotedLine]:
        """Return the lines that may be quoted of some messages."""
        return [line for hit in hits for line in self._lines_of(hit)]

    def _lines_of(self, hit: Hit) -> list[QuotedLine]:
        """Return the stretches of a message; none of one that does not answer."""
        stretches = message_stretches(hit.text, hit.role)
        if all(_is_narrated(hit, stretch) for stretch in stretches):
            return []
        message_covered = self._covered_share(hit.text)
        lines = []
        for place, stretch in enumerate(stretches):
            covered = self._covered_share(stretch)
            line = QuotedLine(hit, place, stretch, covered, message_covered)
            if (hit.score and (covered or hit.role != "tool")) or self._stated_in(line):
                lines.append(line)
        return lines

    def fixed_scores(self, lines: Sequence[QuotedLine]) -> list[float]:
        """Return the score of each line by its message's score, its words and its statements."""
        return [self._fixed_score(line) for line in lines]

    def recalled(self, scored: "_ScoredLine") -> RecalledLine:
        """Return a line as it is shown, with the statements that it quotes."""
        line, hit = scored.line, scored.line.hit
        return RecalledLine(
            text=matching_excerpt(line.text, self._subject, STRETCH_CHARACTERS),
            message_id=hit.id,
            seq=hit.seq,
            place=line.place,
            thread_id=hit.thread_id,
            role=hit.role,
            at=hit.at,
            score=scored.score,
            times=scored.times,
            statement_ids=tuple(match.statement.id for match in self._stated_in(line)),
            origin=hit.origin,
        )

    def _fixed_score(self, line: QuotedLine) -> float:
        stated = max(map(_statement_gain, self._stated_in(line)), default=0.0)
        gain = COVERAGE_SHARE * line.covered + stated
        return (line.hit.score + gain) * _stretch_factor(line.hit, line.text)

    def _covered_share(self, text: str) -> float:
        """Return the share of the query's words that a text has, by their weights."""
        return self._rarity.total_weight(stemmed_set(text) & self._asked) / self._total

    def _stated_in(self, line: QuotedLine) -> list[StatementMatch]:
        stated = self._statements.get(line.hit.seq)
        if not stated:
            return []
        quoted = letters_only(line.text)
        return [
            match
            for match in stated
            if (words := letters_only(match.statement.text.partition(ASKED_MARK)[0])) in quoted
            or quoted in words
        ]


def _whole_line(hit: Hit) -> QuotedLine:
    return QuotedLine(hit, 0, " ".join(hit.text.split()), 0.0, 0.0)


def _statement_gain(match: StatementMatch) -> float:
    return STATEMENT_SHARE * match.statement.confidence + CLOSENESS_SHARE * match.closeness


@lru_cache(KNOWN_LINES)
def letters_only(text: str) -> str:
    """Return the letters and digits of a text, by which quotations of it are compared."""
    return "".join(ascii_words(text)) if text.isascii() else _NO_LETTERS.sub("", text.casefold())


def _stretch_factor(hit: Hit, stretch: str) -> float:
    telling = min(telling_word_count(stretch), TELLING_WORDS) / TELLING_WORDS
    factor = 1.0 - UNTELLING_SHARE * (1.0 - telling)
    if hit.role.casefold() not in ANSWERING_ROLES:
        factor *= PERSON_SHARE
    if hit.role == "tool":
        factor *= TOOL_SHARE
    if ends_with_question(stretch):
        factor *= QUESTION_SHARE
    return factor * NARRATION_SHARE if _is_narrated(hit, stretch) else factor


def _is_narrated(hit: Hit, stretch: str) -> bool:
    """Say whether an agent's stretch only tells what it does: a sentence, or a bare file name."""
    is_by_agent = hit.role.casefold() in ANSWERING_ROLES and hit.role != "tool"
    return is_by_agent and (is_narration(stretch) or " " not in stretch)


def _without_repeats(lines: Iterable[_ScoredLine]) -> list[_ScoredLine]:
    """Return lines with the same words once: the latest, with how often it was said."""
    by_words: dict[Collection[str], _ScoredLine] = {}
    for one in sorted(lines, key=lambda one: (one.line.hit.seq, one.line.place)):
        words = stemmed_set(one.line.text)
        earlier = by_words.get(words, one)
        is_other = earlier.line.hit.seq != one.line.hit.seq
        by_words[words] = _ScoredLine(
            one.line if is_other else earlier.line,
            max(earlier.score, one.score),
            earlier.times + is_other,
        )
    return list(by_words.values())

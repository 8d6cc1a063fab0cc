"""Find the phrases that could title a thread, and weigh them.

The first request counts most, then the user's other messages. If the user names no subject
("continue", the address of an issue), the agent's report does.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ai_smartness.describe.clause_parts import is_content_word, is_issue_number, is_telling_word
from ai_smartness.describe.noun_phrases import (
    NounPhrase,
    cut_phrase,
    noun_phrases,
    phrase_length,
    planned_object,
    request_object,
)
from ai_smartness.describe.parse_message import Clause, ParsedLine, ParsedSentence, Word
from ai_smartness.describe.request_words import (
    LIGHT_ADJECTIVES,
    LINK_WORDS,
    RESUMING_WORDS,
    request_verb,
)
from ai_smartness.describe.word_weights import WordWeights
from ai_smartness.text.stopwords import GRAMMAR_SHARE, conversation_share

__all__ = [
    "SHORT_CANDIDATE_WORDS",
    "USER_FACTOR",
    "TitleCandidate",
    "first_issue_numbers",
    "joined_words",
    "names_subject",
    "title_candidates",
    "words_worth",
]

SHORT_CANDIDATE_WORDS = 3  # fewer words rarely name a subject
HEADING_FACTOR = 8.0  # a heading was written to be a title
AGENT_HEADING_FACTOR = 1.5
HEADING_WITHIN_SENTENCES = 4  # a heading further down belongs to something pasted
LEAST_HEADING_WORTH = 0.3  # a heading may consist of words that every thread has
FIRST_ANSWERS, LAST_ANSWERS = 6, 2  # of the agent's messages that are searched for a title
USER_FACTOR = 1.8  # the user's own words make better titles than the agent's report
OPENING_FACTOR = 3.0  # the opening message names the subject more often than an aside does
REQUEST_FACTOR = 1.5
NARRATION_FACTOR = 0.6
ADVERBIAL_FACTOR = 0.7
TELLING_WORTH = 0.15  # of a word however common it is in the project
MOST_WORD_COST = 0.05
FULL_SHAPE = 6.0  # three words that all tell something; fewer are worth less
FIRST_PHRASE_FACTOR = 2.2
HEADLESS_FACTOR = 0.5  # of a phrase that begins with a number, or like "written by"
REQUEST_SENTENCES = 16
ANSWER_SENTENCES = 6
FIRST_REPORTS = 2
REPORT_WORDS = 30  # an answer with so many different words is a report
ISSUE_FACTOR = 2.0
POINTING_FACTOR = 0.3  # of a message that is about something it does not name
ISSUE_SENTENCES = 2
LEAST_SUBJECT_WORDS = 2
OPENING_SENTENCES = 6
LOST_PER_EARLIER_WORD = 0.03  # people say first what they want, then why, and paste the rest
LEAST_EARLINESS = 0.3

_LABEL = re.compile(r"[\w ]{2,12}:\s+")
_LINK = re.compile(r"\[([^\]\n]{1,100}+)\]\([^)\s]{0,300}+\)")
_BRACKETS = re.compile(r" \([^()\n]{0,100}+\)")
_PASTED_MARKS = frozenset("|│┌├└➜$")
_HEADING_ENDS = frozenset(("-", "–", "—", "|"))
_PUNCTUATION = "`*_\"'“”.,;:!?()[]"


class TitleCandidate(NamedTuple):
    """A phrase and how well it would title the thread, or a whole sentence."""

    words: Clause
    worth: float
    sentence: str = ""

    @property
    def text(self) -> str:
        """Return the candidate as a title has it."""
        return self.sentence or joined_words(self.words)


def title_candidates(lines: Sequence[ParsedLine], weights: WordWeights) -> list[TitleCandidate]:
    """List the phrases that could title a thread: best first, else in their order."""
    candidates: list[TitleCandidate] = []
    opening = _opening_line(lines)
    numbers = first_issue_numbers(lines) if opening is not None and opening.by_agent else ()
    for line in _searched_lines(lines):
        factor = 1.0 if line.by_agent else USER_FACTOR
        if line is opening:
            factor *= OPENING_FACTOR
        elif opening is not None and opening.by_agent and _points_elsewhere(line, numbers):
            factor *= POINTING_FACTOR
        heading = _heading_candidate(line, weights, factor)
        candidates += [heading] if heading else []
        if heading is None or line.by_agent:
            search = _PhraseSearch(line, weights, factor, numbers)
            candidates += search.candidates(is_opening=line is opening)
    candidates.sort(key=lambda candidate: -candidate.worth)
    return candidates or _plain_candidates(lines)


def first_issue_numbers(lines: Sequence[ParsedLine]) -> tuple[str, ...]:
    """List the issues that the user's first message begins with, as numbers."""
    first = next((line for line in lines if not line.by_agent), None)
    sentences = first.sentences[:ISSUE_SENTENCES] if first else ()
    words = (word for sentence in sentences for clause in sentence.clauses for word in clause)
    return tuple(word.written[1:] for word in words if is_issue_number(word))


def joined_words(words: Sequence[Word]) -> str:
    """Join words with spaces, except in scripts that have none."""
    text = words[0].written
    for before, word in pairwise(words):
        text += word.written if before.is_unspaced and word.is_unspaced else " " + word.written
    return text


def _searched_lines(lines: Sequence[ParsedLine]) -> Iterator[ParsedLine]:
    """Yield the user's messages, and the agent's first, last and first long ones."""
    answers = [number for number, line in enumerate(lines) if line.by_agent]
    reports = [number for number in answers if _is_report(lines[number])]
    last = answers[FIRST_ANSWERS:][-LAST_ANSWERS:]
    searched = {*answers[:FIRST_ANSWERS], *last, *reports[:FIRST_REPORTS]}
    return (line for number, line in enumerate(lines) if not line.by_agent or number in searched)


def _is_report(line: ParsedLine) -> bool:
    return len(line.words) >= REPORT_WORDS


def _plain_candidates(lines: Sequence[ParsedLine]) -> list[TitleCandidate]:
    """Return the first sentence of a thread that names nothing."""
    sentences = (sentence for line in lines for sentence in line.sentences if sentence.text)
    for sentence in sentences:
        words = tuple(word for clause in sentence.clauses for word in clause)
        is_address = "://" in sentence.text
        return [TitleCandidate(words, 0.0, joined_words(words) if is_address else sentence.text)]
    return []


def _opening_line(lines: Sequence[ParsedLine]) -> ParsedLine | None:
    """Find the message that names the subject first.

    It is the user's first one, or else the agent's first long answer to it, about the issue
    that it named if it did so.
    """
    first = next((number for number, line in enumerate(lines) if not line.by_agent), 0)
    numbers = {*first_issue_numbers(lines)}
    is_named = names_subject(lines[first]) if lines else False
    if is_named and not _points_elsewhere(lines[first], numbers):
        return lines[first]
    naming = [line for line in _searched_lines(lines[first:]) if names_subject(line)]
    answers = [line for line in naming if line.by_agent]
    reports = [line for line in answers if _is_report(line)]
    about_issue = [line for line in reports if _names_issue(line.words, numbers)]
    best = about_issue or (reports if numbers else answers) or naming
    return best[0] if best else None


def _points_elsewhere(line: ParsedLine, numbers: Collection[str]) -> bool:
    """Say whether a message is "continue …", or is about an issue that it only names."""
    if line.sentences[0].clauses[0][0].folded in RESUMING_WORDS:
        return True
    about = [
        sentence
        for sentence in line.sentences[:ISSUE_SENTENCES]
        if any(
            _names_issue((word.folded for word in clause), numbers) for clause in sentence.clauses
        )
    ]
    return bool(about) and not any(map(_has_subject, about))


def _names_issue(words: Iterable[str], numbers: Collection[str]) -> bool:
    return any(word.lstrip("#") in numbers for word in words)


def names_subject(line: ParsedLine) -> bool:
    """Say whether a message names something; what an agent announces to do does not count."""
    sentences = line.sentences[:OPENING_SENTENCES]
    return any(_has_subject(sentence, by_agent=line.by_agent) for sentence in sentences)


def _has_subject(sentence: ParsedSentence, *, by_agent: bool = False) -> bool:
    return sentence.text[0] not in _PASTED_MARKS and any(
        _is_subject(phrase) and not (by_agent and _is_announced(phrase))
        for clause in sentence.clauses
        for phrase in noun_phrases(clause)
    )


def _is_subject(phrase: NounPhrase) -> bool:
    words = sum([1 + word.is_code for word in phrase.words if _is_named(word)])
    return words >= LEAST_SUBJECT_WORDS and not phrase.is_adverbial


def _is_full_subject(phrase: NounPhrase) -> bool:
    """Say whether a phrase says enough to be the subject: no mere label like "tiny drama"."""
    least = LEAST_SUBJECT_WORDS if phrase.is_request else SHORT_CANDIDATE_WORDS
    words = sum([1 + word.is_code for word in phrase.words if _is_named(word)])
    return words >= least and len(phrase.words) > 1 and not phrase.is_adverbial


def _is_named(word: Word) -> bool:
    return is_content_word(word) and word.folded not in LIGHT_ADJECTIVES


def _is_announced(phrase: NounPhrase) -> bool:
    """Say whether an agent announces something: "let me check", "reading the files"."""
    first = request_verb(phrase.words[0].folded)
    return phrase.is_request or (first is not None and first.form == "ing")


def words_worth(words: Sequence[Word], weights: WordWeights) -> float:
    """Sum what the distinct words of a title say, each at its cost; long phrases say it slower."""
    by_word, total = weights.by_word, 0.0
    for folded, word in {word.folded: word for word in words}.items():
        total += max(by_word.get(folded, 0.0) - word.cost, -MOST_WORD_COST)
        total += TELLING_WORTH if is_telling_word(word) else 0.0
    return max(0.0, total) / math.sqrt(max(SHORT_CANDIDATE_WORDS, phrase_length(words)))


def _heading_candidate(
    line: ParsedLine, weights: WordWeights, factor: float
) -> TitleCandidate | None:
    """Return the heading a message begins with, without a label like `Plan:` and its verb."""
    first = line.sentences[:HEADING_WITHIN_SENTENCES]
    heading = next((sentence for sentence in first if sentence.is_heading), None)
    if heading is None:
        return None
    label = _LABEL.match(heading.text)
    text = heading.text[label.end() :] if label else heading.text
    heading_words = _heading_words(text)
    words = planned_object(heading_words) if label else request_object(heading_words)[0]
    words = cut_phrase(words)
    if sum(map(is_telling_word, words)) <= line.by_agent:
        return None
    written = tuple(word for clause in heading.clauses for word in clause)
    worth = max(LEAST_HEADING_WORTH, words_worth(written, weights))
    factor *= AGENT_HEADING_FACTOR if line.by_agent else HEADING_FACTOR
    return TitleCandidate(tuple(words), factor * worth)


def _heading_words(text: str) -> list[Word]:
    """Return the words of a heading with their punctuation, up to a colon or dash."""
    words: list[Word] = []
    for piece in _BRACKETS.sub("", _LINK.sub(r"\1", text)).split():
        if piece in _HEADING_ENDS or piece[0] == "#":
            if any(map(is_telling_word, words)):
                break
            continue
        words.append(_heading_word(piece))
        if piece[-1] == ":" and len(words) >= SHORT_CANDIDATE_WORDS:
            words[-1] = words[-1]._replace(written=piece[:-1])
            break
    return words


def _heading_word(piece: str) -> Word:
    folded = piece.strip(_PUNCTUATION).casefold()
    share = conversation_share(folded)
    is_code = piece[0] in '`#"“'
    is_grammar = not is_code and (share >= GRAMMAR_SHARE or not folded)
    return Word(piece, folded, share, is_code=is_code, is_grammar=is_grammar)


class _PhraseSearch(NamedTuple):
    """Finds the noun phrases of a message.

    `numbers` are the issues that an answer is about: a sentence that names one counts more.
    """

    line: ParsedLine
    weights: WordWeights
    factor: float
    numbers: Collection[str]

    def candidates(self, *, is_opening: bool) -> Iterator[TitleCandidate]:
        """Yield the phrases; the first full one of an opening counts most."""
        before = 0
        most = ANSWER_SENTENCES if self.line.by_agent else REQUEST_SENTENCES
        for sentence in self.line.sentences[:most]:
            factor = self.sentence_factor(sentence)
            for clause in sentence.clauses if factor else ():
                for phrase in noun_phrases(clause):
                    worth = factor * self.phrase_worth(phrase) * _earliness(before + phrase.start)
                    if is_opening and _is_full_subject(phrase):
                        worth, is_opening = worth * FIRST_PHRASE_FACTOR, False
                    if worth > 0.0:
                        yield TitleCandidate(phrase.words, worth)
                before += len(clause)

    def sentence_factor(self, sentence: ParsedSentence) -> float:
        if sentence.text[0] in _PASTED_MARKS:
            return 0.0
        words = (word.folded for clause in sentence.clauses for word in clause)
        is_about = self.numbers and self.line.by_agent and _names_issue(words, self.numbers)
        return self.factor * (ISSUE_FACTOR if is_about else 1.0)

    def phrase_worth(self, phrase: NounPhrase) -> float:
        # A phrase with an option was pasted from some command.
        if any(word.written[0] == "-" for word in phrase.words):
            return 0.0
        shape = _shape_factor(phrase, by_agent=self.line.by_agent)
        return shape * words_worth(phrase.words, self.weights)


def _shape_factor(phrase: NounPhrase, *, by_agent: bool) -> float:
    """Weigh a phrase by its number of telling words, and by who asked for it.

    What an agent announces ("let me check") is narration.
    """
    if by_agent:
        factor = NARRATION_FACTOR if _is_announced(phrase) else 1.0
    else:
        factor = REQUEST_FACTOR if phrase.is_request else 1.0
    if phrase.is_adverbial:
        factor *= ADVERBIAL_FACTOR
    if phrase.words[0].is_unspaced:
        return factor
    if phrase.words[0].is_slight or _begins_with_participle(phrase):
        factor *= HEADLESS_FACTOR
    telling = sum([1 + word.is_code for word in phrase.words if _is_noun(word)])
    content = sum(map(is_content_word, phrase.words)) + telling
    return factor * min(1.0, content / FULL_SHAPE)


def _begins_with_participle(phrase: NounPhrase) -> bool:
    words = phrase.words
    return len(words) > 1 and words[0].folded.endswith("ed") and words[1].folded in LINK_WORDS


def _is_noun(word: Word) -> bool:
    verb = request_verb(word.folded)
    return is_telling_word(word) and (verb is None or verb.is_noun_too)


def _earliness(words_before: int) -> float:
    return max(LEAST_EARLINESS, 1.0 - LOST_PER_EARLIER_WORD * words_before)

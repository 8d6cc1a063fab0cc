"""Find the phrases that could title a thread, and weigh them.

The first request counts most, then the user's other messages. If the user names no subject
("continue", the address of an issue), the agent's report does.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from ai_smartness.describe.clause_parts import is_content_word, is_telling_word
from ai_smartness.describe.noun_phrases import NounPhrase, noun_phrases, request_object
from ai_smartness.describe.parse_message import Clause, ParsedLine, ParsedSentence, Word
from ai_smartness.describe.phrase_form import (
    PHRASE_WORDS,
    ends_with_result,
    head_noun,
    is_well_formed,
    names_state,
    phrase_length,
    title_words,
)
from ai_smartness.describe.request_words import (
    DELEGATES,
    ERRAND_WORDS,
    LINK_WORDS,
    NARRATION,
    PROCESS_NOUNS,
    RESULT_WORDS,
    WEAK_HEADS,
    request_verb,
)
from ai_smartness.describe.title_sources import (
    LEAST_SUBJECT_WORDS,
    SHORT_CANDIDATE_WORDS,
    commit_subjects,
    first_issue_numbers,
    first_word,
    heading_object,
    is_announced,
    is_errand,
    is_full_subject,
    is_pasted,
    is_report,
    issue_subjects,
    issue_title,
    names_issue,
    opening_message,
    searched_lines,
)
from ai_smartness.describe.word_weights import Centrality, Spelling, WordWeights

__all__ = [
    "USER_FACTOR",
    "TitleCandidate",
    "joined_words",
    "title_candidates",
    "words_worth",
]

HEADING_FACTOR = 8.0  # a heading was written to be a title
LONE_COMMIT_FACTOR = 8.0  # a commit's subject sums up what the user did not name
HEADING_WITHIN_SENTENCES = 4  # a heading further down belongs to something pasted
AGENT_HEADING_WITHIN = 8  # an agent says first what it did before
LEAST_HEADING_WORTH = 0.3  # a heading may consist of words that every thread has
SHORT_ANSWER_FACTOR = 0.6  # it says what the agent does next
USER_FACTOR = 1.8  # the user's own words make better titles than the agent's report
OPENING_BONUS = 2.5  # the opening message names the subject more often than an aside does
REPORT_BONUS = 1.5  # the same for the agent's first report, if the user names no subject
OPENING_DECAY = 0.08  # for every other message of the user
REQUEST_FACTOR = 1.5
NARRATION_FACTOR = 0.35
RESULT_FACTOR = 0.3  # of how something went: "six replies posted"
LIST_ITEM_SHARE = 0.4
ADVERBIAL_FACTOR = 0.3
ASIDE_FACTOR = 0.1
WEAK_HEAD_FACTOR = 0.3
LONE_NAME_SHARE = 0.1
ERRAND_FACTOR = 0.1  # of a sentence about branches or reviews
ISSUE_SUBJECT_FACTOR = 8.0  # the agent says what the issue is about that the user only named
TELLING_WORTH = 0.15  # of a word however common it is in the project
MOST_WORD_COST = 0.05
FULL_SHAPE = 6.0  # three words that all tell something; fewer are worth less
STATE_WORDS = 2  # that a "not" or a "too" is worth: what is wrong is the subject
NUMBER_SHARE = 0.5  # of the worth of a phrase that begins with a number
CONCEDED_SHARE = 0.4  # of the worth of what stands before a "but"
WORKING_SHARE = 0.1  # the same if it works
FIRST_PHRASE_FACTOR = 1.8
QUESTION_FACTOR = 3.0  # of what is to be found out
REQUEST_SENTENCES = 16
ANSWER_SENTENCES = 6
ISSUE_FACTOR = 2.0
PROCESS_SHARE = 0.5  # of the weight of a word about how work is done
MALFORMED_SHARE = 0.01  # what is no title comes after everything that is one
SHORT_SHARE = 0.7  # of two words
SHORT_AGENT_SHARE = 0.5
LEAST_SUPPORT = 0.12  # of the worth of a phrase that no other message comes back to
CENTRAL_BONUS = 2.5  # for a phrase whose names every message mentions
FULL_SUPPORT_LINES = 10.0  # a shorter thread repeats little
LOST_PER_EARLIER_WORD = 0.03  # people say first what they want, then why, and paste the rest
LEAST_EARLINESS = 0.3

_JOINING = frozenset(("and", "or"))


class TitleCandidate(NamedTuple):
    """A phrase and how well it would title the thread, or a whole sentence.

    `origin` is the sentence of the user that it stood in, `start` where it began, and `link` the
    preposition before it.
    """

    words: Clause
    worth: float
    sentence: str = ""
    is_heading: bool = False
    by_agent: bool = False
    origin: ParsedSentence | None = None
    start: int = 0
    link: str = ""

    @property
    def text(self) -> str:
        """Return the candidate as a title has it."""
        return self.sentence or joined_words(self.words)


def title_candidates(lines: Sequence[ParsedLine], weights: WordWeights) -> list[TitleCandidate]:
    """List the phrases that could title a thread: best first, else in their order."""
    candidates: list[TitleCandidate] = []
    opening = opening_message(lines)
    user_opens = opening is not None and not opening.by_agent
    numbers = () if user_opens else first_issue_numbers(lines)
    users = sum(not line.by_agent for line in lines) - 1
    commit_factor = 1.0 if user_opens else LONE_COMMIT_FACTOR
    for line in searched_lines(lines):
        factor = 1.0 if line.by_agent else USER_FACTOR
        if line.by_agent and not is_report(line):
            factor *= SHORT_ANSWER_FACTOR
        if line is opening:
            bonus = REPORT_BONUS if line.by_agent else OPENING_BONUS
            factor *= 1.0 + bonus / (1.0 + OPENING_DECAY * users)
        heading = _heading_candidate(line, weights, factor)
        candidates += [heading] if heading else []
        candidates += _commit_candidates(line, weights, commit_factor)
        candidates += _issue_candidates(line, weights, numbers)
        if heading is None or line.by_agent:
            search = _PhraseSearch(line, weights, factor, numbers)
            candidates += search.candidates(is_opening=line is opening)
    if not user_opens:
        candidates = [*map(_without_errand_worth, candidates)]
    ranked = _ranked_candidates(candidates, lines)
    is_named = opening is not None or any(candidate.by_agent for candidate in ranked[:1])
    title = "" if is_named else issue_title(lines)
    if title:
        words = _plain_candidates(lines)[0].words
        ranked.insert(0, TitleCandidate(words, ranked[0].worth if ranked else 0.0, title))
    return ranked or _plain_candidates(lines)


def _without_errand_worth(candidate: TitleCandidate) -> TitleCandidate:
    """Weigh a phrase like "stale pane" down in a thread that opens with nothing but an errand."""
    content = [word for word in candidate.words if is_content_word(word)]
    is_idle = all(word.folded in ERRAND_WORDS or word.is_slight for word in content)
    return candidate._replace(worth=candidate.worth * ERRAND_FACTOR) if is_idle else candidate


def _ranked_candidates(
    candidates: Iterable[TitleCandidate], lines: Sequence[ParsedLine]
) -> list[TitleCandidate]:
    """Correct and weigh the phrases, and sort them: best first."""
    centrality = Centrality.of_lines(lines)
    spelling = Spelling(lines, centrality)
    corrected = (
        candidate._replace(words=_corrected_words(candidate.words, spelling))
        if not candidate.is_heading
        else candidate
        for candidate in candidates
    )
    weighed = [
        candidate._replace(worth=candidate.worth * _fitness(candidate, centrality))
        for candidate in corrected
    ]
    return sorted(weighed, key=lambda candidate: -candidate.worth)


def _corrected_words(words: Clause, spelling: Spelling) -> Clause:
    """Correct a phrase; "subagnet to pack the parcels" is about the parcels after that."""
    corrected = tuple(map(spelling.corrected, words))
    is_delegated = len(words) > SHORT_CANDIDATE_WORDS and corrected[0].folded in DELEGATES
    if is_delegated and corrected[1].folded == "to":
        corrected = tuple(request_object(corrected[2:])[0]) or corrected
    return title_words(corrected)


def _fitness(candidate: TitleCandidate, centrality: Centrality) -> float:
    """Weigh a phrase by its form, and by how many other messages come back to its words."""
    if candidate.is_heading:
        return 1.0
    if not is_well_formed(candidate.words):
        return MALFORMED_SHARE
    least = max(LEAST_SUPPORT, 1.0 - centrality.lines / FULL_SUPPORT_LINES)
    support = least + (1.0 - least) * centrality.support(candidate.words)
    is_plain = not any(word.is_code or word.is_unspaced for word in candidate.words)
    if len(candidate.words) < SHORT_CANDIDATE_WORDS and is_plain:
        support *= SHORT_AGENT_SHARE if candidate.by_agent else SHORT_SHARE
    if len(candidate.words) == 1 and not candidate.words[0].is_unspaced:
        support *= LONE_NAME_SHARE
    return support * (1.0 + CENTRAL_BONUS * centrality.main_share(candidate.words))


def joined_words(words: Sequence[Word]) -> str:
    """Join words with spaces, except in scripts that have none."""
    text = words[0].written
    for before, word in pairwise(words):
        text += word.written if before.is_unspaced and word.is_unspaced else " " + word.written
    return text


def _plain_candidates(lines: Sequence[ParsedLine]) -> list[TitleCandidate]:
    """Return the first sentence of a thread that names nothing."""
    sentences = (sentence for line in lines for sentence in line.sentences if sentence.text)
    for sentence in sentences:
        words = tuple(word for clause in sentence.clauses for word in clause)
        is_address = "://" in sentence.text
        return [TitleCandidate(words, 0.0, joined_words(words) if is_address else sentence.text)]
    return []


def words_worth(words: Sequence[Word], weights: WordWeights) -> float:
    """Sum what the distinct words of a title say, each at its cost; long phrases say it slower."""
    by_word, total = weights.by_word, 0.0
    for folded, word in {word.folded: word for word in words}.items():
        share = PROCESS_SHARE if folded in PROCESS_NOUNS else 1.0
        total += max(share * by_word.get(folded, 0.0) - word.cost, -MOST_WORD_COST)
        total += share * TELLING_WORTH if is_telling_word(word) else 0.0
    return max(0.0, total) / math.sqrt(max(SHORT_CANDIDATE_WORDS, phrase_length(words)))


def _heading_candidate(
    line: ParsedLine, weights: WordWeights, factor: float
) -> TitleCandidate | None:
    """Return the heading a message begins with, without a label like `Plan:` and its verb."""
    most = AGENT_HEADING_WITHIN if line.by_agent else HEADING_WITHIN_SENTENCES
    first = line.sentences[:most]
    heading = next((sentence for sentence in first if sentence.is_heading), None)
    if heading is None:
        return None
    words = heading_object(heading.text)
    if sum(is_telling_word(word) or word.folded.endswith("ing") for word in words) <= line.by_agent:
        return None
    written = tuple(word for clause in heading.clauses for word in clause)
    worth = max(LEAST_HEADING_WORTH, words_worth(written, weights))
    if line.by_agent:
        factor *= NARRATION_FACTOR if ends_with_result(words) else 1.0
    else:
        factor *= HEADING_FACTOR
    return TitleCandidate(
        tuple(words), factor * worth, is_heading=not line.by_agent, by_agent=line.by_agent
    )


def _commit_candidates(
    line: ParsedLine, weights: WordWeights, factor: float
) -> Iterator[TitleCandidate]:
    for words in commit_subjects(line):
        if sum(map(_is_noun, words)) >= LEAST_SUBJECT_WORDS:
            yield TitleCandidate(words, factor * words_worth(words, weights), by_agent=True)


def _issue_candidates(
    line: ParsedLine, weights: WordWeights, numbers: Collection[str]
) -> Iterator[TitleCandidate]:
    for words in issue_subjects(line, numbers) if numbers else ():
        if sum(map(_is_noun, words)) >= LEAST_SUBJECT_WORDS:
            worth = ISSUE_SUBJECT_FACTOR * words_worth(words, weights)
            yield TitleCandidate(words, worth, by_agent=True)


def _turning_point(sentence: ParsedSentence) -> int:
    """Count the words before a "but": what comes after it is what somebody wants to say."""
    conceded, but, _ = sentence.text.casefold().partition(" but ")
    return len(conceded.split()) if but else 0


def _conceded_share(phrase: NounPhrase) -> float:
    """Return what a phrase before a "but" is worth: nearly nothing if all is well with it."""
    is_well = phrase.words[-1].folded == "working" or phrase.words[-1].folded in RESULT_WORDS
    return WORKING_SHARE if is_well and not names_state(phrase.words) else CONCEDED_SHARE


def _list_items(sentence: ParsedSentence) -> set[Clause]:
    """Return the clauses that are nothing but one noun among others: "labels, ramps, and …"."""
    return {
        clause
        for clause in sentence.clauses[1:]
        if len(phrases := noun_phrases(clause)) == 1
        and not phrases[0].is_request
        and len(phrases[0].words) >= len(clause) - (clause[0].folded in ("and", "or"))
        and not names_state(phrases[0].words)
    }


def _with_list(words: Clause, after: Clause, sentence: ParsedSentence) -> Clause:
    """Go on with a list: "logos for trucks" and "vans and ships" stood on both sides of a comma."""
    items = list(takewhile(lambda word: word.folded not in LINK_WORDS - _JOINING, after))
    is_joined = any(word.folded in _JOINING for word in items[1:-1])
    is_list = is_joined and all(is_content_word(word) or word.folded in _JOINING for word in items)
    if not is_list or f"{words[-1].written}, {items[0].written}" not in sentence.text:
        return words
    longer = (*words[:-1], words[-1]._replace(written=f"{words[-1].written},"), *items)
    return longer if phrase_length(longer) <= PHRASE_WORDS else words


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
        before, first_factor = 0, FIRST_PHRASE_FACTOR
        opens = is_opening and not self.line.by_agent
        most = ANSWER_SENTENCES if self.line.by_agent else REQUEST_SENTENCES
        for sentence in self.line.sentences[:most]:
            factor = self.sentence_factor(sentence)
            items, turn, at = _list_items(sentence), _turning_point(sentence), 0
            for clause, after in pairwise((*sentence.clauses, ())) if factor else ():
                share = LIST_ITEM_SHARE if clause in items else 1.0
                leads, at = is_opening and at >= turn, at + len(clause)
                for phrase in noun_phrases(clause):
                    asks = opens and phrase.is_question
                    early = 1.0 if asks else _earliness(before + phrase.start)
                    worth = factor * self.phrase_worth(phrase) * early * share
                    worth *= _conceded_share(phrase) if at <= turn else 1.0
                    if (asks or leads) and self.names_subject(sentence, phrase):
                        first = FIRST_PHRASE_FACTOR if phrase.is_request else first_factor
                        worth *= QUESTION_FACTOR if asks else first
                        first_factor, is_opening = 1.0, is_opening and not phrase.is_request
                        leads = is_opening
                    if worth > 0.0:
                        origin = None if self.line.by_agent else sentence
                        yield TitleCandidate(
                            _with_list(phrase.words, after, sentence),
                            worth,
                            by_agent=self.line.by_agent,
                            origin=origin,
                            start=before + phrase.start,
                            link=phrase.link,
                        )
                before += len(clause)

    def sentence_factor(self, sentence: ParsedSentence) -> float:
        if is_pasted(sentence):
            return 0.0
        errand_factor = ERRAND_FACTOR if is_errand(sentence) else 1.0
        words = (word.folded for clause in sentence.clauses for word in clause)
        is_about = self.numbers and self.line.by_agent and names_issue(words, self.numbers)
        is_narrated = self.line.by_agent and first_word(sentence) in NARRATION
        factor = self.factor * errand_factor * (NARRATION_FACTOR if is_narrated else 1.0)
        return factor * (ISSUE_FACTOR if is_about else 1.0)

    def names_subject(self, sentence: ParsedSentence, phrase: NounPhrase) -> bool:
        is_narrated = self.line.by_agent and (
            first_word(sentence) in NARRATION
            or _is_narration(phrase)
            or ends_with_result(phrase.words)
        )
        return is_full_subject(phrase) and not is_narrated and not is_errand(sentence)

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
        factor = NARRATION_FACTOR if _is_narration(phrase) else 1.0
        factor *= RESULT_FACTOR if ends_with_result(phrase.words) else 1.0
    else:
        factor = REQUEST_FACTOR if phrase.is_request else 1.0
    if phrase.is_adverbial:
        factor *= ASIDE_FACTOR if phrase.is_aside else ADVERBIAL_FACTOR
    if phrase.words[0].is_unspaced:
        return factor
    is_weak = not phrase.is_request and head_noun(phrase.words).folded in WEAK_HEADS
    factor *= WEAK_HEAD_FACTOR if is_weak else 1.0
    factor *= NUMBER_SHARE if phrase.words[0].is_slight else 1.0
    telling = sum([1 + word.is_code for word in phrase.words if _is_noun(word)])
    content = sum(map(is_content_word, phrase.words)) + telling
    if telling and not by_agent and names_state(phrase.words):
        content += STATE_WORDS
    return factor * min(1.0, content / FULL_SHAPE)


def _is_narration(phrase: NounPhrase) -> bool:
    """Say whether an agent tells what it does next, or how something is."""
    return is_announced(phrase) or phrase.is_statement


def _is_noun(word: Word) -> bool:
    verb = request_verb(word.folded)
    is_subject = is_telling_word(word) and word.folded not in PROCESS_NOUNS
    return is_subject and (verb is None or verb.is_noun_too)


def _earliness(words_before: int) -> float:
    return max(LEAST_EARLINESS, 1.0 - LOST_PER_EARLIER_WORD * words_before)

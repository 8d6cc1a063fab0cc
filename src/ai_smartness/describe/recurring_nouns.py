"""Find the names that a thread keeps coming back to.

A recurring noun has up to three words ("status segment") and several messages share it. It says
what a title like "Failing test" is about.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ai_smartness.describe.centrality import word_stem
from ai_smartness.describe.clause_parts import is_telling_word
from ai_smartness.describe.noun_phrases import noun_phrases
from ai_smartness.describe.parse_message import Clause, ParsedLine, Word
from ai_smartness.describe.request_words import EMPTY_NOUNS, PROCESS_NOUNS, request_verb
from ai_smartness.describe.word_weights import WordWeights

__all__ = ["RecurringNoun", "recurring_nouns"]

USER_MENTION = 2.0  # a message of the user counts as much as two of the agent
LEAST_MENTIONS = 2
LEAST_SHARE = 0.12  # of the messages
LEAST_AGENT_SHARE = 0.3  # of the messages, for a noun that only the agent uses
MOST_WORDS = 3
LENGTH_FACTORS = (1.0, 1.0, 1.7, 1.9)  # by number of words: two words say more than one
AGENT_SENTENCES = 8
USER_SENTENCES = 16


class RecurringNoun(NamedTuple):
    """A noun as first written, how much the thread is about it, and its stems."""

    words: Clause
    weight: float
    stems: frozenset[str]


def recurring_nouns(lines: Sequence[ParsedLine], weights: WordWeights) -> list[RecurringNoun]:
    """List the nouns that several messages share, best first."""
    mentions: dict[tuple[str, ...], float] = {}
    by_user: set[tuple[str, ...]] = set()
    counts: dict[tuple[str, ...], int] = {}
    written: dict[tuple[str, ...], Clause] = {}
    for line in lines:
        runs = {tuple(word_stem(word.folded) for word in run): run for run in _noun_runs(line)}
        for stems, run in runs.items():
            mentions[stems] = mentions.get(stems, 0.0) + (1.0 if line.by_agent else USER_MENTION)
            counts[stems] = counts.get(stems, 0) + 1
            written.setdefault(stems, run)
        if not line.by_agent:
            by_user |= runs.keys()
    least = max(LEAST_MENTIONS, LEAST_SHARE * len(lines))
    nouns = [
        RecurringNoun(
            written[stems], mentions[stems] * _weight(written[stems], weights), frozenset(stems)
        )
        for stems in mentions
        if counts[stems] >= least
        and len(set(stems)) == len(stems)
        and (stems in by_user or counts[stems] >= LEAST_AGENT_SHARE * len(lines))
    ]
    return sorted(nouns, key=lambda noun: -noun.weight)


def _weight(words: Clause, weights: WordWeights) -> float:
    total = sum(weights.by_word.get(word.folded, 0.0) for word in words)
    return LENGTH_FACTORS[len(words)] * total / len(words)


def _noun_runs(line: ParsedLine) -> Iterator[Clause]:
    most = AGENT_SENTENCES if line.by_agent else USER_SENTENCES
    for sentence in line.sentences[:most]:
        for clause in sentence.clauses:
            for phrase in noun_phrases(clause):
                yield from _runs_in(phrase.words)


def _runs_in(words: Clause) -> Iterator[Clause]:
    """Yield the runs of nouns in a phrase, of one to three words."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + MOST_WORDS, len(words)) + 1):
            if not _is_noun(words[end - 1]):
                break
            yield words[start:end]


def _is_noun(word: Word) -> bool:
    if word.is_unspaced or word.is_file or not is_telling_word(word):
        return False
    verb = request_verb(word.folded)
    is_verb = verb is not None and not verb.is_noun_too and not word.is_code
    return not is_verb and word.folded not in PROCESS_NOUNS and word.folded not in EMPTY_NOUNS

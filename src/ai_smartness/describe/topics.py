"""List the words and phrases that set a thread apart.

A topic names something: a word that the thread only uses as a verb or an adjective is none, nor is
a measure, a hash, a class of a style sheet or a temporary folder. What a word is, its neighbours
say. A file is named without the folders it is in.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ai_smartness.describe.clause_parts import is_content_word, is_telling_word
from ai_smartness.describe.noun_phrases import noun_phrases
from ai_smartness.describe.parse_message import Clause, ParsedLine, Word
from ai_smartness.describe.request_words import (
    DETERMINERS,
    EMPTY_NOUNS,
    IDLE_ADJECTIVES,
    LIGHT_ADJECTIVES,
    LIGHT_NOUNS,
    LINK_WORDS,
    PROCESS_NOUNS,
    RESULT_WORDS,
    WEAK_HEADS,
    request_verb,
)
from ai_smartness.describe.title import short_name
from ai_smartness.describe.title_candidates import joined_words
from ai_smartness.describe.word_uses import WordUses
from ai_smartness.describe.word_weights import WordWeights

__all__ = ["MOST_TOPICS", "thread_topics"]

MOST_TOPICS = 6
TOPIC_WEIGHT = 0.25  # a lighter word is no topic, unless the thread has nothing better
CODE_BONUS = 1.15
LEAST_PAIR_TIMES = 2  # two words side by side once are a coincidence
PAIR_COHESION = 0.3  # the share of the rarer word's uses in which the other stands beside it
PAIR_WEIGHT = 0.16
MOST_NUMBERS = 2  # of issues: a list of them says little
MOST_SLASHES = 2  # of `CI/review/merge`: what has more is the address of something
RUN_CHARACTERS = range(2, 7)  # words of Chinese and Japanese have 2 to 4 characters, names more

_ENDING = re.compile(r"(?<=\w{3})(?:e?s|ed|ing)$")
_ISSUE_NUMBER = re.compile(r"#\d+")
_POSSESSIVE = re.compile(r"['’]s?$")
_MEASURE = re.compile(r"[\d.,]+(?:[a-z%]{1,3}|deg)?(?:-\w+)?")
_STYLE_CLASS = re.compile(
    r"-?(?:[mp][xytrbl]?|gap|space-[xy]|[wh]|z|top|left|right|bottom|rounded|leading)-[\d.]+"
    r"|(?:text|bg|border|from|to|ring)-(?:[a-z]+-\d{2,3}(?:/\d+)?|xs|sm|base|lg|\d?xl)"
    r"|(?:items|justify|self)-(?:start|end|center|between)|font-(?:bold|medium|semibold|mono)"
)
_PASSING_PLACE = re.compile(r"(?:^|/)(?:tmp|temp|clones|node_modules)/|^/")
_COMMON_FILES = re.compile(
    r"(?:^|/)(?:index|main|mod|page|layout|types|utils|__init__|README)\.\w+$"
)
_CODE_VALUE = re.compile(r"0x[0-9a-f]+|(?=(?:\D*\d){6})\S{16,}", re.IGNORECASE)
_NUMBER_WORDS = frozenset(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))
_PLACE_WORDS = frozenset(
    ("alongside", "toward", "towards", "against", "anywhere", "everywhere", "regardless", "beyond")
)
_NO_MODIFIERS = (
    DETERMINERS | LIGHT_ADJECTIVES | LINK_WORDS | _NUMBER_WORDS | _PLACE_WORDS | EMPTY_NOUNS
)
_FILLER_WORDS = (
    PROCESS_NOUNS
    | LIGHT_NOUNS
    | EMPTY_NOUNS
    | WEAK_HEADS
    | RESULT_WORDS
    | IDLE_ADJECTIVES
    | _NUMBER_WORDS
)
"""Words that are in any thread; with another word before them they may still be a topic."""

_NOUNS_LIKE_VERBS = frozenset(("build", "embed", "hundred"))
_PARTICIPLE = re.compile(r"\w{2,}[^e]ed")


class _Topic(NamedTuple):
    weight: float
    text: str
    words: tuple[str, ...]


class _NamingWords(NamedTuple):
    """The words of noun phrases, which stand side by side there, and how words are used."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    uses: WordUses

    @classmethod
    def of_clauses(cls, clauses: Sequence[Clause]) -> "_NamingWords":
        phrases = [
            [word.folded for word in phrase.words]
            for clause in clauses
            for phrase in noun_phrases(clause)
        ]
        return cls(
            frozenset(word for phrase in phrases for word in phrase),
            frozenset(pair for phrase in phrases for pair in pairwise(phrase)),
            WordUses.of_clauses(clauses),
        )


def thread_topics(lines: Sequence[ParsedLine], weights: WordWeights) -> tuple[str, ...]:
    """List at most six words and phrases: best first, else in their order."""
    clauses = [clause for line in lines for sent in line.sentences for clause in sent.clauses]
    naming = _NamingWords.of_clauses(clauses)
    topics = [
        *_word_topics(weights, naming),
        *_pair_topics(clauses, weights, naming),
        *_unspaced_topics(clauses, weights),
    ]
    return _distinct_topics(sorted(topics, key=lambda topic: -topic.weight))


def _is_debris(word: Word) -> bool:
    """Say whether a word is no topic, nor part of one."""
    written = word.written
    return bool(
        word.is_slight
        or _MEASURE.fullmatch(written)
        or _STYLE_CLASS.fullmatch(written)
        or (_CODE_VALUE.fullmatch(written) and not word.is_file)
        or _PASSING_PLACE.search(written)
        or (written.count("/") > MOST_SLASHES and not word.is_file)
    )


def _word_topics(weights: WordWeights, naming: _NamingWords) -> Iterator[_Topic]:
    least = _least_weight(max(weights.by_word.values(), default=0.0))
    for folded, weight in weights.by_word.items():
        if weight * CODE_BONUS > least:
            word = weights.first_written[folded]
            if _is_topic_word(word, naming) and not word.is_unspaced and not _is_debris(word):
                bonus = CODE_BONUS if word.is_code else 1.0
                yield _Topic(weight * bonus, _topic_text((word,)), (folded,))


def _pair_topics(
    clauses: Sequence[Clause], weights: WordWeights, naming: _NamingWords
) -> Iterator[_Topic]:
    """Yield the pairs of words that repeatedly stand side by side."""
    by_word = weights.by_word
    heavy = {folded for folded, weight in by_word.items() if weight >= PAIR_WEIGHT}
    pairs: dict[tuple[str, str], int] = {}
    first_seen: dict[tuple[str, str], Clause] = {}
    singles: dict[str, int] = {}
    for clause in clauses:
        before = ""
        for at, word in enumerate(clause):
            if word.folded not in heavy or word.is_unspaced or _is_debris(word):
                before = ""
                continue
            singles[word.folded] = singles.get(word.folded, 0) + 1
            if before:
                pair = before, word.folded
                pairs[pair] = pairs.get(pair, 0) + 1
                first_seen.setdefault(pair, clause[at - 1 : at + 1])
            before = word.folded
    for pair, times in pairs.items():
        cohesion = times / min(singles[pair[0]], singles[pair[1]])
        is_cohesive = times >= LEAST_PAIR_TIMES and cohesion >= PAIR_COHESION
        if is_cohesive and pair[0] != pair[1] and _is_named_pair(first_seen[pair], naming):
            weight = (by_word[pair[0]] + by_word[pair[1]]) * (0.55 + 0.35 * cohesion)
            yield _Topic(weight, _topic_text(first_seen[pair]), pair)


def _is_named_pair(pair: Clause, naming: _NamingWords) -> bool:
    """Say whether two words are a noun and what tells which one."""
    first, second = pair
    is_modifier = first.folded not in _NO_MODIFIERS and is_content_word(first)
    is_noun = _is_noun(second, naming) and naming.uses.names_something(second)
    if not is_modifier or not is_noun or naming.uses.is_verb(first):
        return False
    return not _is_finite_verb(first, is_in_name=(first.folded, second.folded) in naming.pairs)


def _is_topic_word(word: Word, naming: _NamingWords) -> bool:
    """Say whether a word can stand for a topic alone: a noun that does not only tell which one."""
    is_filler = word.folded in _FILLER_WORDS and not word.is_code
    return not is_filler and _is_noun(word, naming) and naming.uses.names_something(word)


def _is_noun(word: Word, naming: _NamingWords) -> bool:
    """Say whether a word names something: by its form, and by its use in the thread."""
    if word.is_code:
        return True
    is_used = word.folded in naming.words and word.folded not in _PLACE_WORDS
    return is_used and is_telling_word(word) and not _is_verb(word)


def _is_verb(word: Word) -> bool:
    verb = request_verb(word.folded)
    is_verb = verb is not None and not verb.is_noun_too
    return word.folded not in _NOUNS_LIKE_VERBS and bool(
        is_verb or _PARTICIPLE.fullmatch(word.folded)
    )


def _is_finite_verb(word: Word, *, is_in_name: bool) -> bool:
    """Say whether a word before another is its verb: "rejects repos", but "refresh token"."""
    verb = request_verb(word.folded)
    if verb is None or word.is_code:
        return False
    is_noun = verb.is_noun_too or word.folded in _NOUNS_LIKE_VERBS or (is_in_name and not verb.form)
    return verb.form == "s" or (verb.form != "ed" and not is_noun)


def _topic_text(words: Clause) -> str:
    *most, last = words
    name = _POSSESSIVE.sub("", last.written)
    if last.is_file and not _COMMON_FILES.search(name):
        name = name.rpartition("/")[2]
    return joined_words((*most, last._replace(written=name)))


def _unspaced_topics(clauses: Sequence[Clause], weights: WordWeights) -> Iterator[_Topic]:
    """Yield the runs of characters that come back, in scripts without spaces."""
    counts: dict[str, int] = {}
    for run in _unspaced_stretches(clauses):
        for length in RUN_CHARACTERS:
            for at in range(len(run) - length + 1):
                part = run[at : at + length]
                counts[part] = counts.get(part, 0) + 1
        if len(run) in RUN_CHARACTERS:  # between function words: as good as twice
            counts[run] += 1
    # A part that only comes up inside a longer run is a piece of a word.
    inner = {
        part
        for run, times in counts.items()
        for part in (run[1:], run[:-1])
        if counts.get(part, 0) <= times
    }
    for run, times in counts.items():
        if times >= LEAST_PAIR_TIMES and run not in inner:
            weight = sum(weights.by_word[character] for character in run) / len(run)
            yield _Topic(weight * (1 + 0.1 * len(run)), run, tuple(run))


def _unspaced_stretches(clauses: Sequence[Clause]) -> Iterator[str]:
    """Yield the stretches between function words, in scripts without spaces."""
    for clause in clauses:
        if any(word.is_unspaced for word in clause):
            yield from "".join(
                word.written if word.is_unspaced and not word.is_grammar else " " for word in clause
            ).split()


def _distinct_topics(ranked: Sequence[_Topic]) -> tuple[str, ...]:
    names: list[str] = []
    used: set[str] = set()
    numbers = [topic for topic in ranked if _ISSUE_NUMBER.fullmatch(topic.text)]
    ranked = [topic for topic in ranked if topic not in numbers[MOST_NUMBERS:]]
    least = _least_weight(ranked[0].weight) if ranked else 0.0
    for topic in ranked:
        stems = {_ENDING.sub("", word.lstrip("-")) for word in topic.words}
        if topic.weight > least and not stems & used:
            names.append(short_name(topic.text))
            used |= stems
        if len(names) == MOST_TOPICS:
            break
    return tuple(names)


def _least_weight(best: float) -> float:
    """Return the weight a topic needs, given that of the best one."""
    return min(TOPIC_WEIGHT, best / 2)

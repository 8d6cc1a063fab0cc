"""List the words and phrases that set a thread apart."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ai_smartness.describe.parse_message import Clause, ParsedLine
from ai_smartness.describe.title import short_name
from ai_smartness.describe.title_candidates import joined_words
from ai_smartness.describe.word_weights import WordWeights

__all__ = ["MOST_TOPICS", "thread_topics"]

MOST_TOPICS = 6
TOPIC_WEIGHT = 0.25  # a lighter word is no topic, unless the thread has nothing better
CODE_BONUS = 1.15
LEAST_PAIR_TIMES = 2  # two words side by side once are a coincidence
PAIR_COHESION = 0.3  # the share of the rarer word's uses in which the other stands beside it
PAIR_WEIGHT = 0.16
RUN_CHARACTERS = range(2, 7)  # words of Chinese and Japanese have 2 to 4 characters, names more

_ENDING = re.compile(r"(?<=\w{3})(?:e?s|ed|ing)$")


class _Topic(NamedTuple):
    weight: float
    text: str
    words: tuple[str, ...]


def thread_topics(lines: Sequence[ParsedLine], weights: WordWeights) -> tuple[str, ...]:
    """List at most six words and phrases: best first, else in their order."""
    clauses = [clause for line in lines for sent in line.sentences for clause in sent.clauses]
    topics = [
        *_word_topics(weights),
        *_pair_topics(clauses, weights),
        *_unspaced_topics(clauses, weights),
    ]
    return _distinct_topics(sorted(topics, key=lambda topic: -topic.weight))


def _word_topics(weights: WordWeights) -> Iterator[_Topic]:
    least = _least_weight(max(weights.by_word.values(), default=0.0))
    for folded, weight in weights.by_word.items():
        if weight * CODE_BONUS > least:
            word = weights.first_written[folded]
            if not word.is_unspaced and not word.is_slight:
                bonus = CODE_BONUS if word.is_code else 1.0
                yield _Topic(weight * bonus, word.written, (folded,))


def _pair_topics(clauses: Sequence[Clause], weights: WordWeights) -> Iterator[_Topic]:
    """Yield the pairs of words that repeatedly stand side by side."""
    by_word = weights.by_word
    heavy = {folded for folded, weight in by_word.items() if weight >= PAIR_WEIGHT}
    pairs: dict[tuple[str, str], int] = {}
    first_seen: dict[tuple[str, str], Clause] = {}
    singles: dict[str, int] = {}
    for clause in clauses:
        before = ""
        for at, word in enumerate(clause):
            if word.folded not in heavy or word.is_unspaced:
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
        if times >= LEAST_PAIR_TIMES and cohesion >= PAIR_COHESION and pair[0] != pair[1]:
            weight = (by_word[pair[0]] + by_word[pair[1]]) * (0.55 + 0.35 * cohesion)
            yield _Topic(weight, joined_words(first_seen[pair]), pair)


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

"""Summarize a thread by its most informative sentences, verbatim, in order, with speakers."""

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ai_smartness.describe.parse_message import ParsedLine, is_unspaced
from ai_smartness.describe.word_weights import WordWeights

__all__ = ["thread_summary"]

LEAST_SENTENCES, MOST_SENTENCES = 2, 5

SENTENCE_CHARACTERS = range(25, 321)  # shorter says nothing by itself, longer was pasted
UNSPACED_CHARACTERS = range(8, 161)  # the same for scripts that need fewer characters
USER_SENTENCE_FACTOR = 1.5
EDGE_FACTOR = 1.2  # for the opening and the outcome of a thread
FRAGMENT_FACTOR = 0.7  # for a line that does not end like a sentence: a list item, a label
LEAST_GAIN_SHARE = 0.25  # of the first sentence's gain: one that adds less is left out
STEADY_WORDS = 8  # added to a sentence's length, so that a short one does not win by being short

_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")


class _Candidate(NamedTuple):
    speaker: str
    text: str
    words: tuple[str, ...]
    factor: float


def thread_summary(lines: Sequence[ParsedLine], weights: WordWeights) -> str:
    """Return two to five sentences, one to a line, each after its speaker's name."""
    pool = list(_summary_candidates(lines))
    covered: set[str] = set()
    # A sentence only ever loses by the words covered before it, so an old gain is an upper bound.
    queue = [
        (-_information_gain(candidate, covered, weights), number)
        for number, candidate in enumerate(pool)
    ]
    heapq.heapify(queue)
    chosen: list[int] = []
    first = 0.0
    while queue and len(chosen) < MOST_SENTENCES:
        _, number = queue[0]
        gain = _information_gain(pool[number], covered, weights)
        if len(queue) > 1 and (-gain, number) > min(queue[1:3]):
            heapq.heapreplace(queue, (-gain, number))
            continue
        if len(chosen) >= LEAST_SENTENCES and gain < LEAST_GAIN_SHARE * first:
            break
        heapq.heappop(queue)
        first = first or gain
        chosen.append(number)
        covered.update(pool[number].words)
    return "\n".join(f"{pool[number].speaker}: {pool[number].text}" for number in sorted(chosen))


def _summary_candidates(lines: Sequence[ParsedLine]) -> Iterator[_Candidate]:
    seen: set[str] = set()
    for number, line in enumerate(lines):
        factor = 1.0 if line.by_agent else USER_SENTENCE_FACTOR
        if number == 0 or number >= len(lines) - 2:
            factor *= EDGE_FACTOR
        speaker = " ".join(line.speaker.split())
        for sentence in line.sentences:
            if _is_sentence(sentence.text) and sentence.text not in seen:
                seen.add(sentence.text)
                is_whole = sentence.text.endswith(_SENTENCE_ENDS)
                words = {word.folded: None for clause in sentence.clauses for word in clause}
                weight = factor if is_whole else factor * FRAGMENT_FACTOR
                yield _Candidate(speaker, sentence.text, tuple(words), weight)


def _is_sentence(text: str) -> bool:
    return not text.startswith("|") and (
        len(text) in SENTENCE_CHARACTERS or (len(text) in UNSPACED_CHARACTERS and is_unspaced(text))
    )


def _information_gain(candidate: _Candidate, covered: set[str], weights: WordWeights) -> float:
    by_word = weights.by_word
    new = sum(by_word[word] for word in candidate.words if word not in covered)
    return candidate.factor * new / math.sqrt(STEADY_WORDS + len(candidate.words))

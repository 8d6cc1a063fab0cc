"""Pick the sentences that carry most of a thread, verbatim, in order, with who said them."""

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ai_smartness.describe.parse_message import ParsedLine, is_unspaced
from ai_smartness.describe.word_weights import WordWeights

__all__ = ["LEAST_SENTENCES", "MOST_SENTENCES", "thread_summary"]

LEAST_SENTENCES, MOST_SENTENCES = 2, 5

SENTENCE_CHARACTERS = range(25, 321)
"""Shorter says nothing by itself, longer is no sentence but a paste."""

UNSPACED_CHARACTERS = range(8, 161)
"""The same for scripts that need fewer characters."""

USER_SENTENCE_FACTOR = 1.5
EDGE_FACTOR = 1.2
"""What a thread opened with and what it came to."""

FRAGMENT_FACTOR = 0.7
"""What is left of a line that does not end like a sentence: an item of a list, a label."""

LEAST_GAIN_SHARE = 0.25
"""A sentence that adds less than this share of the first one's is left out."""

STEADY_WORDS = 8
"""Added to a sentence's length, so that a short one does not win by being short."""

_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")  # noqa: RUF001 - full width on purpose


class _Candidate(NamedTuple):
    speaker: str
    text: str
    words: tuple[str, ...]
    factor: float


def thread_summary(readings: Sequence[ParsedLine], weights: WordWeights) -> str:
    """Return two to five sentences, one to a line, each after its speaker's name."""
    pool = list(_summary_candidates(readings))
    told: set[str] = set()
    # A sentence only ever loses by what was told before it, so an old value is an upper bound.
    queue = [(-_information_gain(said, told, weights), number) for number, said in enumerate(pool)]
    heapq.heapify(queue)
    chosen: list[int] = []
    first = 0.0
    while queue and len(chosen) < MOST_SENTENCES:
        _, number = queue[0]
        gain = _information_gain(pool[number], told, weights)
        if len(queue) > 1 and (-gain, number) > min(queue[1:3]):
            heapq.heapreplace(queue, (-gain, number))
            continue
        if len(chosen) >= LEAST_SENTENCES and gain < LEAST_GAIN_SHARE * first:
            break
        heapq.heappop(queue)
        first = first or gain
        chosen.append(number)
        told.update(pool[number].words)
    return "\n".join(f"{pool[number].speaker}: {pool[number].text}" for number in sorted(chosen))


def _summary_candidates(readings: Sequence[ParsedLine]) -> Iterator[_Candidate]:
    seen: set[str] = set()
    for number, reading in enumerate(readings):
        factor = 1.0 if reading.by_agent else USER_SENTENCE_FACTOR
        if number == 0 or number >= len(readings) - 2:
            factor *= EDGE_FACTOR
        speaker = " ".join(reading.speaker.split())
        for sentence in reading.sentences:
            if _is_sentence(sentence.text) and sentence.text not in seen:
                seen.add(sentence.text)
                whole = sentence.text.endswith(_SENTENCE_ENDS)
                yield _Candidate(
                    speaker,
                    sentence.text,
                    tuple({word.folded: None for c in sentence.clauses for word in c}),
                    factor if whole else factor * FRAGMENT_FACTOR,
                )


def _is_sentence(text: str) -> bool:
    return not text.startswith("|") and (
        len(text) in SENTENCE_CHARACTERS or (len(text) in UNSPACED_CHARACTERS and is_unspaced(text))
    )


def _information_gain(said: _Candidate, told: set[str], weights: WordWeights) -> float:
    of = weights.by_word
    new = sum(of[word] for word in said.words if word not in told)
    return said.factor * new / math.sqrt(STEADY_WORDS + len(said.words))

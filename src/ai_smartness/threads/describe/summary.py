"""Pick the sentences that carry most of a thread, verbatim, in order, with who said them."""

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ai_smartness.threads.describe.reading import Reading
from ai_smartness.threads.describe.weigh import Weights
from ai_smartness.threads.describe.word import is_unspaced

__all__ = ["LEAST", "MOST", "summed_up"]

LEAST, MOST = 2, 5

SENTENCE_CHARACTERS = range(25, 321)
"""Shorter says nothing by itself, longer is no sentence but a paste."""

UNSPACED_CHARACTERS = range(8, 161)
"""The same for scripts that need fewer characters."""

USER_SENTENCE = 1.5
EDGE = 1.2
"""What a thread opened with and what it came to."""

FRAGMENT = 0.7
"""What is left of a line that does not end like a sentence: an item of a list, a label."""

ENOUGH = 0.25
"""A sentence that adds less than this share of the first one's is left out."""

STEADY_WORDS = 8
"""Added to a sentence's length, so that a short one does not win by being short."""

_ENDS = (".", "!", "?", "。", "！", "？")  # noqa: RUF001 - full width on purpose


class _Said(NamedTuple):
    speaker: str
    text: str
    words: tuple[str, ...]
    factor: float


def summed_up(readings: Sequence[Reading], weights: Weights) -> str:
    """Return two to five sentences, one to a line, each after its speaker's name."""
    pool = list(_said(readings))
    told: set[str] = set()
    # A sentence only ever loses by what was told before it, so an old value is an upper bound.
    queue = [(-_gain(said, told, weights), number) for number, said in enumerate(pool)]
    heapq.heapify(queue)
    chosen: list[int] = []
    first = 0.0
    while queue and len(chosen) < MOST:
        _, number = queue[0]
        gain = _gain(pool[number], told, weights)
        if len(queue) > 1 and (-gain, number) > min(queue[1:3]):
            heapq.heapreplace(queue, (-gain, number))
            continue
        if len(chosen) >= LEAST and gain < ENOUGH * first:
            break
        heapq.heappop(queue)
        first = first or gain
        chosen.append(number)
        told.update(pool[number].words)
    return "\n".join(f"{pool[number].speaker}: {pool[number].text}" for number in sorted(chosen))


def _said(readings: Sequence[Reading]) -> Iterator[_Said]:
    seen: set[str] = set()
    for number, reading in enumerate(readings):
        factor = 1.0 if reading.by_agent else USER_SENTENCE
        if number == 0 or number >= len(readings) - 2:
            factor *= EDGE
        speaker = " ".join(reading.speaker.split())
        for sentence in reading.sentences:
            if _is_sentence(sentence.text) and sentence.text not in seen:
                seen.add(sentence.text)
                whole = sentence.text.endswith(_ENDS)
                yield _Said(
                    speaker,
                    sentence.text,
                    tuple({word.folded: None for c in sentence.clauses for word in c}),
                    factor if whole else factor * FRAGMENT,
                )


def _is_sentence(text: str) -> bool:
    return not text.startswith("|") and (
        len(text) in SENTENCE_CHARACTERS or (len(text) in UNSPACED_CHARACTERS and is_unspaced(text))
    )


def _gain(said: _Said, told: set[str], weights: Weights) -> float:
    of = weights.of
    new = sum(of[word] for word in said.words if word not in told)
    return said.factor * new / math.sqrt(STEADY_WORDS + len(said.words))

"""Find the runs of words in what was said that could name a thread.

A short clause is taken whole, without the small words at its ends. In a longer
one a run begins and ends where a phrase does, so that no noun loses its verb
or its other half.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from ai_smartness.threads.describe.reading import Clause, Reading, opened_by
from ai_smartness.threads.describe.weigh import Weights
from ai_smartness.threads.describe.word import Word

__all__ = ["SHORT_SPAN", "USER_SPAN", "Span", "joined", "spans", "worth"]

SPAN_WORDS = 8.0
"""Longer is a sentence, not a title."""

WHOLE_WORDS = 10.0
"""A clause of up to so many is taken whole: it reads better than a part of it."""

SHORT_SPAN = 3.0
"""Fewer words rarely tell a subject."""

HEADING = 8.0
"""A heading was written to be a title."""

HEADING_WITHIN = 4
"""In how many sentences a heading must come: a later one is of something pasted."""

HEADING_WORTH = 0.3
"""What a heading is worth at least: its words may be the ones that every thread has."""

ENOUGH_SPANS = 8
"""From so many on, an agent's words are not looked at for a title."""

USER_SPAN = 1.8
"""The person's own words make better titles than the agent's report."""

OPENING = 2.2
"""What a thread opened with is more often its subject than an aside."""

LATE = 0.03
"""Lost per word before it: people say first what they want, then why, and paste the rest."""

LATEST = 0.4

STEPPED_OVER = 3
"""How many small words may stand between a phrase and the verb before it."""

_LABEL = re.compile(r"[\w ]{2,12}:\s+")


class Span(NamedTuple):
    """A run of words as it would be written, and how well it would name the thread."""

    words: Clause
    worth: float
    heading: str = ""

    @property
    def text(self) -> str:
        """Write the run out."""
        return self.heading or joined(self.words)

    @property
    def size(self) -> float:
        """Measure the run in words."""
        return sum(word.size for word in self.words)


def spans(readings: Sequence[Reading], weights: Weights) -> list[Span]:
    """List the runs of words that could name a thread: best first, else as they were said."""
    found: list[Span] = []
    opening = opened_by(readings)
    for reading in readings:
        # Of a long thread the agent's reports are most of the words and hardly ever the title.
        if reading.by_agent and len(found) >= ENOUGH_SPANS:
            continue
        factor = 1.0 if reading.by_agent else USER_SPAN
        if reading is opening:
            factor *= OPENING
            found += _headings(reading, weights, factor * HEADING)
        found += _runs(reading, weights, factor)
    found.sort(key=lambda span: -span.worth)
    return found or _first_words(readings)


def worth(words: Sequence[Word], weights: Weights) -> float:
    """Measure what a title's words say, each once, at a price for each."""
    of, total = weights.of, 0.0
    for folded, word in {word.folded: word for word in words}.items():
        total += of.get(folded, 0.0) - word.cost
    return max(0.0, total)


def joined(words: Sequence[Word]) -> str:
    """Write words as they are read, without spaces where their script has none."""
    text = words[0].shown
    for before, word in pairwise(words):
        text += word.shown if before.is_unspaced and word.is_unspaced else " " + word.shown
    return text


def _first_words(readings: Sequence[Reading]) -> list[Span]:
    """Take the first sentence of a thread that says nothing anywhere."""
    said = (sentence for reading in readings for sentence in reading.sentences)
    return [Span(sentence.clauses[0], 0.0, sentence.text) for sentence in said if sentence.text][:1]


def _headings(reading: Reading, weights: Weights, factor: float) -> Iterator[Span]:
    """Take the heading a message begins with, without a label like `Plan:`."""
    first = reading.sentences[:HEADING_WITHIN]
    heading = next((sentence for sentence in first if sentence.is_heading), None)
    if heading is not None:
        words = tuple(word for clause in heading.clauses for word in clause)
        label = _LABEL.match(heading.text)
        text = heading.text[label.end() :] if label else heading.text
        yield Span(words, factor * max(HEADING_WORTH, worth(words, weights)), text)


def _runs(reading: Reading, weights: Weights, factor: float) -> Iterator[Span]:
    """Find the best run of each clause."""
    before = 0
    for sentence in reading.sentences:
        for clause in sentence.clauses:
            start, end = _run(clause, weights)
            words = clause[start:end]
            # A run that begins with an option was pasted from some command.
            if words and words[0].shown[0] != "-":
                value = factor * worth(words, weights)
                if value > 0.0:
                    short = min(1.0, sum([word.size for word in words]) / SHORT_SPAN)
                    early = max(LATEST, 1.0 - LATE * (before + start))
                    yield Span(words, value * short * early)
            before += len(clause)


def _run(clause: Clause, weights: Weights) -> tuple[int, int]:
    start, end = _trimmed(clause)
    if sum([word.size for word in clause[start:end]]) > WHOLE_WORDS:
        start, end = _best_run(clause, start, end, weights)
    negated = start < end and start > 0 and clause[start - 1].negates
    return start - negated, end


def _trimmed(clause: Clause) -> tuple[int, int]:
    """Leave out the small words at both ends."""
    start, end = 0, len(clause)
    while start < end and clause[start].is_grammar:
        start += 1
    while end > start and clause[end - 1].is_grammar:
        end -= 1
    return start, end


def _best_run(clause: Clause, first: int, last: int, weights: Weights) -> tuple[int, int]:
    """Find the run of phrases that says most, an early one before a late one."""
    phrases = _phrases(clause, first, last)
    sums = list(accumulate((weights.of[w.folded] - w.cost for w in clause), initial=0.0))
    sizes = list(accumulate((w.size for w in clause), initial=0.0))
    best, run = 0.0, (first, first)
    for number, (start, _) in enumerate(phrases):
        early = max(LATEST, 1.0 - LATE * (start - first))
        for _, end in phrases[number:]:
            if sizes[end] - sizes[start] > SPAN_WORDS:
                break
            value = (sums[end] - sums[start]) * early
            if value > best:
                best, run = value, (start, end)
    return _verb_before(phrases, sizes, *run), run[1]


def _phrases(clause: Clause, first: int, last: int) -> list[tuple[int, int]]:
    """List where the phrases between the small words begin and end; long ones word by word."""
    found: list[tuple[int, int]] = []
    start = first
    for at in range(first, last + 1):
        if at < last and not clause[at].is_grammar:
            continue
        if sum([word.size for word in clause[start:at]]) <= SPAN_WORDS:
            found += [(start, at)] if at > start else []
        else:
            found += [(word, word + 1) for word in range(start, at)]
        start = at + 1
    return found


def _verb_before(phrases: list[tuple[int, int]], sizes: list[float], start: int, end: int) -> int:
    """Step back over small words to the phrase before: `MSI package` is `Drop the MSI package`."""
    for before, after in reversed(phrases):
        if after <= start:
            fits = sizes[end] - sizes[before] <= WHOLE_WORDS
            return before if fits and start - after <= STEPPED_OVER else start
    return start

"""Find the runs of words in what was said that could name a thread.

A short clause is taken whole, without the small words at its ends. In a longer
one a run begins and ends where a phrase does, so that no noun loses its verb
or its other half.

Name a thread by the run of words that says most about it, and where in the code it is.

A title is made of what was said. It stays while a thread grows, unless another
says clearly more, and it is never one that another thread has.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from typing import NamedTuple

from ai_smartness.describe.parse_message import (
    Clause,
    ParsedLine,
    ThreadLine,
    Word,
    WordCache,
    opening_line,
    parse_line,
)
from ai_smartness.describe.word_weights import USER_LINE_WEIGHT, WordWeights

__all__ = [
    "SHORT_CANDIDATE_WORDS",
    "TITLE_CHARACTERS",
    "UNTITLED",
    "USER_FACTOR",
    "TitleCandidate",
    "joined_words",
    "short_name",
    "thread_title",
    "title_candidates",
    "words_worth",
]


CANDIDATE_WORDS = 8.0
"""Longer is a sentence, not a title."""

WHOLE_CLAUSE_WORDS = 10.0
"""A clause of up to so many is taken whole: it reads better than a part of it."""

SHORT_CANDIDATE_WORDS = 3.0
"""Fewer words rarely tell a subject."""

HEADING_FACTOR = 8.0
"""A heading was written to be a title."""

HEADING_WITHIN_SENTENCES = 4
"""In how many sentences a heading must come: a later one is of something pasted."""

LEAST_HEADING_WORTH = 0.3
"""What a heading is worth at least: its words may be the ones that every thread has."""

ENOUGH_CANDIDATES = 8
"""From so many on, an agent's words are not looked at for a title."""

USER_FACTOR = 1.8
"""The person's own words make better titles than the agent's report."""

OPENING_FACTOR = 2.2
"""What a thread opened with is more often its subject than an aside."""

LOST_PER_EARLIER_WORD = 0.03
"""Lost per word before it: people say first what they want, then why, and paste the rest."""

LEAST_EARLINESS = 0.4

MOST_STEPPED_OVER_WORDS = 3
"""How many small words may stand between a phrase and the verb before it."""

_LABEL = re.compile(r"[\w ]{2,12}:\s+")


class TitleCandidate(NamedTuple):
    """A run of words as it would be written, and how well it would name the thread."""

    words: Clause
    worth: float
    heading: str = ""

    @property
    def text(self) -> str:
        """Write the run out."""
        return self.heading or joined_words(self.words)

    @property
    def size(self) -> float:
        """Measure the run in words."""
        return sum(word.size for word in self.words)


def title_candidates(readings: Sequence[ParsedLine], weights: WordWeights) -> list[TitleCandidate]:
    """List the runs of words that could name a thread: best first, else as they were said."""
    found: list[TitleCandidate] = []
    opening = opening_line(readings)
    for reading in readings:
        # Of a long thread the agent's reports are most of the words and hardly ever the title.
        if reading.by_agent and len(found) >= ENOUGH_CANDIDATES:
            continue
        factor = 1.0 if reading.by_agent else USER_FACTOR
        if reading is opening:
            factor *= OPENING_FACTOR
            found += _heading_candidates(reading, weights, factor * HEADING_FACTOR)
        found += _clause_candidates(reading, weights, factor)
    found.sort(key=lambda span: -span.worth)
    return found or _fallback_candidate(readings)


def words_worth(words: Sequence[Word], weights: WordWeights) -> float:
    """Measure what a title's words say, each once, at a price for each."""
    of, total = weights.by_word, 0.0
    for folded, word in {word.folded: word for word in words}.items():
        total += of.get(folded, 0.0) - word.cost
    return max(0.0, total)


def joined_words(words: Sequence[Word]) -> str:
    """Write words as they are read, without spaces where their script has none."""
    text = words[0].written
    for before, word in pairwise(words):
        text += word.written if before.is_unspaced and word.is_unspaced else " " + word.written
    return text


def _fallback_candidate(readings: Sequence[ParsedLine]) -> list[TitleCandidate]:
    """Take the first sentence of a thread that says nothing anywhere."""
    said = (sentence for reading in readings for sentence in reading.sentences)
    return [
        TitleCandidate(sentence.clauses[0], 0.0, sentence.text)
        for sentence in said
        if sentence.text
    ][:1]


def _heading_candidates(
    reading: ParsedLine,
    weights: WordWeights,
    factor: float,
) -> Iterator[TitleCandidate]:
    """Take the heading a message begins with, without a label like `Plan:`."""
    first = reading.sentences[:HEADING_WITHIN_SENTENCES]
    heading = next((sentence for sentence in first if sentence.is_heading), None)
    if heading is not None:
        words = tuple(word for clause in heading.clauses for word in clause)
        label = _LABEL.match(heading.text)
        text = heading.text[label.end() :] if label else heading.text
        yield TitleCandidate(
            words,
            factor * max(LEAST_HEADING_WORTH, words_worth(words, weights)),
            text,
        )


def _clause_candidates(
    reading: ParsedLine,
    weights: WordWeights,
    factor: float,
) -> Iterator[TitleCandidate]:
    """Find the best run of each clause."""
    before = 0
    for sentence in reading.sentences:
        for clause in sentence.clauses:
            start, end = _clause_run(clause, weights)
            words = clause[start:end]
            # A run that begins with an option was pasted from some command.
            if words and words[0].written[0] != "-":
                value = factor * words_worth(words, weights)
                if value > 0.0:
                    short = min(1.0, sum([word.size for word in words]) / SHORT_CANDIDATE_WORDS)
                    early = max(LEAST_EARLINESS, 1.0 - LOST_PER_EARLIER_WORD * (before + start))
                    yield TitleCandidate(words, value * short * early)
            before += len(clause)


def _clause_run(clause: Clause, weights: WordWeights) -> tuple[int, int]:
    start, end = _trimmed_ends(clause)
    if sum([word.size for word in clause[start:end]]) > WHOLE_CLAUSE_WORDS:
        start, end = _best_run(clause, start, end, weights)
    negated = start < end and start > 0 and clause[start - 1].is_negation
    return start - negated, end


def _trimmed_ends(clause: Clause) -> tuple[int, int]:
    """Leave out the small words at both ends."""
    start, end = 0, len(clause)
    while start < end and clause[start].is_grammar:
        start += 1
    while end > start and clause[end - 1].is_grammar:
        end -= 1
    return start, end


def _best_run(clause: Clause, first: int, last: int, weights: WordWeights) -> tuple[int, int]:
    """Find the run of phrases that says most, an early one before a late one."""
    phrases = _phrase_bounds(clause, first, last)
    sums = list(accumulate((weights.by_word[w.folded] - w.cost for w in clause), initial=0.0))
    sizes = list(accumulate((w.size for w in clause), initial=0.0))
    best, run = 0.0, (first, first)
    for number, (start, _) in enumerate(phrases):
        early = max(LEAST_EARLINESS, 1.0 - LOST_PER_EARLIER_WORD * (start - first))
        for _, end in phrases[number:]:
            if sizes[end] - sizes[start] > CANDIDATE_WORDS:
                break
            value = (sums[end] - sums[start]) * early
            if value > best:
                best, run = value, (start, end)
    return _verb_before(phrases, sizes, *run), run[1]


def _phrase_bounds(clause: Clause, first: int, last: int) -> list[tuple[int, int]]:
    """List where the phrases between the small words begin and end; long ones word by word."""
    found: list[tuple[int, int]] = []
    start = first
    for at in range(first, last + 1):
        if at < last and not clause[at].is_grammar:
            continue
        if sum([word.size for word in clause[start:at]]) <= CANDIDATE_WORDS:
            found += [(start, at)] if at > start else []
        else:
            found += [(word, word + 1) for word in range(start, at)]
        start = at + 1
    return found


def _verb_before(phrases: list[tuple[int, int]], sizes: list[float], start: int, end: int) -> int:
    """Step back over small words to the phrase before: `MSI package` is `Drop the MSI package`."""
    for before, after in reversed(phrases):
        if after <= start:
            fits = sizes[end] - sizes[before] <= WHOLE_CLAUSE_WORDS
            return before if fits and start - after <= MOST_STEPPED_OVER_WORDS else start
    return start


UNTITLED = "untitled"
"""The name of a thread in which nothing was said."""

TITLE_CHARACTERS = 90
"""What fits on one line of a list; a mark that tells two titles apart may come on top."""

MARK_CHARACTERS = 25

FULL_TITLE_WORDS = 4.0
"""A shorter run of words is filled up with the best topics."""

TRIED_CANDIDATES = 8
"""How many runs of words are tried before a mark must tell a title from another's."""

CLEARLY_BETTER_FACTOR = 1.6
"""A title gives way only to one that says this much more, so that it stays recognisable."""

MAIN_FILE_WEIGHT = 0.45
"""A file that every thread touches (a changelog, the agent's rules) is not where one is."""

MAIN_FILE_MENTIONS = 3
MAIN_FILE_MESSAGES = 8
"""The file must come up in one message out of so many, a message of the person's counting more."""

MAIN_FILE_LEAD = 1.5
"""How much more often than the next one: a plan that names ten files is in none of them."""

NAME_CHARACTERS = 40

_WORD = re.compile(r"\w+")


def thread_title(
    readings: Sequence[ParsedLine],
    weights: WordWeights,
    topics: Sequence[str],
    former_title: str,
    taken_titles: Collection[str],
) -> str:
    """Return the title: the former one unless it is worn out, none that is taken."""
    found = title_candidates(readings, weights)
    if not found:
        return former_title or _distinct_title(UNTITLED, (), taken_titles)
    if former_title and not _is_worn_out(former_title, found, weights):
        return former_title
    thread = _TitleSource(readings, weights, topics)
    titles = (thread.title_from(span) for span in found[:TRIED_CANDIDATES])
    free = (title for title in titles if title == former_title or title not in taken_titles)
    return next(free, "") or _distinct_title(thread.title_from(found[0]), topics, taken_titles)


def short_name(name: str) -> str:
    """Shorten a long path to its last parts, and any other name to what fits."""
    for parts in (len(name), 2, 1):
        tail = "/".join(name.split("/")[-parts:])
        shown = tail if tail == name else f"…/{tail}"
        if len(shown) <= NAME_CHARACTERS:
            return shown
    return _cut_text(name, NAME_CHARACTERS)


def _is_worn_out(former: str, found: Sequence[TitleCandidate], weights: WordWeights) -> bool:
    """Say whether the best run of words names the thread clearly better than its former title.

    The former title is worth what the run it was made of is worth now. When
    that is no longer among the lines, its words are all there is to go by.
    """
    folded = former.casefold()
    parts = [
        span for span in found if span.words[-1].folded in folded and span.text.casefold() in folded
    ]
    if parts:
        now = max(parts, key=lambda span: len(span.words)).worth
    else:
        now = USER_FACTOR * words_worth(
            [*parse_line(ThreadLine("", former), WordCache()).words.values()],
            weights,
        )
    return found[0].worth > CLEARLY_BETTER_FACTOR * now


def _distinct_title(title: str, topics: Sequence[str], taken: Collection[str]) -> str:
    if title not in taken:
        return title
    folded = title.casefold()
    marks = (mark for mark in topics if len(mark) <= MARK_CHARACTERS)
    told = (f"{title} · {mark}" for mark in marks if mark.casefold() not in folded)
    numbered = (f"{title} ({number})" for number in count(2))
    return next((t for t in told if t not in taken), "") or next(
        t for t in numbered if t not in taken
    )


@dataclass(frozen=True, slots=True)
class _TitleSource:
    """What a title may draw on besides its run of words."""

    readings: Sequence[ParsedLine]
    weights: WordWeights
    topics: Sequence[str]

    def title_from(self, span: TitleCandidate) -> str:
        place = self.main_file({word.folded for word in span.words})
        text = _with_topics(span, self.topics, place)
        if place and not any("/" in word.written for word in span.words):
            longer = f"{text} {self.linking_word(span.words[-1])} {place}"
            text = longer if len(longer) <= TITLE_CHARACTERS else text
        if not span.words[0].is_code:
            text = text[:1].upper() + text[1:]
        return _cut_text(text, TITLE_CHARACTERS)

    def linking_word(self, last: Word) -> str:
        english = "the" in self.weights.first_written or "in" in self.weights.first_written
        return "in" if english and last.written.isascii() else "·"

    def main_file(self, said: set[str]) -> str:
        """Find the one file a thread is about, if there is one."""
        counts: dict[str, int] = {}
        for reading in self.readings:
            for folded, word in reading.words.items():
                if word.is_file:
                    weight = 1 if reading.by_agent else int(USER_LINE_WEIGHT)
                    counts[folded] = counts.get(folded, 0) + weight
        of = self.weights.by_word
        ranked = sorted(counts, key=lambda name: -counts[name] * of[name])
        needed = max(MAIN_FILE_MENTIONS, len(self.readings) / MAIN_FILE_MESSAGES)
        fit = [n for n in ranked[:1] if counts[n] >= needed and of[n] >= MAIN_FILE_WEIGHT]
        if not fit or fit[0] in said or _is_one_of_many(ranked, counts):
            return ""
        shown = short_name(self.weights.first_written[fit[0]].written)
        return "" if shown.endswith("…") else shown


def _is_one_of_many(ranked: Sequence[str], counts: dict[str, int]) -> bool:
    return len(ranked) > 1 and counts[ranked[0]] < MAIN_FILE_LEAD * counts[ranked[1]]


def _with_topics(span: TitleCandidate, topics: Sequence[str], place: str) -> str:
    """Add topics to a short run of words; with its place, three words are enough."""
    if span.size >= (SHORT_CANDIDATE_WORDS if place else FULL_TITLE_WORDS):
        return span.text
    more = [topic for topic in topics if topic != place and not _share_a_word(topic, span.text)]
    more = more[: 1 if place or span.size >= SHORT_CANDIDATE_WORDS else 2]
    return f"{span.text}: {', '.join(more)}" if more else span.text


def _share_a_word(one: str, other: str) -> bool:
    """Say whether two names share a word, in any of its endings."""
    return bool(_word_stems(one) & _word_stems(other))


def _word_stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.casefold())}


def _cut_text(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"

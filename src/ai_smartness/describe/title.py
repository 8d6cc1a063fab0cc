"""Title a thread with the run of words that says most about it, and the file it is about.

A title is made of words from the thread. It stays while the thread grows, unless another
title says clearly more, and it never equals another thread's title.

A short clause is a candidate as a whole, without the function words at its ends. In a longer
one a candidate begins and ends where a phrase does, so that no noun loses its verb.
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

__all__ = ["joined_words", "short_name", "thread_title"]

UNTITLED = "untitled"
TITLE_CHARACTERS = 90  # one line of a list; a suffix that tells two titles apart comes on top
SUFFIX_CHARACTERS = 25
NAME_CHARACTERS = 40
FULL_TITLE_WORDS = 4.0  # a shorter candidate is extended with the best topics
TRIED_CANDIDATES = 8  # before a suffix tells the title from another thread's
CLEARLY_BETTER_FACTOR = 1.6  # how much more a new title is worth: titles stay recognisable
MAIN_FILE_WEIGHT = 0.45  # a file that every thread touches (a changelog) weighs less
MAIN_FILE_MENTIONS = 3
MAIN_FILE_MESSAGES = 8  # it is named in one of so many; a user's message counts more
MAIN_FILE_LEAD = 1.5  # over the next file: a plan that names ten files is about none
CANDIDATE_WORDS = 8.0  # longer is a sentence, not a title
WHOLE_CLAUSE_WORDS = 10.0  # a clause up to this size is used whole: it reads better
SHORT_CANDIDATE_WORDS = 3.0  # fewer words rarely name a subject
HEADING_FACTOR = 8.0  # a heading was written to be a title
HEADING_WITHIN_SENTENCES = 4  # a heading further down belongs to something pasted
LEAST_HEADING_WORTH = 0.3  # a heading may consist of words that every thread has
ENOUGH_CANDIDATES = 8  # from this many on, an agent's messages are not searched for a title
USER_FACTOR = 1.8  # the user's own words make better titles than the agent's report
OPENING_FACTOR = 2.2  # the opening message names the subject more often than an aside does
LOST_PER_EARLIER_WORD = 0.03  # people say first what they want, then why, and paste the rest
LEAST_EARLINESS = 0.4
MOST_SKIPPED_WORDS = 3  # how many function words may stand between a phrase and the verb before it

_LABEL = re.compile(r"[\w ]{2,12}:\s+")
_WORD = re.compile(r"\w+")


class _Candidate(NamedTuple):
    """A run of words, and how well it would title the thread."""

    words: Clause
    worth: float
    heading: str = ""

    @property
    def text(self) -> str:
        return self.heading or joined_words(self.words)

    @property
    def size(self) -> float:
        return _word_size(self.words)


def thread_title(
    lines: Sequence[ParsedLine],
    weights: WordWeights,
    topics: Sequence[str],
    former_title: str,
    taken_titles: Collection[str],
) -> str:
    """Return the title: the former one unless it is worn out, and none that is taken."""
    candidates = _title_candidates(lines, weights)
    if not candidates:
        return former_title or _distinct_title(UNTITLED, (), taken_titles)
    if former_title and not _is_worn_out(former_title, candidates, weights):
        return former_title
    source = _TitleSource(lines, weights, topics)
    titles = (source.title_from(candidate) for candidate in candidates[:TRIED_CANDIDATES])
    free = (title for title in titles if title == former_title or title not in taken_titles)
    return next(free, "") or _distinct_title(source.title_from(candidates[0]), topics, taken_titles)


def short_name(name: str) -> str:
    """Shorten a long path to its last parts, and any other name to what fits."""
    for parts in (len(name), 2, 1):
        tail = "/".join(name.split("/")[-parts:])
        shortened = tail if tail == name else f"…/{tail}"
        if len(shortened) <= NAME_CHARACTERS:
            return shortened
    return _cut_text(name, NAME_CHARACTERS)


def joined_words(words: Sequence[Word]) -> str:
    """Join words with spaces, except in scripts that have none."""
    text = words[0].written
    for before, word in pairwise(words):
        text += word.written if before.is_unspaced and word.is_unspaced else " " + word.written
    return text


def _is_worn_out(former_title: str, candidates: Sequence[_Candidate], weights: WordWeights) -> bool:
    """Say whether the best candidate is clearly better than the former title.

    The former title is worth as much as the candidate it was made of. If that candidate
    is gone, its words alone are weighed.
    """
    folded = former_title.casefold()
    parts = [
        candidate
        for candidate in candidates
        if candidate.words[-1].folded in folded and candidate.text.casefold() in folded
    ]
    if parts:
        worth = max(parts, key=lambda candidate: len(candidate.words)).worth
    else:
        words = parse_line(ThreadLine("", former_title), WordCache()).words
        worth = USER_FACTOR * _words_worth([*words.values()], weights)
    return candidates[0].worth > CLEARLY_BETTER_FACTOR * worth


def _distinct_title(title: str, topics: Sequence[str], taken_titles: Collection[str]) -> str:
    if title not in taken_titles:
        return title
    folded = title.casefold()
    suffixes = (topic for topic in topics if len(topic) <= SUFFIX_CHARACTERS)
    suffixed = (f"{title} · {topic}" for topic in suffixes if topic.casefold() not in folded)
    numbered = (f"{title} ({number})" for number in count(2))
    return next((text for text in suffixed if text not in taken_titles), "") or next(
        text for text in numbered if text not in taken_titles
    )


@dataclass(frozen=True, slots=True)
class _TitleSource:
    """What a title may use besides its candidate."""

    lines: Sequence[ParsedLine]
    weights: WordWeights
    topics: Sequence[str]

    def title_from(self, candidate: _Candidate) -> str:
        file = self.main_file({word.folded for word in candidate.words})
        text = _with_topics(candidate, self.topics, file)
        if file and not any("/" in word.written for word in candidate.words):
            longer = f"{text} {self.linking_word(candidate.words[-1])} {file}"
            text = longer if len(longer) <= TITLE_CHARACTERS else text
        if not candidate.words[0].is_code:
            text = text[:1].upper() + text[1:]
        return _cut_text(text, TITLE_CHARACTERS)

    def linking_word(self, last: Word) -> str:
        known = self.weights.first_written
        is_english = "the" in known or "in" in known
        return "in" if is_english and last.written.isascii() else "·"

    def main_file(self, candidate_words: set[str]) -> str:
        """Find the one file a thread is about, if there is one."""
        counts: dict[str, int] = {}
        for line in self.lines:
            for folded, word in line.words.items():
                if word.is_file:
                    weight = 1 if line.by_agent else int(USER_LINE_WEIGHT)
                    counts[folded] = counts.get(folded, 0) + weight
        by_word = self.weights.by_word
        ranked = sorted(counts, key=lambda name: -counts[name] * by_word[name])
        least = max(MAIN_FILE_MENTIONS, len(self.lines) / MAIN_FILE_MESSAGES)
        if not ranked or counts[ranked[0]] < least or by_word[ranked[0]] < MAIN_FILE_WEIGHT:
            return ""
        one_of_many = len(ranked) > 1 and counts[ranked[0]] < MAIN_FILE_LEAD * counts[ranked[1]]
        if one_of_many or ranked[0] in candidate_words:
            return ""
        name = short_name(self.weights.first_written[ranked[0]].written)
        return "" if name.endswith("…") else name


def _with_topics(candidate: _Candidate, topics: Sequence[str], file: str) -> str:
    """Add topics to a short candidate; together with a file, three words are enough."""
    if candidate.size >= (SHORT_CANDIDATE_WORDS if file else FULL_TITLE_WORDS):
        return candidate.text
    stems = _word_stems(candidate.text)
    more = [topic for topic in topics if topic != file and not _word_stems(topic) & stems]
    more = more[: 1 if file or candidate.size >= SHORT_CANDIDATE_WORDS else 2]
    return f"{candidate.text}: {', '.join(more)}" if more else candidate.text


def _word_stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.casefold())}


def _cut_text(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _title_candidates(lines: Sequence[ParsedLine], weights: WordWeights) -> list[_Candidate]:
    """List the runs of words that could title a thread: best first, else in their order."""
    candidates: list[_Candidate] = []
    opening = opening_line(lines)
    for line in lines:
        # In a long thread the agent's reports are most of the words and hardly ever the title.
        if line.by_agent and len(candidates) >= ENOUGH_CANDIDATES:
            continue
        factor = 1.0 if line.by_agent else USER_FACTOR
        if line is opening:
            factor *= OPENING_FACTOR
            candidates += _heading_candidates(line, weights, factor * HEADING_FACTOR)
        candidates += _clause_candidates(line, weights, factor)
    candidates.sort(key=lambda candidate: -candidate.worth)
    if candidates:
        return candidates
    sentences = (sentence for line in lines for sentence in line.sentences if sentence.text)
    return [_Candidate(sentence.clauses[0], 0.0, sentence.text) for sentence in sentences][:1]


def _words_worth(words: Sequence[Word], weights: WordWeights) -> float:
    """Sum the weights of a title's distinct words, minus a cost for each."""
    by_word, total = weights.by_word, 0.0
    for folded, word in {word.folded: word for word in words}.items():
        total += by_word.get(folded, 0.0) - word.cost
    return max(0.0, total)


def _word_size(words: Sequence[Word]) -> float:
    return sum([word.size for word in words])


def _heading_candidates(
    line: ParsedLine, weights: WordWeights, factor: float
) -> Iterator[_Candidate]:
    """Yield the heading a message begins with, without a label like `Plan:`."""
    first = line.sentences[:HEADING_WITHIN_SENTENCES]
    heading = next((sentence for sentence in first if sentence.is_heading), None)
    if heading is not None:
        words = tuple(word for clause in heading.clauses for word in clause)
        label = _LABEL.match(heading.text)
        text = heading.text[label.end() :] if label else heading.text
        yield _Candidate(
            words, factor * max(LEAST_HEADING_WORTH, _words_worth(words, weights)), text
        )


def _clause_candidates(
    line: ParsedLine, weights: WordWeights, factor: float
) -> Iterator[_Candidate]:
    """Yield the best run of words in each clause."""
    before = 0
    for sentence in line.sentences:
        for clause in sentence.clauses:
            start, end = _clause_run(clause, weights)
            words = clause[start:end]
            # A run that begins with an option was pasted from some command.
            if words and words[0].written[0] != "-":
                value = factor * _words_worth(words, weights)
                if value > 0.0:
                    shortness = min(1.0, _word_size(words) / SHORT_CANDIDATE_WORDS)
                    yield _Candidate(words, value * shortness * _earliness(before + start))
            before += len(clause)


def _earliness(words_before: int) -> float:
    return max(LEAST_EARLINESS, 1.0 - LOST_PER_EARLIER_WORD * words_before)


def _clause_run(clause: Clause, weights: WordWeights) -> tuple[int, int]:
    """Return where the best run begins and ends, without function words at its ends."""
    start, end = 0, len(clause)
    while start < end and clause[start].is_grammar:
        start += 1
    while end > start and clause[end - 1].is_grammar:
        end -= 1
    if _word_size(clause[start:end]) > WHOLE_CLAUSE_WORDS:
        start, end = _best_run(clause, start, end, weights)
    is_negated = start < end and start > 0 and clause[start - 1].is_negation
    return start - is_negated, end


def _best_run(clause: Clause, first: int, last: int, weights: WordWeights) -> tuple[int, int]:
    """Find the run of phrases that says most; an early one wins over a late one."""
    phrases = _phrase_bounds(clause, first, last)
    sums = list(accumulate((weights.by_word[w.folded] - w.cost for w in clause), initial=0.0))
    sizes = list(accumulate((w.size for w in clause), initial=0.0))
    best, run = 0.0, (first, first)
    for number, (start, _) in enumerate(phrases):
        early = _earliness(start - first)
        for _, end in phrases[number:]:
            if sizes[end] - sizes[start] > CANDIDATE_WORDS:
                break
            value = (sums[end] - sums[start]) * early
            if value > best:
                best, run = value, (start, end)
    return _verb_before(phrases, sizes, *run), run[1]


def _phrase_bounds(clause: Clause, first: int, last: int) -> list[tuple[int, int]]:
    """List where the phrases between function words begin and end; long ones word by word."""
    bounds: list[tuple[int, int]] = []
    start = first
    for at in range(first, last + 1):
        if at < last and not clause[at].is_grammar:
            continue
        if _word_size(clause[start:at]) <= CANDIDATE_WORDS:
            bounds += [(start, at)] if at > start else []
        else:
            bounds += [(word, word + 1) for word in range(start, at)]
        start = at + 1
    return bounds


def _verb_before(phrases: list[tuple[int, int]], sizes: list[float], start: int, end: int) -> int:
    """Step back over function words to the phrase before: `MSI package` gets its `Drop the`."""
    for before, after in reversed(phrases):
        if after <= start:
            fits = sizes[end] - sizes[before] <= WHOLE_CLAUSE_WORDS
            return before if fits and start - after <= MOST_SKIPPED_WORDS else start
    return start

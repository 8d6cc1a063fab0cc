"""Title a thread with the noun phrase that says most about it, and the file it is about.

A title names the subject of the thread in words from it: the object of a request without its
verb, a heading, or the subject of the agent's answer if the user named none. It stays while
the thread grows, unless another title says clearly more, and it never equals another
thread's title.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count

from ai_smartness.describe.clause_parts import is_content_word
from ai_smartness.describe.parse_message import ParsedLine, ThreadLine, Word, WordCache, parse_line
from ai_smartness.describe.phrase_form import is_well_formed
from ai_smartness.describe.request_words import (
    DETERMINERS,
    ERRAND_WORDS,
    PROCESS_NOUNS,
    WEAK_HEADS,
)
from ai_smartness.describe.title_candidates import (
    USER_FACTOR,
    TitleCandidate,
    title_candidates,
    words_worth,
)
from ai_smartness.describe.title_sources import (
    SHORT_CANDIDATE_WORDS,
    first_issue_numbers,
    main_issue_numbers,
    names_subject,
)
from ai_smartness.describe.word_weights import USER_LINE_WEIGHT, WordWeights

__all__ = ["short_name", "thread_title"]

UNTITLED = "untitled"
TITLE_CHARACTERS = 90  # one line of a list; a suffix that tells two titles apart comes on top
SUFFIX_CHARACTERS = 25
NAME_CHARACTERS = 40
TITLE_WORDS = 8.0
TRIED_CANDIDATES = 8  # before a suffix tells the title from another thread's
CLEARLY_BETTER_FACTOR = 1.4  # how much more a new title is worth: titles stay recognisable
MAIN_FILE_WEIGHT = 0.45  # a file that every thread touches (a changelog) weighs less
MAIN_FILE_MENTIONS = 3
MAIN_FILE_MESSAGES = 8  # it is named in one of so many; a user's message counts more
MAIN_FILE_LEAD = 1.5  # over the next file: a plan that names ten files is about none
MOST_EXTENDED_WORDS = 8
LEAST_EXTENSION_SHARE = 0.015  # of a short title's worth, for the phrase that extends it
LONE_PARTNER_SHARE = 0.25  # of a short title's worth, for a longer phrase that takes its place

MOST_COMMON_THREADS = 4  # a title that only has words of more threads than these tells nothing
ACRONYM_CHARACTERS = range(2, 6)

_IDLE = ERRAND_WORDS | WEAK_HEADS
_WORD = re.compile(r"\w+")
_COMMIT_TYPE = re.compile(r"^(?:feat|fix|chore|refactor|docs)[/:](?=\w)", re.IGNORECASE)
_ENGLISH = frozenset(("the", "this", "of", "with", "to", "is", "and", "for"))


def thread_title(
    lines: Sequence[ParsedLine],
    weights: WordWeights,
    topics: Sequence[str],
    former_title: str,
    taken_titles: Collection[str],
) -> str:
    """Return the title: the former one unless it is worn out, and none that is taken."""
    candidates = title_candidates(lines, weights)
    if not candidates:
        return former_title or _distinct_title(UNTITLED, (), taken_titles)
    if former_title and not _is_worn_out(former_title, candidates, weights):
        return former_title
    source = _TitleSource(lines, weights, candidates, topics)
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


def _is_worn_out(
    former_title: str, candidates: Sequence[TitleCandidate], weights: WordWeights
) -> bool:
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
        line = parse_line(ThreadLine("", former_title), WordCache())
        if not names_subject(line):
            return candidates[0].worth > 0.0
        words = line.words
        worth = USER_FACTOR * words_worth([*words.values()], weights)
    is_short = len(former_title.split()) < SHORT_CANDIDATE_WORDS
    return candidates[0].worth > worth * (1.0 if is_short else CLEARLY_BETTER_FACTOR)


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
    candidates: Sequence[TitleCandidate]
    topics: Sequence[str]

    def title_from(self, candidate: TitleCandidate) -> str:
        candidate = _with_short_names(_polished_candidate(candidate, self.lines))
        file = self.main_file({word.folded for word in candidate.words})
        text = self.lengthened_text(candidate) if not file else candidate.text
        is_short = len(candidate.words) <= SHORT_CANDIDATE_WORDS
        if file and is_short and not any("/" in word.written for word in candidate.words):
            longer = f"{text} {self.linking_word(candidate.words[-1])} {file}"
            fits = len(longer) <= TITLE_CHARACTERS and len(longer.split()) <= TITLE_WORDS
            text = longer if fits else text
        if text.split()[0] not in {word.written for word in candidate.words if word.is_code}:
            text = text[:1].upper() + text[1:]
        suffix = "" if candidate.sentence else self.issue_suffix()
        if not suffix and text.casefold() == candidate.text.casefold():
            suffix = self.telling_suffix(candidate)
        return _cut_text(text, TITLE_CHARACTERS) + suffix

    def lengthened_text(self, candidate: TitleCandidate) -> str:
        """Return the text with what the thread is about besides, if it says too little."""
        if candidate.is_heading or candidate.sentence or candidate.words[0].is_unspaced:
            return candidate.text
        is_short = len(candidate.words) < SHORT_CANDIDATE_WORDS
        folded = {word.folded for word in candidate.words}
        least = LEAST_EXTENSION_SHARE * candidate.worth
        good = (other for other in self.candidates if other.worth >= least)
        longer = (other for other in good if _extends(other, folded))
        extended = next(longer, None) if is_short else None
        if extended is not None:
            return _polished_candidate(extended, self.lines).text
        return self.with_partner(candidate) if is_short else candidate.text

    def with_partner(self, candidate: TitleCandidate) -> str:
        """Join a title of one or two words with another phrase of the same sentence."""
        stems = _word_stems(candidate.text)
        for other in self.candidates:
            fits = len(candidate.words) + len(other.words) < TITLE_WORDS
            is_near = other.origin is not None and other.origin is candidate.origin
            fits = fits and is_near and is_well_formed(other.words) and _can_join(other.words)
            is_long = len(other.words) > SHORT_CANDIDATE_WORDS
            if fits and is_long and other.worth >= LONE_PARTNER_SHARE * candidate.worth:
                return other.text  # "transition too strong", not "small segments and …"
            if fits and not stems & _word_stems(other.text):
                if other.link and is_well_formed(candidate.words):
                    return f"{candidate.text} {other.link} {other.text}"
                first, second = sorted((candidate, other), key=lambda part: part.start)
                joint = "and" if self.linking_word(candidate.words[-1]) == "in" else "·"
                joint = second.link or joint
                return f"{first.text} {joint} {second.text}"
        return candidate.text

    def issue_suffix(self) -> str:
        """Return the number of the one issue that the opening names, or an errand leads to."""
        numbers = first_issue_numbers(self.lines) or main_issue_numbers(self.lines)
        return f" (#{numbers[0]})" if len(numbers) == 1 else ""

    def telling_suffix(self, candidate: TitleCandidate) -> str:
        """Return a rare topic for a title of one or two words that many threads have."""
        is_whole = candidate.is_heading or bool(candidate.sentence)
        if is_whole or len(candidate.words) >= SHORT_CANDIDATE_WORDS:
            return ""
        if not all(self.is_common(word.folded) for word in candidate.words):
            return ""
        stems = _word_stems(candidate.text)
        short = (topic for topic in self.topics if len(topic) <= SUFFIX_CHARACTERS)
        new = (topic for topic in short if not stems & _word_stems(topic) and _is_name(topic))
        rare = (topic for topic in new if not all(map(self.is_common, topic.casefold().split())))
        return next((f" · {topic}" for topic in rare if topic[0] != "#"), "")

    def is_common(self, folded: str) -> bool:
        return self.weights.thread_counts.get(folded, 0) > MOST_COMMON_THREADS

    def linking_word(self, last: Word) -> str:
        known = self.weights.first_written
        is_english = not _ENGLISH.isdisjoint(known)
        return "in" if is_english and last.folded.isascii() else "·"

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


def _polished_candidate(candidate: TitleCandidate, lines: Sequence[ParsedLine]) -> TitleCandidate:
    """Write acronyms as the thread does; leave out doubled words and the path at the end."""
    words = [_spelled_acronym(word, lines) for word in candidate.words]
    if _COMMIT_TYPE.match(words[0].written):
        name = _COMMIT_TYPE.sub("", words[0].written)
        words[0] = words[0]._replace(written=name, folded=name.casefold(), is_code=False)
    kept: list[Word] = []
    for word in words:
        while kept and _says_again(word, kept[-1]):  # and its article
            kept.pop()
            kept = kept[:-1] if kept and kept[-1].folded in DETERMINERS else kept
        kept.append(word)
    if len(kept) > SHORT_CANDIDATE_WORDS + 1 and _is_path(kept[-1]):
        is_named = _is_place(kept[-2]) or is_content_word(kept[-2])
        kept = kept[: -1 - _is_place(kept[-2])] if is_named else kept
    return candidate._replace(words=tuple(kept))


def _spelled_acronym(word: Word, lines: Sequence[ParsedLine]) -> Word:
    """Return a word in capitals if most messages write it so."""
    is_long = len(word.folded) not in ACRONYM_CHARACTERS
    if is_long or word.is_code or word.is_grammar or not word.written.isalpha():
        return word
    written = [line.words[word.folded].written for line in lines if word.folded in line.words]
    capitals = [text for text in written if text.isupper()]
    return word._replace(written=capitals[0]) if 2 * len(capitals) > len(written) else word


def _says_again(word: Word, before: Word) -> bool:
    """Say whether a word has the word before it in it: "release release/2.0"."""
    if word.is_unspaced:
        return False
    return word.folded == before.folded or word.written.casefold().startswith(f"{before.folded}/")


def _is_path(word: Word) -> bool:
    return word.is_file and "/" in word.written


def _is_place(word: Word) -> bool:
    return word.folded in ("in", "at", "from", "of", "under")


def _with_short_names(candidate: TitleCandidate) -> TitleCandidate:
    """Shorten the paths in a title."""
    words = (
        word._replace(written=short_name(word.written)) if "/" in word.written else word
        for word in candidate.words
    )
    return candidate._replace(words=tuple(words))


def _extends(candidate: TitleCandidate, folded: set[str]) -> bool:
    """Say whether a phrase has these words and a few more."""
    is_longer = SHORT_CANDIDATE_WORDS <= len(candidate.words) <= MOST_EXTENDED_WORDS
    has_words = folded <= {word.folded for word in candidate.words}
    return is_longer and has_words and is_well_formed(candidate.words)


def _can_join(words: Sequence[Word]) -> bool:
    """Say whether a phrase says enough to stand beside another: two words, or a name."""
    if words[0].is_slight or words[0].folded in DETERMINERS or words[0].written[0].isdigit():
        return False
    if words[-1].folded in PROCESS_NOUNS:
        return False
    return len(words) > 1 or words[0].is_code or words[0].written[:1].isupper()


def _is_name(topic: str) -> bool:
    """Say whether a topic names something beside a title: two words, or one with capitals."""
    is_plain = topic.islower() and topic.isalpha()
    return not is_plain and topic.casefold() not in _IDLE


def _word_stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.casefold())}


def _cut_text(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"

"""Look a second time at what was found, at where each message stands.

What a person said tells more than what an agent answered; a line next to a good
one, and a session with several, are likelier meant; of two alike, the later.
Each shifts the order by a small, bounded amount.

Of two messages that say the same of what is asked, the later goes first.

"The limit is 50" and, weeks later, "the limit is 80 now" both answer; only one is
true. A person's message rises to right above an older one among the first few,
when both speak of the question in much the same words, the more so with another
number. The words tell it; the meaning of whole messages does not. How it was
found, and what it costs: docs/recall.md.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.search import EventPosition, SearchMatch
from ai_smartness.text.identifiers import search_subwords

__all__ = ["newest_first", "reranked_matches"]


PERSON_SHARE = 0.2
"""What a person's line gains. These four were chosen over five sets of conversations at once."""

NEIGHBOUR_SHARE = 0.2
"""What a person's line gains from the better of its neighbours: an answer names the thing."""

SESSION_SHARE = 0.1
"""What the lines of the session that was found most gain."""

RECENT_SHARE = 0.1
RECENT_HALF_LIFE_DAYS = 14
"""What a line of this moment gains, half of it two weeks later."""

_MAX_SCORE = (1 + NEIGHBOUR_SHARE + SESSION_SHARE) * (1 + PERSON_SHARE) * (1 + RECENT_SHARE)


def reranked_matches(
    found: Sequence[SearchMatch], standing: Mapping[int, EventPosition], now: datetime
) -> list[SearchMatch]:
    """Return what was found in its new order, with scores of at most 1."""
    best = max((match.score for match in found), default=0.0) or 1.0
    scores = {match.seq: match.score / best for match in found}
    beside = _neighbour_scores(scores, standing)
    sessions = _session_scores(scores, standing)
    again = [
        SearchMatch(
            seq, _reranked_score(score, standing[seq], beside[seq], sessions, now) / _MAX_SCORE
        )
        for seq, score in scores.items()
    ]
    return sorted(again, key=lambda match: (-match.score, match.seq))


def _reranked_score(
    score: float,
    stands: EventPosition,
    beside: float,
    sessions: Mapping[tuple[str, str | None], float],
    now: datetime,
) -> float:
    person = stands.role.casefold() not in ANSWERING_ROLES
    total = score + SESSION_SHARE * sessions[stands.project, stands.session]
    if person:
        total = (total + NEIGHBOUR_SHARE * beside) * (1 + PERSON_SHARE)
    # In whole days: the same question asked twice in a row gets the same answer to the letter.
    age_days = max(now - stands.at, timedelta(0)).days
    return float(total * (1 + RECENT_SHARE * 0.5 ** (age_days / RECENT_HALF_LIFE_DAYS)))


def _neighbour_scores(
    scores: Mapping[int, float], standing: Mapping[int, EventPosition]
) -> dict[int, float]:
    """Return for each event the score of the better of those found right beside it."""
    beside: dict[int, float] = dict.fromkeys(scores, 0.0)
    for seq in scores:
        previous = standing[seq].previous
        if previous is not None and previous in scores:
            beside[seq] = max(beside[seq], scores[previous])
            beside[previous] = max(beside[previous], scores[seq])
    return beside


def _session_scores(
    scores: Mapping[int, float], standing: Mapping[int, EventPosition]
) -> dict[tuple[str, str | None], float]:
    """Return for each session how much of it was found, 1 for the one found most."""
    sums: dict[tuple[str, str | None], float] = defaultdict(float)
    for seq, score in scores.items():
        sums[standing[seq].project, standing[seq].session] += score
    most = max(sums.values(), default=0.0) or 1.0
    return {session: total / most for session, total in sums.items()}


SUPERSEDING_HITS = 12
"""From how far down a later message is taken."""

SUPERSEDED_HITS = 3
"""The older one is among these first; below them the order matters little."""

RARITY_MESSAGES = 100
RARITY_CHARACTERS = 500
"""Messages, and how much of each, by which it is told how rare a word is among what was found."""

MAX_READ_CHARACTERS = 2_000
SPAN_WORDS = 32
"""A longer sentence is read in overlapping spans."""

STEM_CHARACTERS = 5
"""Of a word, what is compared: its ending is grammar."""

MIN_SIMILARITY = 0.425
NUMBER_BONUS = 0.15
"""How alike two spans must be, and what it adds when each has a number the other has not."""

MIN_SCORE_SHARE = 0.5
"""Of the older one's score, what the later must have."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")  # noqa: RUF001 - full width
_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")


class _Span(NamedTuple):
    """A sentence, or part of one: its words, those of the question in it, what they weigh."""

    words: frozenset[str]
    query_words: frozenset[str]
    weight: float


def newest_first(
    query: str,
    found: Sequence[SearchMatch],
    standing: Mapping[int, EventPosition],
    texts: Callable[[Sequence[int]], Mapping[int, str]],
) -> list[SearchMatch]:
    """Return what was found, best first, with later statements above those they supersede."""
    head = found[:SUPERSEDING_HITS]
    pairs = list(_older_newer_pairs(head, standing))
    if not pairs:
        return list(found)
    said = texts([match.seq for match in found[:RARITY_MESSAGES]])
    linked = _superseded_seqs(query, pairs, standing, said)
    if not linked:
        return list(found)
    scores = {match.seq: match.score for match in head}
    for newer in sorted(linked):
        scores[newer] = max([scores[newer], *(scores[older] for older in linked[newer])])
    moved = sorted(scores.items(), key=lambda each: (-each[1], -each[0]))
    return [*(SearchMatch(seq, score) for seq, score in moved), *found[SUPERSEDING_HITS:]]


def _older_newer_pairs(
    head: Sequence[SearchMatch], standing: Mapping[int, EventPosition]
) -> Iterator[tuple[int, int]]:
    """Yield the older and the newer of two people's messages that could change places."""
    people = [m for m in head if standing[m.seq].role.casefold() not in ANSWERING_ROLES]
    first = {match.seq for match in head[:SUPERSEDED_HITS]}
    for old in people:
        for new in people:
            later = old.seq in first and old.seq < new.seq
            near = MIN_SCORE_SHARE * old.score <= new.score < old.score
            if later and near and standing[new.seq].previous != old.seq:
                yield old.seq, new.seq


def _superseded_seqs(
    query: str,
    pairs: Sequence[tuple[int, int]],
    standing: Mapping[int, EventPosition],
    said: Mapping[int, str],
) -> dict[int, list[int]]:
    """Name for each message that supersedes others which those are."""
    rarity = _WordRarity(said.values())
    asked = frozenset(_stemmed_words(query))
    total = rarity.total_weight(asked)
    spans = {
        seq: [
            _Span(words, words & asked, rarity.total_weight(words))
            for words in _word_spans(said[seq])
        ]
        for seq in {seq for pair in pairs for seq in pair}
    }
    linked: dict[int, list[int]] = {}
    for old, new in pairs:
        alike, other = _span_similarity(spans[old], spans[new], total, rarity)
        # Within one session what is said again is mostly talk that goes on.
        apart = other or standing[old].session != standing[new].session
        if apart and alike + NUMBER_BONUS * other >= MIN_SIMILARITY:
            linked.setdefault(new, []).append(old)
    return linked


def _span_similarity(
    old: Sequence[_Span], new: Sequence[_Span], total: float, rarity: "_WordRarity"
) -> tuple[float, bool]:
    """Measure how alike two messages speak of the question, and whether with other numbers."""
    about = max(
        old,
        key=lambda span: (rarity.total_weight(span.query_words), -len(span.words)),
        default=None,
    )
    if about is None or not about.query_words or not total:
        return 0.0, False
    best, alike, other = 0.0, 0.0, False
    for span in new:
        shared = rarity.total_weight(about.query_words & span.query_words) / total
        if not shared:
            continue
        same = 2 * rarity.total_weight(about.words & span.words) / (about.weight + span.weight)
        if same + shared > best:
            best, alike = same + shared, math.sqrt(same * shared)
            other = _has_number(about.words - span.words) and _has_number(span.words - about.words)
    return alike, other


class _WordRarity:
    """How much each word tells among what was found."""

    def __init__(self, texts: Iterable[str]) -> None:
        counted = [frozenset(_stemmed_words(text[:RARITY_CHARACTERS])) for text in texts]
        self._text_count = len(counted)
        self._counts = Counter(word for words in counted for word in words)
        self._weights: dict[str, float] = {}

    def total_weight(self, words: Iterable[str]) -> float:
        """Sum up what words tell."""
        return sum(self._word_weight(word) for word in words)

    def _word_weight(self, word: str) -> float:
        if word not in self._weights:
            count = self._counts[word]
            self._weights[word] = math.log(1 + (self._text_count - count + 0.5) / (count + 0.5))
        return self._weights[word]


def _word_spans(text: str) -> Iterator[frozenset[str]]:
    for sentence in _SENTENCE.split(text[:MAX_READ_CHARACTERS]):
        words = _stemmed_words(sentence)
        for start in range(0, len(words), SPAN_WORDS // 2):
            yield frozenset(words[start : start + SPAN_WORDS])
            if start + SPAN_WORDS >= len(words):
                break


def _stemmed_words(text: str) -> list[str]:
    """Return the words of a text without their endings; of unspaced scripts, pairs of letters."""
    found = _WORD.findall(text.lower())
    if text.isascii():
        return [_word_stem(word) for word in found]
    return [
        part
        for word in found
        for part in (search_subwords(word).split() if not word.isascii() else ())
        or (_word_stem(word),)
    ]


def _word_stem(word: str) -> str:
    return word if _DIGIT.search(word) else word[:STEM_CHARACTERS]


def _has_number(words: Iterable[str]) -> bool:
    return any(_DIGIT.search(word) for word in words)

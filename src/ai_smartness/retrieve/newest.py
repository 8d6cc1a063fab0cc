"""Of two messages that say the same of what is asked, the later goes first.

"The limit is 50" and, weeks later, "the limit is 80 now" both answer; only one is
true. A person's message rises to right above an older one among the first few,
when both speak of the question in much the same words, the more so with another
number. The words tell it; the meaning of whole messages does not. How it was
found, and what it costs: docs/recall.md.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.found import Match, Standing
from ai_smartness.model.subwords import subwords

__all__ = ["newest_first"]

LOOKED_AT = 12
"""From how far down a later message is taken."""

ANSWERS = 3
"""The older one is among these first; below them the order matters little."""

COUNTED = 100
COUNTED_CHARACTERS = 500
"""Messages, and how much of each, by which it is told how rare a word is among what was found."""

READ_CHARACTERS = 2_000
SPAN_WORDS = 32
"""A longer sentence is read in overlapping spans."""

STEM_CHARACTERS = 5
"""Of a word, what is compared: its ending is grammar."""

LEAST_ALIKE = 0.425
OTHER_NUMBER = 0.15
"""How alike two spans must be, and what it adds when each has a number the other has not."""

LEAST_SHARE = 0.5
"""Of the older one's score, what the later must have."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")  # noqa: RUF001 - full width
_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")


class _Span(NamedTuple):
    """A sentence, or part of one: its words, those of the question in it, what they weigh."""

    words: frozenset[str]
    asked: frozenset[str]
    weight: float


def newest_first(
    query: str,
    found: Sequence[Match],
    standing: Mapping[int, Standing],
    texts: Callable[[Sequence[int]], Mapping[int, str]],
) -> list[Match]:
    """Return what was found, best first, with later statements above those they supersede."""
    head = found[:LOOKED_AT]
    pairs = list(_pairs(head, standing))
    if not pairs:
        return list(found)
    said = texts([match.seq for match in found[:COUNTED]])
    linked = _linked(query, pairs, standing, said)
    if not linked:
        return list(found)
    scores = {match.seq: match.score for match in head}
    for newer in sorted(linked):
        scores[newer] = max([scores[newer], *(scores[older] for older in linked[newer])])
    moved = sorted(scores.items(), key=lambda each: (-each[1], -each[0]))
    return [*(Match(seq, score) for seq, score in moved), *found[LOOKED_AT:]]


def _pairs(head: Sequence[Match], standing: Mapping[int, Standing]) -> Iterator[tuple[int, int]]:
    """Yield the older and the newer of two people's messages that could change places."""
    people = [m for m in head if standing[m.seq].role.casefold() not in ANSWERING_ROLES]
    first = {match.seq for match in head[:ANSWERS]}
    for old in people:
        for new in people:
            later = old.seq in first and old.seq < new.seq
            near = LEAST_SHARE * old.score <= new.score < old.score
            if later and near and standing[new.seq].previous != old.seq:
                yield old.seq, new.seq


def _linked(
    query: str,
    pairs: Sequence[tuple[int, int]],
    standing: Mapping[int, Standing],
    said: Mapping[int, str],
) -> dict[int, list[int]]:
    """Name for each message that supersedes others which those are."""
    rarity = _Rarity(said.values())
    asked = frozenset(_words(query))
    total = rarity.of(asked)
    spans = {
        seq: [_Span(words, words & asked, rarity.of(words)) for words in _spans(said[seq])]
        for seq in {seq for pair in pairs for seq in pair}
    }
    linked: dict[int, list[int]] = {}
    for old, new in pairs:
        alike, other = _alike(spans[old], spans[new], total, rarity)
        # Within one session what is said again is mostly talk that goes on.
        apart = other or standing[old].session != standing[new].session
        if apart and alike + OTHER_NUMBER * other >= LEAST_ALIKE:
            linked.setdefault(new, []).append(old)
    return linked


def _alike(
    old: Sequence[_Span], new: Sequence[_Span], total: float, rarity: "_Rarity"
) -> tuple[float, bool]:
    """Measure how alike two messages speak of the question, and whether with other numbers."""
    about = max(old, key=lambda span: (rarity.of(span.asked), -len(span.words)), default=None)
    if about is None or not about.asked or not total:
        return 0.0, False
    best, alike, other = 0.0, 0.0, False
    for span in new:
        shared = rarity.of(about.asked & span.asked) / total
        if not shared:
            continue
        same = 2 * rarity.of(about.words & span.words) / (about.weight + span.weight)
        if same + shared > best:
            best, alike = same + shared, math.sqrt(same * shared)
            other = _has_number(about.words - span.words) and _has_number(span.words - about.words)
    return alike, other


class _Rarity:
    """How much each word tells among what was found."""

    def __init__(self, texts: Iterable[str]) -> None:
        counted = [frozenset(_words(text[:COUNTED_CHARACTERS])) for text in texts]
        self._texts = len(counted)
        self._counts = Counter(word for words in counted for word in words)
        self._known: dict[str, float] = {}

    def of(self, words: Iterable[str]) -> float:
        """Sum up what words tell."""
        return sum(self._one(word) for word in words)

    def _one(self, word: str) -> float:
        if word not in self._known:
            count = self._counts[word]
            self._known[word] = math.log(1 + (self._texts - count + 0.5) / (count + 0.5))
        return self._known[word]


def _spans(text: str) -> Iterator[frozenset[str]]:
    for sentence in _SENTENCE.split(text[:READ_CHARACTERS]):
        words = _words(sentence)
        for start in range(0, len(words), SPAN_WORDS // 2):
            yield frozenset(words[start : start + SPAN_WORDS])
            if start + SPAN_WORDS >= len(words):
                break


def _words(text: str) -> list[str]:
    """Return the words of a text without their endings; of unspaced scripts, pairs of letters."""
    found = _WORD.findall(text.lower())
    if text.isascii():
        return [_stem(word) for word in found]
    return [
        part
        for word in found
        for part in (subwords(word).split() if not word.isascii() else ()) or (_stem(word),)
    ]


def _stem(word: str) -> str:
    return word if _DIGIT.search(word) else word[:STEM_CHARACTERS]


def _has_number(words: Iterable[str]) -> bool:
    return any(_DIGIT.search(word) for word in words)

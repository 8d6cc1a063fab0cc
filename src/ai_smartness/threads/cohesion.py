"""Measure how much messages belong together, by meaning and by shared words.

Two messages pull each other together when they are more alike than two unrelated messages of
one conversation, and apart when they are less. A message that says little ("yes please")
hardly pulls at all, so it stays with its neighbours.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai_smartness.threads.drift import LEAST_SPREAD

__all__ = ["Cohesion", "PullRules", "SubjectGap", "Vectors"]

Vectors: TypeAlias = Sequence[NDArray[np.float32] | None]
_Numbers: TypeAlias = NDArray[np.float64]

WORDLESS_INFORMATION = 0.75  # of a message if none has words: as with three rare ones


@dataclass(frozen=True, slots=True)
class PullRules:
    """How much a similarity counts.

    Fitted on dialogues, joined coding sessions and single subjects at once. The reasons give Pk
    for dialogues and for joined sessions (`scripts/bench split`); these values give .24 and .25.
    """

    meaning: float = 0.3
    words: float = 3.0
    """What full similarity counts. Shared words are rare and certain, meanings mostly middling.
    With 1.5 for words, half as many subjects again are seen in the sessions as there are; with 4,
    the changes in dialogues go unseen (.26)."""

    strangers: float = 0.17
    """The similarity of two messages that only happen to be in one conversation. With .15,
    changes go unseen (.31); with .19, every fourth single subject is cut."""

    strangers_by_words: float = 0.07
    """The same if one of the two has no vector. By words alone Pk is .30 and .22; with .05,
    the changes in dialogues go unseen (.36)."""

    telling_words: float = 1.0
    """A message with this many words that no other has counts half. With 2, the short requests
    of a dialogue count for too little (.29)."""


class SubjectGap(NamedTuple):
    """How far two groups of messages are apart.

    `closer` is by how much messages of one group are more alike than messages of both, as a share
    of the way from unrelated to equal. `pull` is the mean pull between the two.
    """

    closer: float
    pull: float


class Cohesion:
    """The pull between the messages of one conversation, in their order."""

    def __init__(
        self,
        words: Sequence[Sequence[str]],
        vectors: Vectors,
        unrelated_cosine: float,
        rules: PullRules,
    ) -> None:
        self._rules = rules
        self._words = _WordMatrix(words)
        self._rows, self._known = _unit_rows(vectors, len(words))
        self._unrelated = unrelated_cosine
        information = self._words.information
        self._telling = information / (information + rules.telling_words)
        if not information.any():
            self._telling = WORDLESS_INFORMATION * self._known

    @property
    def embedded_share(self) -> float:
        """Return the share of the messages that have a vector."""
        return float(self._known.mean()) if len(self._known) else 0.0

    def pull_to_earlier(self, reach: int) -> _Numbers:
        """Measure the pull between each message (a row) and those before it, nearest first."""
        shared = self._words.shared_words(reach)
        cosines, known, telling = (np.zeros_like(shared) for _ in range(3))
        for back in range(1, min(reach + 1, len(self._telling))):
            column = back - 1
            earlier, later = self._rows[:-back], self._rows[back:]
            cosines[back:, column] = np.einsum("ij,ij->i", earlier, later)
            known[back:, column] = self._known[:-back] * self._known[back:]
            telling[back:, column] = self._telling[:-back] * self._telling[back:]
        return self._net_pull(shared * telling, cosines * telling, known * telling, telling)

    def pull_between(self, stretches: Sequence[Sequence[int]]) -> tuple[_Numbers, _Numbers]:
        """Sum the pulls between the messages of any two stretches, and the weights of the pairs.

        A pair weighs as much as its messages tell. Both sums add up when stretches are joined.
        """
        belongs = np.zeros((len(stretches), len(self._telling)))
        for number, stretch in enumerate(stretches):
            belongs[number, list(stretch)] = self._telling[list(stretch)]
        telling, known = belongs.sum(axis=1), belongs @ self._known
        meaning = belongs @ self._rows
        words = self._words.gathered_words(stretches, self._telling)
        pairs = np.outer(telling, telling)
        both = np.outer(known, known)
        return self._net_pull(words @ words.T, meaning @ meaning.T, both, pairs), pairs

    def gap_between(self, part: Sequence[int], rest: Sequence[int]) -> SubjectGap:
        """Measure how far a part is from the rest; without vectors they are not apart.

        Unlike the distance of two centres, this does not shrink as the two grow.
        """
        known = [float(self._known[list(group)].sum()) for group in (part, rest)]
        if not all(known):
            return SubjectGap(0.0, 0.0)
        totals = [self._rows[list(group)].sum(axis=0) for group in (part, rest)]
        between = float(totals[0] @ totals[1]) / (known[0] * known[1])
        within = [
            (float(total @ total) - count) / (count * count - count)
            for total, count in zip(totals, known, strict=True)
            if count > 1
        ]
        closer = sum(within) / len(within) - between if within else 0.0
        pulls, pairs = self.pull_between([part, rest])
        pull = float(pulls[0, 1] / pairs[0, 1]) if pairs[0, 1] else 0.0
        return SubjectGap(closer / max(1.0 - self._unrelated, LEAST_SPREAD), pull)

    def _net_pull(
        self, shared: _Numbers, cosines: _Numbers, known: _Numbers, pairs: _Numbers
    ) -> _Numbers:
        """Weigh similarities against those of as many unrelated pairs."""
        rules = self._rules
        gain = rules.meaning / max(1.0 - self._unrelated, LEAST_SPREAD)
        more = gain * self._unrelated + rules.strangers - rules.strangers_by_words
        by_words = rules.words * shared - rules.strangers_by_words * pairs
        return by_words + gain * cosines - more * known


class _WordMatrix:
    """The words of each message; together those of one message have unit length.

    A word weighs the more, the fewer messages have it.
    """

    def __init__(self, words: Sequence[Sequence[str]]) -> None:
        distinct = [dict.fromkeys(message_words) for message_words in words]
        spread = Counter(word for message_words in distinct for word in message_words)
        rarity = {word: log((len(words) + 1) / messages) for word, messages in spread.items()}
        # A word that only one message has is shared with nobody: it only counts for the length.
        number = {word: n for n, word in enumerate(w for w, times in spread.items() if times > 1)}
        information, used = list[float](), list[int]()
        weight, messages = list[float](), list[int]()
        for message, message_words in enumerate(distinct):
            rarities = [rarity[word] for word in message_words]
            length = sqrt(sum(much * much for much in rarities))
            information.append(sum(rarities) / log(len(words) + 1))
            shared = [word for word in message_words if word in number]
            used += [number[word] for word in shared]
            weight += [rarity[word] / length for word in shared]
            messages += [message] * len(shared)
        order = np.argsort(np.array(used, np.int64), kind="stable")
        self.information = np.array(information, np.float64)
        self._count = len(number)
        self._word = np.array(used, np.int64)[order]
        self._message = np.array(messages, np.int64)[order]
        self._weight = np.array(weight, np.float64)[order]

    def shared_words(self, reach: int) -> _Numbers:
        """Measure the words each message shares with those before it, nearest first."""
        cells = len(self.information) * reach
        total = np.zeros(cells)
        at = np.arange(len(self._word))
        ahead = 0
        # The uses of a word stand together in order: look one use further ahead each time, and
        # only from those uses whose next one was still in reach.
        while at.size:
            ahead += 1
            at = at[at + ahead < len(self._word)]
            apart = self._message[at + ahead] - self._message[at]
            near = (self._word[at + ahead] == self._word[at]) & (apart <= reach)
            at, apart = at[near], apart[near]
            cell = self._message[at + ahead] * reach + apart - 1
            weight = self._weight[at] * self._weight[at + ahead]
            total += np.bincount(cell, weight, minlength=cells)
        return total.reshape(len(self.information), reach)

    def gathered_words(self, stretches: Sequence[Sequence[int]], telling: _Numbers) -> _Numbers:
        """Add up the words of each stretch, those of a message by how much it tells."""
        stretch_of = np.full(len(telling), -1)
        for number, stretch in enumerate(stretches):
            stretch_of[list(stretch)] = number
        inside = stretch_of[self._message] >= 0
        message = self._message[inside]
        cell = stretch_of[message] * self._count + self._word[inside]
        weight = self._weight[inside] * telling[message]
        total = np.zeros(len(stretches) * self._count)
        total += np.bincount(cell, weight, minlength=len(total))
        return total.reshape(len(stretches), self._count)


def _unit_rows(vectors: Vectors, messages: int) -> tuple[_Numbers, _Numbers]:
    """Return a row of unit length for each message, and 1 for each that has a vector."""
    width = max((len(vector) for vector in vectors if vector is not None), default=0)
    rows = np.zeros((messages, width))
    for row, vector in zip(rows, vectors, strict=False):
        if vector is not None and np.isfinite(vector).all():
            row[: len(vector)] = vector
    lengths = np.linalg.norm(rows, axis=1)
    known = lengths > 0
    rows[known] /= lengths[known, None]
    return rows, known.astype(np.float64)

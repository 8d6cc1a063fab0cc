"""How much messages belong together, by what they mean and by the words they share.

Two messages pull each other together when they are more alike than two
strangers of one conversation are, and apart when they are less. A message that
says little ("yes please") hardly pulls at all, so it stays with its neighbours.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Cohesion", "PullRules"]

LEAST_SPREAD = 0.01
"""The way from the same to the unrelated for a model that tells nothing apart."""

WORDLESS_TELLING = 0.75
"""What each message says where nobody has words: as much as one with three rare ones."""

LEAST_PAIRS = 1e-9
"""Messages that say nothing are no pairs, and pull nobody."""


@dataclass(frozen=True, slots=True)
class PullRules:
    """What a likeness is worth.

    Chosen for dialogues, joined coding sessions and single subjects at once. The reasons give Pk
    for dialogues and for joined sessions (`scripts/bench split`); as they are, .24 and .25.
    """

    meaning: float = 0.3
    words: float = 3.0
    """What a full likeness is worth. Sharing words is rare and sure, meanings are mostly middling.
    With 1.5 for words half as many subjects again are seen in the sessions as there are; with 4
    the changes in dialogues go unseen (.26)."""

    strangers: float = 0.17
    """The likeness of two messages that only happen to be in one conversation. With .15 changes go
    unseen (.31), with .19 every fourth single subject is cut."""

    strangers_by_words: float = 0.07
    """The same where one of the two has no vector. By words alone Pk is .30 and .22; with .05
    the changes in dialogues go unseen (.36)."""

    telling_words: float = 1.0
    """A message with so many words that no other has counts half. With 2 the short requests of
    a dialogue count for too little (.29)."""


class Cohesion:
    """The pull between the messages of one conversation, in their order."""

    def __init__(
        self,
        words: Sequence[Sequence[str]],
        vectors: "Sequence[NDArray[np.float32] | None]",
        unrelated_cosine: float,
        rules: PullRules,
    ) -> None:
        self._rules = rules
        self._words = _WordMatrix(words)
        self._rows, self._known = _unit_rows(vectors, len(words))
        self._unrelated = unrelated_cosine
        said = self._words.information
        self._telling = said / (said + rules.telling_words)
        if not said.any():
            self._telling = WORDLESS_TELLING * self._known

    @property
    def embedded_share(self) -> float:
        """Return the share of the messages that have a vector."""
        return float(self._known.mean()) if len(self._known) else 0.0

    def pull_to_earlier(self, reach: int) -> "NDArray[np.float64]":
        """Measure the pull between each message (a row) and those before it, the nearest first."""
        import numpy as np

        shared = self._words.shared_words(reach)
        cosines, known, told = (np.zeros_like(shared) for _ in range(3))
        for back in range(1, min(reach + 1, len(self._telling))):
            column = back - 1
            earlier, later = self._rows[:-back], self._rows[back:]
            cosines[back:, column] = np.einsum("ij,ij->i", earlier, later)
            known[back:, column] = self._known[:-back] * self._known[back:]
            told[back:, column] = self._telling[:-back] * self._telling[back:]
        return self._net_pull(shared * told, cosines * told, known * told, told)

    def pull_between(
        self, stretches: Sequence[Sequence[int]]
    ) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Sum the pulls between the messages of each two stretches, and the pairs these are of.

        A pair counts as much as its messages tell. Both can be added up when stretches are joined.
        """
        import numpy as np

        belongs = np.zeros((len(stretches), len(self._telling)))
        for number, stretch in enumerate(stretches):
            belongs[number, list(stretch)] = self._telling[list(stretch)]
        told, known = belongs.sum(axis=1), belongs @ self._known
        meant = belongs @ self._rows
        words = self._words.gathered_words(stretches, self._telling)
        pairs = np.outer(told, told)
        both = np.outer(known, known)
        return self._net_pull(words @ words.T, meant @ meant.T, both, pairs), pairs

    def _net_pull(
        self,
        shared: "NDArray[np.float64]",
        cosines: "NDArray[np.float64]",
        known: "NDArray[np.float64]",
        pairs: "NDArray[np.float64]",
    ) -> "NDArray[np.float64]":
        """Weigh likenesses against those of as many pairs of strangers."""
        rules = self._rules
        gain = rules.meaning / max(1.0 - self._unrelated, LEAST_SPREAD)
        more = gain * self._unrelated + rules.strangers - rules.strangers_by_words
        by_words = rules.words * shared - rules.strangers_by_words * pairs
        return by_words + gain * cosines - more * known


class _WordMatrix:
    """Which message has which words; those of one message are of unit length together.

    A word weighs the more, the fewer messages have it.
    """

    def __init__(self, words: Sequence[Sequence[str]]) -> None:
        import numpy as np

        distinct = [dict.fromkeys(each) for each in words]
        spread = Counter(word for each in distinct for word in each)
        rarity = {word: log((len(words) + 1) / messages) for word, messages in spread.items()}
        # A word that one message alone has is shared with nobody: it only counts for the length.
        number = {word: n for n, word in enumerate(w for w, times in spread.items() if times > 1)}
        said, used, weight, messages = list[float](), list[int](), list[float](), list[int]()
        for message, each in enumerate(distinct):
            rare = [rarity[word] for word in each]
            length = sqrt(sum(much * much for much in rare))
            said.append(sum(rare) / log(len(words) + 1))
            shared = [word for word in each if word in number]
            used += [number[word] for word in shared]
            weight += [rarity[word] / length for word in shared]
            messages += [message] * len(shared)
        order = np.argsort(np.array(used, np.int64), kind="stable")
        self.information = np.array(said, np.float64)
        self._count = len(number)
        self._word = np.array(used, np.int64)[order]
        self._message = np.array(messages, np.int64)[order]
        self._weight = np.array(weight, np.float64)[order]

    def shared_words(self, reach: int) -> "NDArray[np.float64]":
        """Measure how far each message has the words of those before it, the nearest first."""
        import numpy as np

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

    def gathered_words(
        self, stretches: Sequence[Sequence[int]], telling: "NDArray[np.float64]"
    ) -> "NDArray[np.float64]":
        """Add up the words of each stretch, those of a message as much as it tells."""
        import numpy as np

        place = np.full(len(telling), -1)
        for number, stretch in enumerate(stretches):
            place[list(stretch)] = number
        placed = place[self._message] >= 0
        message = self._message[placed]
        cell = place[message] * self._count + self._word[placed]
        weight = self._weight[placed] * telling[message]
        total = np.zeros(len(stretches) * self._count)
        total += np.bincount(cell, weight, minlength=len(total))
        return total.reshape(len(stretches), self._count)


def _unit_rows(
    vectors: "Sequence[NDArray[np.float32] | None]", messages: int
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return a row of unit length for each message, and 1 for each that has a vector."""
    import numpy as np

    width = max((len(vector) for vector in vectors if vector is not None), default=0)
    rows = np.zeros((messages, width))
    for row, vector in zip(rows, vectors, strict=False):
        if vector is not None and np.isfinite(vector).all():
            row[: len(vector)] = vector
    lengths = np.linalg.norm(rows, axis=1)
    known = lengths > 0
    rows[known] /= lengths[known, None]
    return rows, known.astype(np.float64)

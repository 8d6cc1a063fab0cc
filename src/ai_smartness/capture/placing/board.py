"""What placing knows of a project: its open threads, its words, who talks to whom.

A board is derived. Fed every placed message in the order of `seq` it can be
rebuilt from the events alone, and the same events give the same board.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_smartness.capture.placing.incoming import Incoming
from ai_smartness.capture.placing.open_thread import OpenThread
from ai_smartness.capture.placing.seat import Seat

if TYPE_CHECKING:
    from ai_smartness.capture.placing.centres import Centres
    from ai_smartness.capture.placing.incoming import Vector

__all__ = ["Board", "Told"]

POSTINGS_PER_TERM = 40
"""The newest threads remembered for each word: bounds what one look-up costs."""

LOOKED_UP_TERMS = 30
"""The rarest words of a message; the others point nowhere in particular."""

YOUNG_MESSAGES = 50
"""Added to those there are: in a young project too, a word said once tells something."""

RARE_MESSAGES = 3
RARE_SHARE = 1 / 50
"""A word in three messages, or in one of fifty, still points at a subject."""

OWN_THREADS_SHARE = 1 / 20
"""A word that one thread in twenty has is still of few."""


@dataclass(frozen=True, slots=True)
class Told:
    """How much each term of a message tells, by how rare it is in the project's messages."""

    idf: dict[str, float]
    rare: dict[str, float]
    """Of these, the terms rare enough to point at a subject."""
    total: float


class Board:
    """The open threads of one project and the indexes to find them by."""

    def __init__(self) -> None:
        self.threads: dict[str, OpenThread] = {}
        self.messages = 0
        self._seats: dict[str | None, Seat] = {}
        self._seen: Counter[str] = Counter()
        self._spread: Counter[str] = Counter()
        self._where: defaultdict[str, deque[str]] = defaultdict(
            lambda: deque(maxlen=POSTINGS_PER_TERM)
        )
        self._centres: Centres | None = None

    def seat(self, session: str | None) -> Seat:
        """Return where a session stands; one not heard of yet stands nowhere."""
        return self._seats.get(session) or Seat()

    def known_names(self, session: str | None) -> Collection[str]:
        """Name who has spoken in a session, folded."""
        return self.seat(session).said.keys()

    def told(self, terms: Iterable[str]) -> Told:
        """Weigh a message's terms."""
        everything = 1 + self.messages + YOUNG_MESSAGES
        few = max(RARE_MESSAGES, int(self.messages * RARE_SHARE))
        seen = {term: self._seen.get(term, 0) for term in terms}
        idf = {term: math.log(everything / (1 + count)) for term, count in seen.items()}
        rare = {term: idf[term] for term, count in seen.items() if count <= few}
        return Told(idf, rare, sum(idf.values()))

    def pointing(self, term: str) -> float:
        """Measure how well a term points at one thread: all of it when no other has it."""
        return math.log((2 + len(self.threads)) / (1 + self._spread.get(term, 0)))

    def is_of_few(self, term: str) -> bool:
        """Tell whether few of the threads have a term."""
        return self._spread.get(term, 0) <= max(1, int(len(self.threads) * OWN_THREADS_SHARE))

    def by_words(self, told: Told, limit: int) -> list[str]:
        """Name the threads that share most rare words with a message, best first."""
        known = ((-idf, term) for term, idf in told.rare.items() if term in self._where)
        found: dict[str, float] = {}
        for negative_idf, term in sorted(known)[:LOOKED_UP_TERMS]:
            for thread in self._where[term]:
                found[thread] = found.get(thread, 0.0) + negative_idf
        return sorted(found, key=lambda thread: (found[thread], thread))[:limit]

    def by_vector(self, vector: "Vector", limit: int) -> list[str]:
        """Name the threads whose middle is nearest to a vector, best first."""
        return [] if self._centres is None else self._centres.nearest(vector, limit)

    def add(self, message: Incoming, thread_id: str) -> None:
        """Take note of a message that was placed on a thread."""
        seat = self._seats.setdefault(message.session, Seat())
        self._count(message, thread_id)
        seat.listen(message, thread_id)
        seat.sit(message, thread_id)

    def hold(self, message: Incoming, thread_id: str) -> None:
        """Take note of a message that may be the start of another subject."""
        self.threads.setdefault(thread_id, OpenThread(thread_id))
        seat = self._seats.setdefault(message.session, Seat())
        seat.held.append(message)
        seat.sit(message, thread_id)

    def settle(self, session: str | None, thread_id: str) -> None:
        """Put the messages a session held back on the thread they turned out to belong to."""
        seat = self._seats.setdefault(session, Seat())
        held, seat.held = seat.held, []
        for message in held:
            self.add(message, thread_id)

    def _count(self, message: Incoming, thread_id: str) -> None:
        thread = self.threads.setdefault(thread_id, OpenThread(thread_id))
        self.messages += 1
        for term in message.terms:
            self._seen[term] += 1
            if term not in thread.terms:
                self._where[term].append(thread_id)
                self._spread[term] += 1
        thread.add(message, self.messages)
        if thread.centre is not None and message.vector is not None:
            self._map(thread_id, thread.centre)

    def _map(self, thread_id: str, centre: "Vector") -> None:
        if self._centres is None:
            # Only a board with vectors pays for loading numpy.
            from ai_smartness.capture.placing.centres import Centres  # noqa: PLC0415

            self._centres = Centres()
        self._centres.put(thread_id, centre)

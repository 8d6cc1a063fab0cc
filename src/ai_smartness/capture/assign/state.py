"""What is remembered of one thread, to tell whether a message belongs to it.

Where one session stands: the thread it is on, and what it has touched.

Find the threads whose middle is nearest to a vector.

The one module of placing that loads numpy, and only where there are vectors.

What placing knows of a project: its open threads, its words, who talks to whom.

A board is derived. Fed every placed message in the order of `seq` it can be
rebuilt from the events alone, and the same events give the same board.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ai_smartness.capture.assign.message import IncomingMessage

if TYPE_CHECKING:
    from ai_smartness.capture.assign.message import Vector


__all__ = ["AssignmentState", "CentroidIndex", "OpenThread", "SessionState", "TermWeights"]


QUESTION_VECTORS = 3
"""What people say sets the subject …"""

ANSWER_VECTORS = 2
"""… and an agent's long run of status lines must not push it out."""

RECENT_MESSAGES = 12
"""Whose words count as heard: a long thread has heard every word, and would fit everything."""

SUBJECT_DECAY = 0.85
"""Of the moving average with each message: it forgets in about five, and so follows the talk."""


@dataclass(slots=True)
class OpenThread:
    """One thread as placing knows it."""

    id: str
    minute: float = 0.0
    session: str | None = None
    questions: int = 0
    """Its messages that are no agent's."""
    terms: set[str] = field(default_factory=set)
    recent_terms: Counter[str] = field(default_factory=Counter)
    """The terms of the last messages."""
    speakers: dict[str, int] = field(default_factory=dict)
    """Who takes part, with the number of the message when last heard."""
    speaker_pairs: set[tuple[str, str]] = field(default_factory=set)
    """Who spoke to whom."""
    centre: "Vector | None" = None
    """Of unit length: the middle of all its messages."""
    subject: "Vector | None" = None
    """Of unit length: what it is about now."""
    last_vector: "Vector | None" = None
    question_vectors: "deque[Vector]" = field(
        default_factory=lambda: deque(maxlen=QUESTION_VECTORS),
    )
    answer_vectors: "deque[Vector]" = field(default_factory=lambda: deque(maxlen=ANSWER_VECTORS))
    _vector_sum: "Vector | None" = None
    _window: deque[tuple[str, ...]] = field(default_factory=deque)

    def add(self, message: IncomingMessage, number: int) -> None:
        """Take note of a message on this thread, the board's so-manieth."""
        self.minute, self.session = message.minute, message.session
        self.questions += not message.by_agent
        self._add_terms(message.terms)
        if message.vector is not None:
            self._add_vector(message.vector)
            (self.answer_vectors if message.by_agent else self.question_vectors).append(
                message.vector,
            )
        if message.speaker is not None:
            self.speakers[message.speaker] = number
            for name in message.addressed:
                self.speaker_pairs.add((message.speaker, name))
                self.speakers.setdefault(name, number)

    def _add_terms(self, terms: tuple[str, ...]) -> None:
        self.terms.update(terms)
        self.recent_terms.update(terms)
        self._window.append(terms)
        if len(self._window) > RECENT_MESSAGES:
            for term in self._window.popleft():
                self.recent_terms[term] -= 1
                if not self.recent_terms[term]:
                    del self.recent_terms[term]

    def _add_vector(self, vector: "Vector") -> None:
        self._vector_sum = vector if self._vector_sum is None else self._vector_sum + vector
        self.centre = _unit_vector(self._vector_sum)
        kept = vector if self.subject is None else SUBJECT_DECAY * self.subject
        self.subject = _unit_vector(
            kept if self.subject is None else kept + (1 - SUBJECT_DECAY) * vector,
        )
        self.last_vector = vector


def _unit_vector(vector: "Vector") -> "Vector":
    length = math.sqrt(float(vector @ vector))
    return vector / length if length else vector


@dataclass(slots=True)
class SessionState:
    """What is remembered of one session."""

    current_thread: str | None = None
    last_question_thread: str | None = None
    """The thread of the last message that was not an agent's."""
    last_minute: float | None = None
    messages: int = 0
    questions: int = 0
    held_messages: list[IncomingMessage] = field(default_factory=list)
    """Messages that looked like leaving: they stay unless the next one leaves too."""
    thread_last_message: dict[str, int] = field(default_factory=dict)
    """Its threads with the number of the last message on each, the latest last."""
    last_thread_by_speaker: dict[str, str] = field(default_factory=dict)
    """By speaker, the thread of their last message."""
    last_thread_by_addressee: dict[str, str] = field(default_factory=dict)
    """By speaker, the thread where they were last spoken to."""

    def move_to(self, message: IncomingMessage, thread_id: str) -> None:
        """Take note of where the session's latest message is."""
        self.messages += 1
        self.current_thread = thread_id
        self.last_minute = message.minute
        self.thread_last_message.pop(thread_id, None)
        self.thread_last_message[thread_id] = self.messages
        if not message.by_agent:
            self.last_question_thread = thread_id
            self.questions += 1

    def record_speakers(self, message: IncomingMessage, thread_id: str) -> None:
        """Take note of who spoke, and to whom."""
        if message.speaker is not None:
            self.last_thread_by_speaker[message.speaker] = thread_id
            for name in message.addressed:
                self.last_thread_by_addressee[name] = thread_id


BLOCK_ROWS = 512
"""Grown by blocks, so that no message waits for thousands of rows to be copied."""

SEARCHED_BLOCKS = 4
"""About two thousand of the newest threads, 0.3 ms; older ones are found by their words."""


class CentroidIndex:
    """The centroids of the threads that have vectors; only they need numpy."""

    def __init__(self) -> None:
        self._row_of_thread: dict[str, int] = {}
        self._thread_ids: list[str] = []
        self._blocks: list[Vector] = []

    def set_centroid(self, thread_id: str, centre: "Vector") -> None:
        """Keep a thread's middle, in the place of the former one."""
        import numpy as np

        row = self._row_of_thread.setdefault(thread_id, len(self._thread_ids))
        if row == len(self._thread_ids):
            self._thread_ids.append(thread_id)
            if row % BLOCK_ROWS == 0:
                self._blocks.append(np.zeros((BLOCK_ROWS, len(centre)), np.float32))
        self._blocks[row // BLOCK_ROWS][row % BLOCK_ROWS] = centre

    def nearest(self, vector: "Vector", limit: int) -> list[str]:
        """Name the threads with the nearest middle, best first."""
        if not self._blocks or not limit:
            return []
        import numpy as np

        first = max(0, len(self._blocks) - SEARCHED_BLOCKS)
        # Not `@`: a busy machine's BLAS threads make one product of this size wait for
        # milliseconds, and its sums differ with the number of rows.
        cosines = np.concatenate([np.einsum("ij,j->i", b, vector) for b in self._blocks[first:]])
        start = first * BLOCK_ROWS
        cosines = cosines[: len(self._thread_ids) - start]
        best = np.argpartition(-cosines, min(limit, len(cosines)) - 1)[:limit]
        ranked = sorted((-float(cosines[row]), int(row)) for row in best)
        return [self._thread_ids[start + row] for _, row in ranked]


POSTINGS_PER_TERM = 40
"""The newest threads remembered for each word: bounds what one look-up costs."""

LOOKED_UP_TERMS = 30
"""The rarest words of a message; the others point nowhere in particular."""

PRIOR_MESSAGES = 50
"""Added to those there are: in a young project too, a word said once tells something."""

RARE_MESSAGES = 3
RARE_SHARE = 1 / 50
"""A word in three messages, or in one of fifty, still points at a subject."""

FEW_THREADS_SHARE = 1 / 20
"""A word that one thread in twenty has is still of few."""


@dataclass(frozen=True, slots=True)
class TermWeights:
    """How much each term of a message tells, by how rare it is in the project's messages."""

    idf: dict[str, float]
    rare_idf: dict[str, float]
    """Of these, the terms rare enough to point at a subject."""
    idf_sum: float


class AssignmentState:
    """The open threads of one project and the indexes to find them by."""

    def __init__(self) -> None:
        self.threads: dict[str, OpenThread] = {}
        self.message_count = 0
        self._sessions: dict[str | None, SessionState] = {}
        self._message_frequency: Counter[str] = Counter()
        self._thread_frequency: Counter[str] = Counter()
        self._threads_by_term: defaultdict[str, deque[str]] = defaultdict(
            lambda: deque(maxlen=POSTINGS_PER_TERM),
        )
        self._centroids: CentroidIndex | None = None

    def session_state(self, session: str | None) -> SessionState:
        """Return where a session stands; one not heard of yet stands nowhere."""
        return self._sessions.get(session) or SessionState()

    def known_names(self, session: str | None) -> Collection[str]:
        """Name who has spoken in a session, folded."""
        return self.session_state(session).last_thread_by_speaker.keys()

    def term_weights(self, terms: Iterable[str]) -> TermWeights:
        """Weigh a message's terms."""
        everything = 1 + self.message_count + PRIOR_MESSAGES
        few = max(RARE_MESSAGES, int(self.message_count * RARE_SHARE))
        seen = {term: self._message_frequency.get(term, 0) for term in terms}
        idf = {term: math.log(everything / (1 + count)) for term, count in seen.items()}
        rare = {term: idf[term] for term, count in seen.items() if count <= few}
        return TermWeights(idf, rare, sum(idf.values()))

    def thread_idf(self, term: str) -> float:
        """Measure how well a term points at one thread: all of it when no other has it."""
        return math.log((2 + len(self.threads)) / (1 + self._thread_frequency.get(term, 0)))

    def is_in_few_threads(self, term: str) -> bool:
        """Tell whether few of the threads have a term."""
        return self._thread_frequency.get(term, 0) <= max(
            1,
            int(len(self.threads) * FEW_THREADS_SHARE),
        )

    def threads_by_words(self, told: TermWeights, limit: int) -> list[str]:
        """Name the threads that share most rare words with a message, best first."""
        known = (
            (-idf, term) for term, idf in told.rare_idf.items() if term in self._threads_by_term
        )
        found: dict[str, float] = {}
        for negative_idf, term in sorted(known)[:LOOKED_UP_TERMS]:
            for thread in self._threads_by_term[term]:
                found[thread] = found.get(thread, 0.0) + negative_idf
        return sorted(found, key=lambda thread: (found[thread], thread))[:limit]

    def threads_by_vector(self, vector: "Vector", limit: int) -> list[str]:
        """Name the threads whose middle is nearest to a vector, best first."""
        return [] if self._centroids is None else self._centroids.nearest(vector, limit)

    def add_message(self, message: IncomingMessage, thread_id: str) -> None:
        """Take note of a message that was placed on a thread."""
        seat = self._sessions.setdefault(message.session, SessionState())
        self._count_message(message, thread_id)
        seat.record_speakers(message, thread_id)
        seat.move_to(message, thread_id)

    def hold_message(self, message: IncomingMessage, thread_id: str) -> None:
        """Take note of a message that may be the start of another subject."""
        self.threads.setdefault(thread_id, OpenThread(thread_id))
        seat = self._sessions.setdefault(message.session, SessionState())
        seat.held_messages.append(message)
        seat.move_to(message, thread_id)

    def settle_held(self, session: str | None, thread_id: str) -> None:
        """Put the messages a session held back on the thread they turned out to belong to."""
        seat = self._sessions.setdefault(session, SessionState())
        held, seat.held_messages = seat.held_messages, []
        for message in held:
            self.add_message(message, thread_id)

    def _count_message(self, message: IncomingMessage, thread_id: str) -> None:
        thread = self.threads.setdefault(thread_id, OpenThread(thread_id))
        self.message_count += 1
        for term in message.terms:
            self._message_frequency[term] += 1
            if term not in thread.terms:
                self._threads_by_term[term].append(thread_id)
                self._thread_frequency[term] += 1
        thread.add(message, self.message_count)
        if thread.centre is not None and message.vector is not None:
            self._update_centroid(thread_id, thread.centre)

    def _update_centroid(self, thread_id: str, centre: "Vector") -> None:
        if self._centroids is None:
            self._centroids = CentroidIndex()
        self._centroids.set_centroid(thread_id, centre)

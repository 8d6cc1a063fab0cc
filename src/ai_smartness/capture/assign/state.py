"""The state that assignment decides on: a project's open threads, its sessions and its words.

The state is derived. Fed with the stored messages in the order of `seq` it can be rebuilt at any
time, and the same events give the same state.
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


QUESTION_VECTORS = 3  # people's messages set the subject …
ANSWER_VECTORS = 2  # … and an agent's many status lines must not displace them
RECENT_MESSAGES = 12
"""Only the terms of the latest messages count: a long thread would match everything."""

SUBJECT_DECAY = 0.85
"""Of the moving average per message: it forgets in about five, and so follows the subject."""


@dataclass(slots=True)
class OpenThread:
    """One thread, as far as assignment needs it."""

    id: str
    minute: float = 0.0
    session: str | None = None
    questions: int = 0  # the number of messages that people wrote
    terms: set[str] = field(default_factory=set)
    recent_terms: Counter[str] = field(default_factory=Counter)
    speakers: dict[str, int] = field(default_factory=dict)
    """The participants, with the number of the message when each last took part."""
    speaker_pairs: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of speaker and addressee."""
    centre: "Vector | None" = None  # the centroid of all messages, of unit length
    subject: "Vector | None" = None  # the moving average of the latest messages, of unit length
    last_vector: "Vector | None" = None
    question_vectors: "deque[Vector]" = field(
        default_factory=lambda: deque(maxlen=QUESTION_VECTORS)
    )
    answer_vectors: "deque[Vector]" = field(default_factory=lambda: deque(maxlen=ANSWER_VECTORS))
    _vector_sum: "Vector | None" = None
    _window: deque[tuple[str, ...]] = field(default_factory=deque)

    def add(self, message: IncomingMessage, number: int) -> None:
        """Add a message; `number` is its number in the project."""
        self.minute, self.session = message.minute, message.session
        self.questions += not message.by_agent
        self._add_terms(message.terms)
        if message.vector is not None:
            self._add_vector(message.vector)
            (self.answer_vectors if message.by_agent else self.question_vectors).append(
                message.vector
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
        if self.subject is None:
            self.subject = _unit_vector(vector)
        else:
            self.subject = _unit_vector(SUBJECT_DECAY * self.subject + (1 - SUBJECT_DECAY) * vector)
        self.last_vector = vector


def _unit_vector(vector: "Vector") -> "Vector":
    length = math.sqrt(float(vector @ vector))
    return vector / length if length else vector


@dataclass(slots=True)
class SessionState:
    """One session: its current thread and its threads so far."""

    current_thread: str | None = None
    last_question_thread: str | None = None  # the thread of the last message that a person wrote
    rule_thread: str | None = None  # of a rule on another subject, until the person goes on
    last_minute: float | None = None
    messages: int = 0
    questions: int = 0
    held_messages: list[IncomingMessage] = field(default_factory=list)
    """Messages that may begin another subject: they stay unless the next one leaves too."""
    thread_last_message: dict[str, int] = field(default_factory=dict)
    """The number of the last message on each of its threads, the latest last."""
    last_thread_by_speaker: dict[str, str] = field(default_factory=dict)
    last_thread_by_addressee: dict[str, str] = field(default_factory=dict)
    """The thread where a speaker was last addressed."""

    def move_to(self, message: IncomingMessage, thread_id: str) -> None:
        """Make the thread of the latest message the session's current one."""
        if message.by_agent and thread_id == self.rule_thread:
            # The answer to a rule on another subject.
            return
        self.rule_thread = None
        self.messages += 1
        self.current_thread = thread_id
        self.last_minute = message.minute
        self.thread_last_message.pop(thread_id, None)
        self.thread_last_message[thread_id] = self.messages
        if not message.by_agent:
            self.last_question_thread = thread_id
            self.questions += 1

    def record_speakers(self, message: IncomingMessage, thread_id: str) -> None:
        """Record who spoke, and to whom."""
        if message.speaker is not None:
            self.last_thread_by_speaker[message.speaker] = thread_id
            for name in message.addressed:
                self.last_thread_by_addressee[name] = thread_id


BLOCK_ROWS = 512
"""The matrix grows by blocks, so that no message waits for thousands of rows to be copied."""

SEARCHED_BLOCKS = 4
"""About two thousand of the newest threads, 0.3 ms; older ones are found by their terms."""


class CentroidIndex:
    """The centroids of the threads that have vectors; only they need numpy."""

    def __init__(self) -> None:
        self._row_of_thread: dict[str, int] = {}
        self._thread_ids: list[str] = []
        self._blocks: list[Vector] = []

    def set_centroid(self, thread_id: str, centre: "Vector") -> None:
        """Set or replace the centroid of a thread."""
        import numpy as np

        row = self._row_of_thread.setdefault(thread_id, len(self._thread_ids))
        if row == len(self._thread_ids):
            self._thread_ids.append(thread_id)
            if row % BLOCK_ROWS == 0:
                self._blocks.append(np.zeros((BLOCK_ROWS, len(centre)), np.float32))
        self._blocks[row // BLOCK_ROWS][row % BLOCK_ROWS] = centre

    def nearest(self, vector: "Vector", limit: int) -> list[str]:
        """Return the threads with the nearest centroids, best first."""
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


POSTINGS_PER_TERM = 40  # the newest threads per term: bounds the cost of a look-up
LOOKED_UP_TERMS = 30  # the rarest terms of a message; the others are not specific to any thread
PRIOR_MESSAGES = 50
"""Added to the count: a word that was said once says something in a young project too."""

RARE_MESSAGES = 3
RARE_SHARE = 1 / 50  # a word in three messages, or in one of fifty, is still specific to a subject
FEW_THREADS_SHARE = 1 / 20  # a term of one thread in twenty is still a term of few


@dataclass(frozen=True, slots=True)
class TermWeights:
    """The inverse document frequency of each term of a message."""

    idf: dict[str, float]
    rare_idf: dict[str, float]  # only the terms that are rare enough to be specific to a subject
    idf_sum: float


class AssignmentState:
    """The open threads of one project and the indexes to find them."""

    def __init__(self) -> None:
        self.threads: dict[str, OpenThread] = {}
        self.message_count = 0
        self._sessions: dict[str | None, SessionState] = {}
        self._message_frequency: Counter[str] = Counter()
        self._thread_frequency: Counter[str] = Counter()
        self._threads_by_term: defaultdict[str, deque[str]] = defaultdict(
            lambda: deque(maxlen=POSTINGS_PER_TERM)
        )
        self._centroids = CentroidIndex()

    def session_state(self, session: str | None) -> SessionState:
        """Return the state of a session; a new one has no thread yet."""
        return self._sessions.get(session) or SessionState()

    def known_names(self, session: str | None) -> Collection[str]:
        """Return the names of a session's speakers, folded."""
        return self.session_state(session).last_thread_by_speaker.keys()

    def term_weights(self, terms: Iterable[str]) -> TermWeights:
        """Weigh the terms of a message."""
        everything = 1 + self.message_count + PRIOR_MESSAGES
        few = max(RARE_MESSAGES, int(self.message_count * RARE_SHARE))
        seen = {term: self._message_frequency.get(term, 0) for term in terms}
        idf = {term: math.log(everything / (1 + count)) for term, count in seen.items()}
        rare = {term: idf[term] for term, count in seen.items() if count <= few}
        return TermWeights(idf, rare, sum(idf.values()))

    def thread_idf(self, term: str) -> float:
        """Measure how specific a term is to a single thread."""
        return math.log((2 + len(self.threads)) / (1 + self._thread_frequency.get(term, 0)))

    def is_in_few_threads(self, term: str) -> bool:
        """Say whether few of the threads have a term."""
        few = max(1, int(len(self.threads) * FEW_THREADS_SHARE))
        return self._thread_frequency.get(term, 0) <= few

    def threads_by_words(self, weights: TermWeights, limit: int) -> list[str]:
        """Return the threads that share the most rare terms with a message, best first."""
        by_term = self._threads_by_term
        known = ((-idf, term) for term, idf in weights.rare_idf.items() if term in by_term)
        scores: dict[str, float] = {}
        for negative_idf, term in sorted(known)[:LOOKED_UP_TERMS]:
            for thread_id in by_term[term]:
                scores[thread_id] = scores.get(thread_id, 0.0) + negative_idf
        return sorted(scores, key=lambda thread_id: (scores[thread_id], thread_id))[:limit]

    def threads_by_vector(self, vector: "Vector", limit: int) -> list[str]:
        """Return the threads with the nearest centroids, best first."""
        return self._centroids.nearest(vector, limit)

    def add_message(self, message: IncomingMessage, thread_id: str) -> None:
        """Add a message to its thread and session."""
        session_state = self._sessions.setdefault(message.session, SessionState())
        self._count_message(message, thread_id)
        session_state.record_speakers(message, thread_id)
        session_state.move_to(message, thread_id)

    def add_rule(self, message: IncomingMessage, thread_id: str) -> None:
        """Add a rule to its own thread; the session stays where it is."""
        self._count_message(message, thread_id)
        self._sessions.setdefault(message.session, SessionState()).rule_thread = thread_id

    def hold_message(self, message: IncomingMessage, thread_id: str) -> None:
        """Hold a message that may begin another subject."""
        self.threads.setdefault(thread_id, OpenThread(thread_id))
        session_state = self._sessions.setdefault(message.session, SessionState())
        session_state.held_messages.append(message)
        session_state.move_to(message, thread_id)

    def settle_held(self, session: str | None, thread_id: str) -> None:
        """Add a session's held messages to the thread they turned out to belong to."""
        session_state = self._sessions.setdefault(session, SessionState())
        messages, session_state.held_messages = session_state.held_messages, []
        for message in messages:
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
            self._centroids.set_centroid(thread_id, thread.centre)

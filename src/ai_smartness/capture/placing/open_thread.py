"""What is remembered of one thread, to tell whether a message belongs to it."""

import math
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ai_smartness.capture.placing.incoming import Incoming

if TYPE_CHECKING:
    from ai_smartness.capture.placing.incoming import Vector

__all__ = ["OpenThread"]

ASKED_VECTORS = 3
"""What people say sets the subject …"""

ANSWERED_VECTORS = 2
"""… and an agent's long run of status lines must not push it out."""

WINDOW_MESSAGES = 12
"""Whose words count as heard: a long thread has heard every word, and would fit everything."""

SUBJECT_KEPT = 0.85
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
    heard: Counter[str] = field(default_factory=Counter)
    """The terms of the last messages."""
    speakers: dict[str, int] = field(default_factory=dict)
    """Who takes part, with the number of the message when last heard."""
    talks: set[tuple[str, str]] = field(default_factory=set)
    """Who spoke to whom."""
    centre: "Vector | None" = None
    """Of unit length: the middle of all its messages."""
    subject: "Vector | None" = None
    """Of unit length: what it is about now."""
    last: "Vector | None" = None
    asked: "deque[Vector]" = field(default_factory=lambda: deque(maxlen=ASKED_VECTORS))
    answered: "deque[Vector]" = field(default_factory=lambda: deque(maxlen=ANSWERED_VECTORS))
    _sum: "Vector | None" = None
    _window: deque[tuple[str, ...]] = field(default_factory=deque)

    def add(self, message: Incoming, number: int) -> None:
        """Take note of a message on this thread, the board's so-manieth."""
        self.minute, self.session = message.minute, message.session
        self.questions += not message.by_agent
        self._hear(message.terms)
        if message.vector is not None:
            self._turn(message.vector)
            (self.answered if message.by_agent else self.asked).append(message.vector)
        if message.speaker is not None:
            self.speakers[message.speaker] = number
            for name in message.addressed:
                self.talks.add((message.speaker, name))
                self.speakers.setdefault(name, number)

    def _hear(self, terms: tuple[str, ...]) -> None:
        self.terms.update(terms)
        self.heard.update(terms)
        self._window.append(terms)
        if len(self._window) > WINDOW_MESSAGES:
            for term in self._window.popleft():
                self.heard[term] -= 1
                if not self.heard[term]:
                    del self.heard[term]

    def _turn(self, vector: "Vector") -> None:
        self._sum = vector if self._sum is None else self._sum + vector
        self.centre = _unit(self._sum)
        kept = vector if self.subject is None else SUBJECT_KEPT * self.subject
        self.subject = _unit(kept if self.subject is None else kept + (1 - SUBJECT_KEPT) * vector)
        self.last = vector


def _unit(vector: "Vector") -> "Vector":
    length = math.sqrt(float(vector @ vector))
    return vector / length if length else vector

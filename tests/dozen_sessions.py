"""A memory of a dozen sessions, and the questions that round trips are counted for."""

from collections.abc import Iterator
from datetime import timedelta

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.event import Message
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON
from crowd import SUBJECTS

__all__ = ["MOST_ROUND_TRIPS", "QUESTIONS", "DozenSessions"]

MOST_ROUND_TRIPS = 12
SESSIONS = 12
QUESTIONS = (
    "where are the tokens documented, in src/auth/x3.py?",
    "What did we decide about the invoices? And who sends the mails of the shop?",
    "how do we send mail from src/mail/x2.py",
    "zebra",
)


class DozenSessions:
    """A memory of a dozen sessions in a store."""

    def __init__(self, store: ThreadStore) -> None:
        self.clock, self.model = SetClock(NOON), HashEmbedder(128)
        parts = MemoryParts(store=store, embedder=lambda: self.model, clock=self.clock)
        self.memory = Memory(parts, "demo", Settings())
        for number in range(SESSIONS):
            self.clock.advance(hours=3)
            self.memory.capture(list(self._messages(number)))
        self.memory.pin("Never deploy on a Friday")
        self.memory.focus("tokens")
        self.memory.embed()

    def _messages(self, session: int) -> Iterator[Message]:
        subject = SUBJECTS[session % len(SUBJECTS)]
        for number in range(6):
            role = "assistant" if number % 2 else "user"
            file = f"src/{('auth', 'pay', 'mail')[number % 3]}/x{session}.py"
            asks = "do we keep it?" if number == 2 else "we decided to keep it."
            text = f"{subject} in {file}: {asks}"
            at = self.clock() + timedelta(minutes=number)
            yield Message(
                id=f"m{session}-{number}", session=f"s{session}", role=role, text=text, at=at
            )

    def live_messages(self) -> Iterator[Message]:
        """Yield the messages of a session as it goes on."""
        self.memory.capture(Message(id="before", session="live", text="good morning"))
        for number in range(6):
            self.clock.advance(minutes=3)
            role = "assistant" if number % 2 else "user"
            text = f"rotate the tokens of src/auth/x{number}.py, we decided on 30 minutes"
            yield Message(id=f"live{number}", session="live", role=role, text=text, at=self.clock())

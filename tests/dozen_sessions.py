"""A memory of a dozen sessions, and the questions that round trips are counted for."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.event import Message
from ai_smartness.model.thread import Status
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON
from crowd import SUBJECTS

__all__ = ["MOST_ROUND_TRIPS", "QUESTIONS", "WAKING_QUESTIONS", "DozenSessions"]

MOST_ROUND_TRIPS = 12
SESSIONS = 12
QUESTIONS = (
    "where are the tokens documented, in src/auth/x3.py?",
    "What did we decide about the invoices? And who sends the mails of the shop?",
    "how do we send mail from src/mail/x2.py",
    "zebra",
)
_SUSPENDED = {
    "marmot": "The marmot importer keeps its cursor in Redis.",
    "ibex": "Ibex alarms go to the pager of whoever is on call.",
    "otter": "Otter certificates are renewed by a cron job on Sundays.",
}
WAKING_QUESTIONS = (
    "where does the marmot importer keep its cursor?",
    "Ibex alarms go to the pager of whom? Otter certificates are renewed on Sundays by what?",
)
"""The second has two parts and wakes two threads at once."""


class _ChangingFiles:
    """The files of a project, of which each has changed whenever somebody looks."""

    def __init__(self) -> None:
        self._changes = count()

    def head_commit(self) -> str | None:
        return None

    def file_digest(self, path: str) -> str | None:
        return f"{path} {next(self._changes)}"


class DozenSessions:
    """A memory of a dozen sessions in a store."""

    def __init__(self, store: ThreadStore) -> None:
        self.clock, self.model = SetClock(NOON), HashEmbedder(128)
        parts = MemoryParts(
            store=store, embedder=lambda: self.model, clock=self.clock, worktree=_ChangingFiles()
        )
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

    def working_session(self) -> Iterator[tuple[str, Message]]:
        """Yield prompts of a session, each with what follows; answers use what is shown."""
        self.memory.capture(Message(id="before", session="live", text="good morning"))
        for number, subject in enumerate(SUBJECTS):
            question = f"What did we decide when {subject}?"
            for role, text in (
                ("user", question),
                ("assistant", f"It is in src/pay/x{number}.py and src/mail/x{number}.py."),
            ):
                self.clock.advance(minutes=3)
                id_ = f"live{number} {role}"
                message = Message(id=id_, session="live", role=role, text=text, at=self.clock())
                yield question, message

    def put_away(self) -> None:
        """Suspend threads that answer `WAKING_QUESTIONS`, and some others; archive the rest.

        Some that are put away are in focus.
        """
        for name, text in _SUSPENDED.items():
            self.clock.advance(hours=3)
            self.memory.capture(Message(id=name, session=name, text=text, at=self.clock()))
        self.memory.embed()
        self.waking_threads = {self.memory.message(name).thread_id for name in _SUSPENDED}
        assert len(self.waking_threads) == len(_SUSPENDED)
        for number, thread in enumerate(self.memory.threads()):
            is_suspended = thread.id in self.waking_threads or number % 2
            (self.memory.suspend if is_suspended else self.memory.archive)(thread.id)
            if number % 3:
                self.memory.focus(thread.id)

    def woken_threads(self) -> set[str]:
        """Return the threads that were put away and are active again."""
        return {thread.id for thread in self.memory.threads() if thread.status is Status.ACTIVE}

    def messages_of_old_sessions(self) -> Iterator[Message]:
        """Yield messages of sessions whose threads are put away, one after the other in turn."""
        for number in range(2):
            for name, text in _SUSPENDED.items():
                self.clock.advance(minutes=3)
                again = f"{text} We decided to keep it."
                yield Message(id=f"{name}{number}", session=name, text=again, at=self.clock())

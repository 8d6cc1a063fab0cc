"""Where one session stands: the thread it is on, and what it has touched."""

from dataclasses import dataclass, field

from ai_smartness.capture.placing.incoming import Incoming

__all__ = ["Seat"]


@dataclass(slots=True)
class Seat:
    """What is remembered of one session."""

    current: str | None = None
    asked: str | None = None
    """The thread of the last message that was not an agent's."""
    minute: float | None = None
    messages: int = 0
    questions: int = 0
    held: list[Incoming] = field(default_factory=list)
    """Messages that looked like leaving: they stay unless the next one leaves too."""
    touched: dict[str, int] = field(default_factory=dict)
    """Its threads with the number of the last message on each, the latest last."""
    said: dict[str, str] = field(default_factory=dict)
    """By speaker, the thread of their last message."""
    told: dict[str, str] = field(default_factory=dict)
    """By speaker, the thread where they were last spoken to."""

    def sit(self, message: Incoming, thread_id: str) -> None:
        """Take note of where the session's latest message is."""
        self.messages += 1
        self.current = thread_id
        self.minute = message.minute
        self.touched.pop(thread_id, None)
        self.touched[thread_id] = self.messages
        if not message.by_agent:
            self.asked = thread_id
            self.questions += 1

    def listen(self, message: Incoming, thread_id: str) -> None:
        """Take note of who spoke, and to whom."""
        if message.speaker is not None:
            self.said[message.speaker] = thread_id
            for name in message.addressed:
                self.told[name] = thread_id

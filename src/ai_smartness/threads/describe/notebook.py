"""What describing knows of a project: the words of its threads, and some lines of each.

Fed message by message. What it answers depends on the messages and their order,
never on how they came in batches; its work grows with their number and no faster.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from ai_smartness.threads.describe.description import Description, described
from ai_smartness.threads.describe.reading import LINE_CHARACTERS, Line, read
from ai_smartness.threads.describe.weigh import Vocabulary

__all__ = ["Notebook", "next_due"]

FIRST_LINES = 40
LATEST_LINES = 40
AGENT_LINE_CHARACTERS = 600
"""Of an agent's message: it says what it did first, and lists it afterwards."""

ALWAYS_DUE = 2
"""The first messages say most; each is worth a new look."""


@dataclass(slots=True)
class _Notes:
    first: list[Line] = field(default_factory=list)
    latest: list[Line] = field(default_factory=list)
    count: int = 0
    due: int = 1
    words: set[str] = field(default_factory=set)

    def keep(self, line: Line) -> None:
        self.count += 1
        if len(self.first) < FIRST_LINES:
            self.first.append(line)
            return
        self.latest.append(line)
        if len(self.latest) > LATEST_LINES:
            del self.latest[0]


class Notebook:
    """What describing knows of one project."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._threads: dict[str, _Notes] = {}

    def __len__(self) -> int:
        return len(self._threads)

    def add(self, thread_id: str, line: Line) -> bool:
        """Note one message of a thread and say whether the thread is due for a description.

        It is at its first and second message, then whenever it has grown by three
        quarters since it last was: see `next_due`.
        """
        notes = self._threads.get(thread_id)
        if notes is None:
            notes = self._threads[thread_id] = _Notes()
            self._vocabulary.threads += 1
        most = AGENT_LINE_CHARACTERS if line.by_agent else LINE_CHARACTERS
        if len(line.text) > most:
            line = replace(line, text=line.text[:most])
        notes.keep(line)
        new = read(line, self._vocabulary.lexicon).words.keys() - notes.words
        self._vocabulary.add(new)
        notes.words |= new
        return self._is_due(notes)

    def forget(self, thread_id: str) -> None:
        """Leave a thread out again, as if nothing had been said on it."""
        notes = self._threads.pop(thread_id, None)
        if notes is not None:
            self._vocabulary.threads -= 1
            self._vocabulary.remove(notes.words)

    def description(
        self, thread_id: str, former: str = "", taken: Collection[str] = ()
    ) -> Description:
        """Describe a thread by its first 40 and its latest 40 messages.

        A thread never heard of is described like one in which nothing was said.
        """
        notes = self._threads.get(thread_id, _Notes())
        return described([*notes.first, *notes.latest], self._vocabulary, former, taken)

    @staticmethod
    def _is_due(notes: _Notes) -> bool:
        if notes.count < notes.due:
            return False
        notes.due = next_due(notes.count)
        return True


def next_due(count: int) -> int:
    """Return at which number of messages a thread described at this number is due again.

    One more for the first; then three quarters more, in whole numbers: 2, 4, 7,
    13, 23, 41, 72, 126 …
    """
    return count + 1 if count < ALWAYS_DUE else -(-count * 7 // 4)

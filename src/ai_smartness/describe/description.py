"""Describe a thread by a title, topics and a summary, without a language model.

A description uses the words that set a thread apart from the others of its project. It
depends on the messages and their order, never on how they came in batches, and the work
grows linearly with their number.
"""

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from ai_smartness.describe.parse_message import LINE_CHARACTERS, ThreadLine, parse_line
from ai_smartness.describe.summary import thread_summary
from ai_smartness.describe.title import thread_title
from ai_smartness.describe.tool_text import subject_text
from ai_smartness.describe.topics import thread_topics
from ai_smartness.describe.word_weights import Vocabulary, weighed_words
from ai_smartness.model.event import Event, is_by_agent

__all__ = ["Description", "ThreadDescriber", "described_line", "thread_description"]

FIRST_LINES = 40
LATEST_LINES = 40
AGENT_LINE_CHARACTERS = 600  # it says first what it did, and lists the details afterwards
ALWAYS_DUE_MESSAGES = 2  # the first messages say most: described again after each


@dataclass(frozen=True, slots=True)
class Description:
    """What a thread is about; each summary line is a sentence after its speaker's name."""

    title: str
    topics: tuple[str, ...]
    summary: str


def thread_description(
    lines: Sequence[ThreadLine],
    vocabulary: Vocabulary,
    former_title: str = "",
    taken_titles: Collection[str] = (),
) -> Description:
    """Describe a thread; keep its former title unless worn out, and use no taken title.

    Small talk (“thanks”, “ok, go on”) changes nothing. Pass a set or a dictionary as
    `taken_titles` when there are many.
    """
    parsed = [line for text in lines if (line := parse_line(text, vocabulary.lexicon)).words]
    informative = [line for line in parsed if line.is_informative] or parsed
    weights = weighed_words(informative, vocabulary)
    topics = thread_topics(informative, weights)
    title = thread_title(informative, weights, topics, former_title, taken_titles)
    return Description(title, topics, thread_summary(informative, weights))


def described_line(event: Event) -> ThreadLine:
    """Return an event as a line that a description is made from."""
    return ThreadLine(event.role, subject_text(event), by_agent=is_by_agent(event))


@dataclass(slots=True)
class _ThreadNotes:
    first: list[ThreadLine] = field(default_factory=list)
    latest: deque[ThreadLine] = field(default_factory=lambda: deque(maxlen=LATEST_LINES))
    count: int = 0
    due: int = 1
    words: set[str] = field(default_factory=set)

    def add_line(self, line: ThreadLine) -> None:
        self.count += 1
        (self.first if len(self.first) < FIRST_LINES else self.latest).append(line)

    def is_due(self) -> bool:
        """Say whether the thread is due for a description, and schedule the next one."""
        if self.count < self.due:
            return False
        self.due = _next_due(self.count)
        return True


class ThreadDescriber:
    """Describes the threads of one project: counts their words, keeps some lines of each."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._notes_by_thread: dict[str, _ThreadNotes] = {}

    def __len__(self) -> int:
        return len(self._notes_by_thread)

    def add(self, thread_id: str, line: ThreadLine) -> bool:
        """Add one message of a thread and say whether the thread is due for a description.

        It is due at its first three messages, then whenever it has grown by two fifths since
        its last description.
        """
        notes = self._notes_by_thread.get(thread_id)
        if notes is None:
            notes = self._notes_by_thread[thread_id] = _ThreadNotes()
            self._vocabulary.threads += 1
        most = AGENT_LINE_CHARACTERS if line.by_agent else LINE_CHARACTERS
        if len(line.text) > most:
            line = replace(line, text=line.text[:most])
        notes.add_line(line)
        new_words = parse_line(line, self._vocabulary.lexicon).words.keys() - notes.words
        self._vocabulary.add(new_words)
        notes.words |= new_words
        return notes.is_due()

    def forget(self, thread_id: str) -> None:
        """Remove a thread, as if it had no messages."""
        notes = self._notes_by_thread.pop(thread_id, None)
        if notes is not None:
            self._vocabulary.threads -= 1
            self._vocabulary.remove(notes.words)

    def description_of(
        self, thread_id: str, former_title: str = "", taken_titles: Collection[str] = ()
    ) -> Description:
        """Describe a thread by its first 40 and its latest 40 messages.

        An unknown thread is described like one without messages.
        """
        notes = self._notes_by_thread.get(thread_id, _ThreadNotes())
        lines = [*notes.first, *notes.latest]
        return thread_description(lines, self._vocabulary, former_title, taken_titles)


def _next_due(count: int) -> int:
    """Return the message count at which a thread described at this count is due again.

    One more for the first; then two fifths more: 2, 3, 5, 7, 10, 14, 20, 28, 40, 56 …
    """
    return count + 1 if count < ALWAYS_DUE_MESSAGES else -(-count * 7 // 5)

"""Say what a thread is about, without a language model: title, topics, summary.

From the words that set the thread apart from the others of its project. The
same lines against the same project always give the same words.

What describing knows of a project: the words of its threads, and some lines of each.

Fed message by message. What it answers depends on the messages and their order,
never on how they came in batches; its work grows with their number and no faster.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from ai_smartness.describe.parse_message import LINE_CHARACTERS, ThreadLine, parse_line
from ai_smartness.describe.summary import thread_summary
from ai_smartness.describe.title import thread_title
from ai_smartness.describe.topics import thread_topics
from ai_smartness.describe.word_weights import Vocabulary, weighed_words

__all__ = ["Description", "ThreadDescriber", "next_due", "thread_description"]


@dataclass(frozen=True, slots=True)
class Description:
    """What a thread is about; each line of the summary is a sentence after its speaker's name."""

    title: str
    topics: tuple[str, ...]
    summary: str


def thread_description(
    lines: Sequence[ThreadLine],
    vocabulary: Vocabulary,
    former_title: str = "",
    taken_titles: Collection[str] = (),
) -> Description:
    """Describe a thread; keep its former title unless worn out, and use none that is taken.

    Small talk (“thanks”, “ok, go on”) changes nothing. Titles are looked up in
    `taken` as they are written: give a set or a dictionary when there are many.
    """
    said = [reading for line in lines if (reading := parse_line(line, vocabulary.lexicon)).words]
    readings = [reading for reading in said if reading.is_informative] or said
    weights = weighed_words(readings, vocabulary)
    topics = thread_topics(readings, weights)
    title = thread_title(readings, weights, topics, former_title, taken_titles)
    return Description(title, topics, thread_summary(readings, weights))


FIRST_LINES = 40
LATEST_LINES = 40
AGENT_LINE_CHARACTERS = 600
"""Of an agent's message: it says what it did first, and lists it afterwards."""

ALWAYS_DUE_MESSAGES = 2
"""The first messages say most; each is worth a new look."""


@dataclass(slots=True)
class _ThreadNotes:
    first: list[ThreadLine] = field(default_factory=list)
    latest: list[ThreadLine] = field(default_factory=list)
    count: int = 0
    due: int = 1
    words: set[str] = field(default_factory=set)

    def add_line(self, line: ThreadLine) -> None:
        self.count += 1
        if len(self.first) < FIRST_LINES:
            self.first.append(line)
            return
        self.latest.append(line)
        if len(self.latest) > LATEST_LINES:
            del self.latest[0]


class ThreadDescriber:
    """What describing knows of one project."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._notes_by_thread: dict[str, _ThreadNotes] = {}

    def __len__(self) -> int:
        return len(self._notes_by_thread)

    def add(self, thread_id: str, line: ThreadLine) -> bool:
        """Note one message of a thread and say whether the thread is due for a description.

        It is at its first and second message, then whenever it has grown by three
        quarters since it last was: see `next_due`.
        """
        notes = self._notes_by_thread.get(thread_id)
        if notes is None:
            notes = self._notes_by_thread[thread_id] = _ThreadNotes()
            self._vocabulary.threads += 1
        most = AGENT_LINE_CHARACTERS if line.by_agent else LINE_CHARACTERS
        if len(line.text) > most:
            line = replace(line, text=line.text[:most])
        notes.add_line(line)
        new = parse_line(line, self._vocabulary.lexicon).words.keys() - notes.words
        self._vocabulary.add(new)
        notes.words |= new
        return self._is_due(notes)

    def forget(self, thread_id: str) -> None:
        """Leave a thread out again, as if nothing had been said on it."""
        notes = self._notes_by_thread.pop(thread_id, None)
        if notes is not None:
            self._vocabulary.threads -= 1
            self._vocabulary.remove(notes.words)

    def description_of(
        self,
        thread_id: str,
        former_title: str = "",
        taken_titles: Collection[str] = (),
    ) -> Description:
        """Describe a thread by its first 40 and its latest 40 messages.

        A thread never heard of is described like one in which nothing was said.
        """
        notes = self._notes_by_thread.get(thread_id, _ThreadNotes())
        return thread_description(
            [*notes.first, *notes.latest],
            self._vocabulary,
            former_title,
            taken_titles,
        )

    @staticmethod
    def _is_due(notes: _ThreadNotes) -> bool:
        if notes.count < notes.due:
            return False
        notes.due = next_due(notes.count)
        return True


def next_due(count: int) -> int:
    """Return at which number of messages a thread described at this number is due again.

    One more for the first; then three quarters more, in whole numbers: 2, 4, 7,
    13, 23, 41, 72, 126 …
    """
    return count + 1 if count < ALWAYS_DUE_MESSAGES else -(-count * 7 // 4)

"""Describe a thread by a title, topics and a summary, without a language model.

A description uses the words that set a thread apart from the others of its project. It
depends on the messages and their order, never on how they came in batches, and the work
grows linearly with their number. A summary has the most informative sentences, verbatim.
"""

import heapq
import math
import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ai_smartness.describe.parse_message import (
    LINE_CHARACTERS,
    ParsedLine,
    ThreadLine,
    is_unspaced,
    parse_line,
)
from ai_smartness.describe.title import thread_title
from ai_smartness.describe.title_marks import marked_title, title_mark, unmarked_title
from ai_smartness.describe.title_sources import chosen_row_line
from ai_smartness.describe.topics import thread_topics
from ai_smartness.describe.word_weights import Vocabulary, WordWeights, weighed_words
from ai_smartness.model.event import Event, EventType, event_origin, is_by_agent
from ai_smartness.text.trust import is_own_record

__all__ = [
    "Description",
    "ThreadDescriber",
    "described_line",
    "subject_text",
    "thread_description",
]

FIRST_LINES = 40
LATEST_LINES = 40
AGENT_LINE_CHARACTERS = 600  # it says first what it did, and lists the details afterwards
ALWAYS_DUE_MESSAGES = 2  # the first messages say most: described again after each

LEAST_SENTENCES, MOST_SENTENCES = 2, 5  # of a summary
SENTENCE_CHARACTERS = range(25, 321)  # shorter says nothing by itself, longer was pasted
UNSPACED_CHARACTERS = range(8, 161)  # the same for scripts that need fewer characters
USER_SENTENCE_FACTOR = 1.5
EDGE_FACTOR = 1.2  # for the opening and the outcome of a thread
FRAGMENT_FACTOR = 0.7  # for a line that does not end like a sentence: a list item, a label
LEAST_GAIN_SHARE = 0.25  # of the first sentence's gain: one that adds less is left out
STEADY_WORDS = 8  # added to a sentence's length, so that a short one does not win by being short

_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")

_QUOTATION = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_TOOL_TYPES = (EventType.TOOL_CALL, EventType.TOOL_RESULT)
_RECORD_WORDS = re.compile(
    # Whole lines: commands, how they ended, what was left out, the places of a diff.
    r"^(?:\$ .*|\[(?:exit code -?\d+|interrupted|minified|has private parts)\]|@@ .* @@.*)$"
    r"|\[… [^\]\n]{1,60}\]"
    # The first words of a line.
    r"|^(?:Edited|Created|Read|Fetched|Searched the web for|Asked a subagent:?)(?= )"
    r"|^[+-](?=\S)",
    re.MULTILINE,
)


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
    marks = {line.mark for line in lines if line.mark}
    former_title = unmarked_title(former_title)
    parsed = [line for text in lines if (line := parse_line(text, vocabulary.lexicon)).words]
    informative = [line for line in parsed if line.is_informative] or parsed
    weights = weighed_words(informative, vocabulary)
    topics = thread_topics(informative, weights)
    chosen = chosen_row_line(lines)
    naming = [parse_line(chosen, vocabulary.lexicon), *informative] if chosen else informative
    title = thread_title(naming, weights, topics, former_title, taken_titles)
    if marks:
        title = marked_title(title, lines)
    return Description(title, topics, thread_summary(informative, weights))


def described_line(event: Event) -> ThreadLine:
    """Return an event as a line that a description is made from."""
    speaker = event_origin(event) or event.role
    mark = "" if is_own_record(event.text) else title_mark(event)
    return ThreadLine(speaker, subject_text(event), by_agent=is_by_agent(event), mark=mark)


def subject_text(event: Event) -> str:
    """Return the text of an event; of a tool's, without the words of our own format."""
    if event.type not in _TOOL_TYPES:
        # What an agent quotes is not what the thread is about in its own words.
        own = _QUOTATION.sub("", event.text) if is_by_agent(event) else event.text
        return own if own.strip() else event.text
    text = _RECORD_WORDS.sub("", event.text).strip()
    # The program's name says little; what it was given may say more.
    return text or event.text.removeprefix("$ ").partition("\n")[0].partition(" ")[2]


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


class _Candidate(NamedTuple):
    speaker: str
    text: str
    words: tuple[str, ...]
    factor: float


def thread_summary(lines: Sequence[ParsedLine], weights: WordWeights) -> str:
    """Return two to five sentences, one to a line, each after its speaker's name."""
    pool = list(_summary_candidates(lines))
    covered: set[str] = set()
    # A sentence only ever loses by the words covered before it, so an old gain is an upper bound.
    queue = [
        (-_information_gain(candidate, covered, weights), number)
        for number, candidate in enumerate(pool)
    ]
    heapq.heapify(queue)
    chosen: list[int] = []
    first = 0.0
    while queue and len(chosen) < MOST_SENTENCES:
        _, number = queue[0]
        gain = _information_gain(pool[number], covered, weights)
        if len(queue) > 1 and (-gain, number) > min(queue[1:3]):
            heapq.heapreplace(queue, (-gain, number))
            continue
        if len(chosen) >= LEAST_SENTENCES and gain < LEAST_GAIN_SHARE * first:
            break
        heapq.heappop(queue)
        first = first or gain
        chosen.append(number)
        covered.update(pool[number].words)
    return "\n".join(f"{pool[number].speaker}: {pool[number].text}" for number in sorted(chosen))


def _summary_candidates(lines: Sequence[ParsedLine]) -> Iterator[_Candidate]:
    seen: set[str] = set()
    for number, line in enumerate(lines):
        factor = 1.0 if line.by_agent else USER_SENTENCE_FACTOR
        if number == 0 or number >= len(lines) - 2:
            factor *= EDGE_FACTOR
        speaker = " ".join(line.speaker.split())
        for sentence in line.sentences:
            if _is_sentence(sentence.text) and sentence.text not in seen:
                seen.add(sentence.text)
                is_whole = sentence.text.endswith(_SENTENCE_ENDS)
                words = {word.folded: None for clause in sentence.clauses for word in clause}
                weight = factor if is_whole else factor * FRAGMENT_FACTOR
                yield _Candidate(speaker, sentence.text, tuple(words), weight)


def _is_sentence(text: str) -> bool:
    return not text.startswith("|") and (
        len(text) in SENTENCE_CHARACTERS or (len(text) in UNSPACED_CHARACTERS and is_unspaced(text))
    )


def _information_gain(candidate: _Candidate, covered: set[str], weights: WordWeights) -> float:
    by_word = weights.by_word
    new = sum(by_word[word] for word in candidate.words if word not in covered)
    return candidate.factor * new / math.sqrt(STEADY_WORDS + len(candidate.words))

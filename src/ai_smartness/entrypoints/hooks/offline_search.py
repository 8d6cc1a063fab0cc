"""Answer a prompt by keywords that no daemon answers, or none in time.

`OfflineIndex` reads the memory's file. Relevance is measured as in `search/relevance.py` without an
embedding: by the share of the question's information that a message has. Nothing is shown if
that is little. Loading the core instead takes 417 ms where this takes 22 ms.
"""

import time

from ai_smartness.adapters.sqlite.offline_index import (
    MAX_LINES,
    MICROSECONDS,
    FocusWeights,
    FoundMessage,
    OfflineIndex,
    open_index,
)
from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.text.display import matching_excerpt, one_line
from ai_smartness.text.markers import BLOCK_HEAD, MEMORY_CLOSE, MEMORY_OPEN
from ai_smartness.text.trust import (
    UNTRUSTED_TIERS,
    is_named,
    is_own_record,
    origin_label,
    trust_tier,
)
from ai_smartness.text.words import (
    has_words,
    question_words,
)

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "FoundMessage",
    "OfflineAnswer",
    "OfflineIndex",
    "day_text",
    "focus_boost",
    "grouped_by_thread",
    "is_asked",
    "memory_block",
    "offline_answer",
    "open_index",
    "thread_entry",
]

MIN_RELEVANCE = 0.5  # a little above the daemon's floor: the daemon knows more
SECONDARY_RELEVANCE_SHARE = 2 / 3
MAX_THREADS = 5
LINE_CHARACTERS = 320
MAX_BLOCK_CHARACTERS = 4_000


# As in `threads/focus.py`; a test compares the two.
TOPIC_BOOST = 0.3
ID_BOOST = 0.5
TITLE_BOOST = 0.2
MAX_BOOST = 0.5


_WITHOUT_DAEMON = "found by keyword only: the rest of the memory was not ready in time"


class OfflineAnswer:
    """The text to add to a prompt, and the messages that it shows completely, by thread."""

    __slots__ = ("text", "whole_lines")

    def __init__(self, text: str, whole_lines: "dict[str, list[int]]") -> None:
        self.text = text
        self.whole_lines = whole_lines


def offline_answer(
    database: str, event: HookEvent, prompt: str, until: float, *, is_server_away: bool = False
) -> OfflineAnswer:
    """Return the answer to a prompt; an empty one if nothing is relevant enough."""
    index = open_index(database, event.cwd, until, is_server_away=is_server_away)
    if index is None:
        return OfflineAnswer("", {})
    try:
        foci = index.read_foci(event.session)
        messages = [*index.search(prompt), *index.focused_messages(foci)]
        epoch_start = index.epoch_start_seq(event.session)
    finally:
        index.close()

    def is_visible(message: FoundMessage) -> bool:
        is_own = event.session and message.session == event.session
        return bool(is_own and message.seq > epoch_start) or message.text.strip() in prompt

    new = [message for message in messages if not is_visible(message) and is_asked(message, prompt)]
    focused = [message for message in new if message.is_focused]
    threads = _ranked_threads([*_relevant_messages(new), *focused], foci)
    entries = _fitting_entries(threads, question_words(prompt))
    whole_lines = {messages[0].thread: _whole_lines(messages) for _, messages in entries}
    return OfflineAnswer(memory_block(text for text, _ in entries), whole_lines)


def is_asked(message: FoundMessage, prompt: str) -> bool:
    """Say whether a message may be shown before a prompt: a tool's or a page's if it is named."""
    source = message.role, message.source, message.payload, message.text
    if trust_tier(*source) not in UNTRUSTED_TIERS or is_own_record(message.text):
        return True
    return is_named(prompt, message.role, message.payload, message.text)


def _relevant_messages(messages: "list[FoundMessage]") -> "list[FoundMessage]":
    """Return the messages that are relevant enough; none if the best is not."""
    best = max((message.relevance for message in messages), default=0.0)
    floor = MIN_RELEVANCE * SECONDARY_RELEVANCE_SHARE if best >= MIN_RELEVANCE else MIN_RELEVANCE
    return [message for message in messages if message.relevance >= floor]


def _ranked_threads(
    messages: "list[FoundMessage]", foci: FocusWeights
) -> "list[list[FoundMessage]]":
    """Return the messages by thread: focused threads first, then the most relevant."""
    threads = [_shown_messages(thread) for thread in grouped_by_thread(messages)]

    def rank(thread: "list[FoundMessage]") -> "tuple[bool, float]":
        best = thread[0]
        boost = focus_boost(best.thread, best.title, best.topics, foci)
        return not best.is_focused, -(best.relevance + boost)

    return sorted(threads, key=rank)


def _shown_messages(thread: "list[FoundMessage]") -> "list[FoundMessage]":
    """Return a thread's matching messages, or its latest ones if none matches."""
    matching = [message for message in thread if not message.is_focused]
    for message in matching:
        message.is_focused = len(matching) < len(thread)
    return matching or thread


def grouped_by_thread(messages: "list[FoundMessage]") -> "list[list[FoundMessage]]":
    """Return the messages of each thread, in the order of the threads' first messages."""
    threads = dict[str, list[FoundMessage]]()
    for message in messages:
        threads.setdefault(message.thread, []).append(message)
    return list(threads.values())


def _fitting_entries(
    threads: "list[list[FoundMessage]]", words: "list[str]"
) -> "list[tuple[str, list[FoundMessage]]]":
    """Return the entries that a block has room for, each with its messages."""
    room, entries = MAX_BLOCK_CHARACTERS, list[tuple[str, list[FoundMessage]]]()
    for thread in threads[:MAX_THREADS]:
        messages = thread[:MAX_LINES]
        entry = thread_entry(messages, words, LINE_CHARACTERS)
        room -= len(entry)
        if room < 0:
            break
        entries.append((entry, messages))
    return entries


def _whole_lines(messages: "list[FoundMessage]") -> "list[int]":
    """Return the numbers of messages that an entry shows to the last word."""
    return [message.seq for message in messages if len(message.text) <= LINE_CHARACTERS]


def memory_block(entries: "Iterable[str]") -> str:
    """Return the block with these entries, in the marks of `inject/block.py`; empty for none."""
    body = "".join(entries)
    return f"{MEMORY_OPEN}>\n{BLOCK_HEAD}\n{_WITHOUT_DAEMON}\n{body}{MEMORY_CLOSE}" if body else ""


def thread_entry(messages: "list[FoundMessage]", words: "Iterable[str]", characters: int) -> str:
    """Return one thread with an excerpt of each message, the best first."""
    best = messages[0]
    why = "focus" if best.is_focused else f"relevance {best.relevance:.2f}"
    about = f"{best.status}; last active {day_text(best.last_active)}; {why}"
    lines = [f"\n[{best.thread}] {one_line(best.title)} ({about})"]
    for message in messages:
        text = one_line(matching_excerpt(message.text, words, characters))
        label = origin_label(message.role, message.source, message.payload, message.text)
        lines.append(f"  {day_text(message.at)} {one_line(label or message.role)}: {text}")
    return "\n".join(lines) + "\n"


def day_text(microseconds: int) -> str:
    """Write the day of a stored time."""
    return time.strftime("%Y-%m-%d", time.gmtime(microseconds // MICROSECONDS))


def focus_boost(thread: str, title: str, topics: str, foci: FocusWeights) -> float:
    """Measure how much a thread gains from the foci, by its topics as they are stored.

    Each topic is stored in quotation marks, so a whole word of one is a whole word of the text.
    """
    title, topics = title.casefold(), topics.casefold()
    boost = 0.0
    for topic, weight in foci:
        boost += weight * TOPIC_BOOST if has_words(topics, topic) else 0.0
        boost += weight * ID_BOOST if topic == thread else 0.0
        boost += weight * TITLE_BOOST if topic in title else 0.0
    return min(MAX_BOOST, boost)

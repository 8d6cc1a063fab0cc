"""Describe a thread again after messages were moved to or from it.

The description of a growing thread is updated as messages come in. When many move at once,
it is rebuilt here from the thread's first and latest messages, compared with the
descriptions of the project's other threads.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ai_smartness.describe.description import Description, ThreadDescriber, described_line
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.model.annotation import Annotation, MentionKind
from ai_smartness.model.browse import ThreadFilter
from ai_smartness.model.event import Event
from ai_smartness.model.focus import folded_topic
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.message_order import in_conversation_order

__all__ = [
    "MOST_THREAD_FILES",
    "Redescriber",
    "all_topics",
    "thread_with_description",
    "thread_with_files",
]

MOST_OTHER_THREADS = 300  # the project's latest threads; enough to learn its common words
OUTER_LINES = 40  # how many of the first and of the latest messages describe a long thread
FILE_MESSAGES = 500  # how many of the latest messages are read for file names
MOST_THREAD_FILES = 32  # how many files a thread remembers; the latest ones stay


class Redescriber:
    """Describes threads of one project against the descriptions of the others."""

    def __init__(self, store: ThreadStore, project: str) -> None:
        self._store = store
        threads = store.threads.page(project, ThreadFilter(), MOST_OTHER_THREADS)
        self._others = {thread.id: thread for thread in threads}

    def redescribed_with_files(self, thread: Thread, events: Sequence[Event]) -> Thread:
        """Return the thread with a description and files that come from these events alone."""
        described = self.redescribed_thread(thread, in_conversation_order(events))
        return self.with_files_of(described, events)

    def redescribed_thread(self, thread: Thread, events: Sequence[Event]) -> Thread:
        """Return the thread described by these events; a title somebody gave stays."""
        self._describer.forget(thread.id)
        for event in _outer_events(events):
            self._describer.add(thread.id, described_line(event))
        other_titles = {other.title for other in self._others.values() if other.id != thread.id}
        description = self._describer.description_of(thread.id, thread.title, other_titles)
        self._describer.forget(thread.id)
        if thread.id in self._others:
            self._describer.add(thread.id, _description_line(self._others[thread.id]))
        return thread_with_description(thread, description)

    def with_files_of(self, thread: Thread, events: Sequence[Event]) -> Thread:
        """Return the thread with only the files that these events name."""
        thread = replace(thread, files=(), commit=None)
        latest = [event.seq for event in events[-FILE_MESSAGES:]]
        annotations = self._store.annotations.of(latest)
        for seq in latest:
            if seq in annotations:
                thread = thread_with_files(thread, annotations[seq])
        return thread

    @cached_property
    def _describer(self) -> ThreadDescriber:
        """The describer that knows the other threads; they are read once."""
        describer = ThreadDescriber()
        for other in self._others.values():
            describer.add(other.id, _description_line(other))
        return describer


def thread_with_description(thread: Thread, description: Description) -> Thread:
    """Return the thread with a new description; a title and topics that somebody gave stay."""
    title = thread.title if thread.title_given else description.title
    topics = all_topics(thread.topics_given, description.topics)
    return replace(thread, title=title, topics=topics, summary=description.summary)


def all_topics(given_topics: Sequence[str], found_topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics that somebody gave, followed by those found in the messages."""
    known = {folded_topic(topic) for topic in given_topics}
    return (*given_topics, *(topic for topic in found_topics if folded_topic(topic) not in known))


def thread_with_files(thread: Thread, annotation: Annotation) -> Thread:
    """Return the thread after a message named these files."""
    named = [mention.name for mention in annotation.mentions if mention.named is MentionKind.PATH]
    files = dict.fromkeys([*(file for file in thread.files if file not in named), *named])
    commit = annotation.commit or thread.commit
    return replace(thread, files=tuple(files)[-MOST_THREAD_FILES:], commit=commit)


def _description_line(thread: Thread) -> ThreadLine:
    return ThreadLine("", "\n".join((thread.title, ", ".join(thread.topics), thread.summary)))


def _outer_events(events: Sequence[Event]) -> Sequence[Event]:
    if len(events) <= 2 * OUTER_LINES:
        return events
    return [*events[:OUTER_LINES], *events[-OUTER_LINES:]]

"""Say what a thread is about once its messages have changed hands.

The description of a growing thread is kept up as its messages come in. When
many go at once it is made anew here: from some lines of the thread, set apart
from the others of its project by what those are said to be about.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ai_smartness.describe import ThreadDescriber, ThreadLine
from ai_smartness.model.annotation import Annotation, MentionKind
from ai_smartness.model.event import Event, is_by_agent
from ai_smartness.model.focus import folded_topic
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = ["Redescriber", "all_topics", "thread_with_files"]

MOST_OTHER_THREADS = 300
"""The latest of a project: enough to know its common words by."""

OUTER_LINES = 40
"""Of a long thread, its first and its latest."""

FILE_MESSAGES = 500
"""Messages, the latest, that are read for the files they name: more of them are kept of few."""

MOST_THREAD_FILES = 32
"""The files a thread remembers it was about; of more, the latest."""


class Redescriber:
    """Who describes threads of one project, knowing what the others are about."""

    def __init__(self, store: ThreadStore, project: str) -> None:
        self._store = store
        self._others = {each.id: each for each in store.threads.all(project)[:MOST_OTHER_THREADS]}

    def redescribed_thread(self, thread: Thread, events: Sequence[Event]) -> Thread:
        """Return the thread described anew by these events of its; a given title stays."""
        self._describer.forget(thread.id)
        for event in _outer_events(events):
            line = ThreadLine(event.role, event.text, by_agent=is_by_agent(event))
            self._describer.add(thread.id, line)
        taken = {other.title for other in self._others.values() if other.id != thread.id}
        found = self._describer.description_of(thread.id, thread.title, taken)
        self._describer.forget(thread.id)
        if thread.id in self._others:
            self._describer.add(
                thread.id,
                ThreadLine("", _description_text(self._others[thread.id])),
            )
        title = thread.title if thread.title_given else found.title
        topics = all_topics(thread.topics_given, found.topics)
        return replace(thread, title=title, topics=topics, summary=found.summary)

    @cached_property
    def _describer(self) -> ThreadDescriber:
        """What the others are about, read once however many threads are described."""
        notebook = ThreadDescriber()
        for other in self._others.values():
            notebook.add(other.id, ThreadLine("", _description_text(other)))
        return notebook

    def with_files_of(self, thread: Thread, events: Sequence[Event]) -> Thread:
        """Return the thread with the files that these events of its name, and no others."""
        bare = replace(thread, files=(), commit=None)
        notes = self._store.annotations.of(event.seq for event in events[-FILE_MESSAGES:])
        for event in events[-FILE_MESSAGES:]:
            if event.seq in notes:
                bare = thread_with_files(bare, notes[event.seq])
        return bare


def all_topics(given: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """Return the topics that somebody gave, and after them those that were found."""
    known = {folded_topic(topic) for topic in given}
    return (*given, *(topic for topic in found if folded_topic(topic) not in known))


def thread_with_files(thread: Thread, note: Annotation) -> Thread:
    """Return the thread as it is once a message named these files."""
    named = [mention.name for mention in note.mentions if mention.named is MentionKind.PATH]
    files = dict.fromkeys([*(file for file in thread.files if file not in named), *named])
    return replace(
        thread,
        files=tuple(files)[-MOST_THREAD_FILES:],
        commit=note.commit or thread.commit,
    )


def _description_text(thread: Thread) -> str:
    return "\n".join((thread.title, ", ".join(thread.topics), thread.summary))


def _outer_events(events: Sequence[Event]) -> Sequence[Event]:
    if len(events) <= 2 * OUTER_LINES:
        return events
    return [*events[:OUTER_LINES], *events[-OUTER_LINES:]]

"""Suggest topics that fit the context and were not mentioned in this session.

Hints are grouped by topic, each with the time since it was last mentioned: in sessions, as an
agent counts, or in days for messages outside of any session.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.suggestion import RecallHint
from ai_smartness.model.thread import Thread
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.text.stopwords import (
    GRAMMAR_SHARE,
    STOPWORDS,
    conversation_share,
    is_negation,
)
from ai_smartness.threads.ids import is_thread_id_start

__all__ = ["FittingThread", "SessionTimeline", "recall_hints", "sessions_since"]

TOPIC_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class FittingThread:
    """A thread that fits, its last event, the text of its best match, and its deleted files."""

    thread: Thread
    last: Event | None
    fitting: str = ""
    gone_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTimeline:
    """The present time and session, and the number of each session's last event."""

    at: datetime
    session: str | None
    ends: Mapping[str, int]


def recall_hints(
    fitting: Sequence[FittingThread], timeline: SessionTimeline, most: int
) -> tuple[RecallHint, ...]:
    """Return the topics of the fitting threads, which come best first."""
    counts = Counter(topic.casefold() for match in fitting for topic in set(match.thread.topics))
    groups: dict[str, list[FittingThread]] = {}
    for match in fitting:
        topic = _hint_topic(match, counts)
        if topic and not is_thread_id_start(topic):
            groups.setdefault(topic.casefold(), []).append(match)
    return tuple(
        RecallHint(
            topic=_hint_topic(group[0], counts),
            last_mentioned=_last_mentioned(group, timeline),
            thread_count=len(group),
        )
        for group in list(groups.values())[:most]
    )


def sessions_since(last: Event, timeline: SessionTimeline) -> int:
    """Count the sessions after that of an event, including the present one."""
    later = {session for session, end in timeline.ends.items() if end > last.seq}
    if timeline.session:
        later.add(timeline.session)
    return len(later - {last.session})


def _hint_topic(match: FittingThread, counts: Counter[str]) -> str:
    """Return the topic in the matching message that most threads share, else the title.

    A thread may have other topics that do not fit. It is empty if nothing names a subject.
    """
    gone_names = {name for file in match.gone_files for name in (file, file.rsplit("/", 1)[-1])}
    topics = [
        topic for topic in match.thread.topics if _names_subject(topic) and topic not in gone_names
    ]
    text = match.fitting.casefold()
    if topics:
        return max(topics, key=lambda topic: (topic.casefold() in text, counts[topic.casefold()]))
    title = shortened_text(one_line(match.thread.title), TOPIC_CHARACTERS)
    names_gone_file = any(name in title for name in gone_names)
    return title if _names_subject(title) and not names_gone_file else ""


def _names_subject(topic: str) -> bool:
    """Say whether a topic has a word that says what it is about: "cannot" says nothing."""
    words = topic.casefold().replace("\u2019", "'").split()
    return any(
        conversation_share(word) < GRAMMAR_SHARE and word not in STOPWORDS and not is_negation(word)
        for word in words
    )


def _last_mentioned(group: Sequence[FittingThread], timeline: SessionTimeline) -> str:
    events = [match.last for match in group if match.last is not None]
    last = max(events, key=lambda event: event.seq, default=None)
    sessions = sessions_since(last, timeline) if last and last.session else 0
    if sessions:
        return f"{sessions:,} session{'s' if sessions > 1 else ''} ago"
    at = last.at if last else max(match.thread.last_active for match in group)
    days = (timeline.at - at).days
    return f"{days:,} day{'s' if days > 1 else ''} ago" if days > 0 else "today"

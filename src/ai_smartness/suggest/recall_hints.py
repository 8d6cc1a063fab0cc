"""What is known that fits the context and was not spoken of in this session.

Hints are grouped by topic, each with how long it has been out of mind: a session
is how an agent counts, days are for what was said in none.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.suggestion import RecallHint
from ai_smartness.model.thread import Thread
from ai_smartness.search.recall import is_thread_id_start
from ai_smartness.text.display import one_line, shortened_text

__all__ = ["FittingThread", "SessionEnds", "recall_hints", "sessions_since"]

TOPIC_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class FittingThread:
    """A thread that fits, the last thing that was said on it, and the message that fits best."""

    thread: Thread
    last: Event | None
    fitting: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnds:
    """The present: the session that asks, and where each session of the project ended."""

    at: datetime
    session: str | None
    ends: Mapping[str, int]


def recall_hints(
    mentions: Sequence[FittingThread], now: SessionEnds, most: int
) -> tuple[RecallHint, ...]:
    """Return the topics of threads that fit, given the best first."""
    spread = Counter(topic.casefold() for each in mentions for topic in set(each.thread.topics))
    groups: dict[str, list[FittingThread]] = {}
    for each in mentions:
        topic = _hint_topic(each, spread)
        if topic and not is_thread_id_start(topic):
            groups.setdefault(topic.casefold(), []).append(each)
    return tuple(
        RecallHint(
            topic=_hint_topic(group[0], spread),
            last_mentioned=_last_mentioned(group, now),
            thread_count=len(group),
        )
        for group in list(groups.values())[:most]
    )


def sessions_since(last: Event, now: SessionEnds) -> int:
    """Count the sessions after the one in which something was said last, this one among them."""
    later = {session for session, end in now.ends.items() if end > last.seq}
    if now.session:
        later.add(now.session)
    return len(later - {last.session})


def _hint_topic(mention: FittingThread, spread: Counter[str]) -> str:
    """Return the topic of the message that fits which most others share; a title if there is none.

    A thread may be about much that does not fit.
    """
    topics, fitting = mention.thread.topics, mention.fitting.casefold()
    if not topics:
        return shortened_text(one_line(mention.thread.title), TOPIC_CHARACTERS)
    return max(topics, key=lambda each: (each.casefold() in fitting, spread[each.casefold()]))


def _last_mentioned(group: Sequence[FittingThread], now: SessionEnds) -> str:
    said = [each.last for each in group if each.last is not None]
    last = max(said, key=lambda event: event.seq, default=None)
    sessions = sessions_since(last, now) if last and last.session else 0
    if sessions:
        return f"{sessions:,} session{'s' if sessions > 1 else ''} ago"
    at = last.at if last else max(each.thread.last_active for each in group)
    days = (now.at - at).days
    return f"{days:,} day{'s' if days > 1 else ''} ago" if days > 0 else "today"

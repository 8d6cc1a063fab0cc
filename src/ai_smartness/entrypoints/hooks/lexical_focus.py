"""What is in focus, read from the memory's file when no daemon is there to ask.

As in `threads/focus.py`; tests hold the two against each other. A file from before there was
a focus has none.
"""

import time

from ai_smartness.model.whole_words import has_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3

__all__ = ["InFocus", "boost", "in_focus"]

TOPIC_BOOST = 0.3
ID_BOOST = 0.5
TITLE_BOOST = 0.2
MOST_BOOST = 0.5

MOST_FOCI = 20
SECOND_MICROSECONDS = 1_000_000

InFocus = list[tuple[str, float]]
"""Topics or thread ids, folded, each with its weight."""


def in_focus(connection: "_sqlite3.Connection", project: int, session: str) -> InFocus:
    """Return what is in focus in a session, or whatever session it is."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'focus'").fetchone():
        return []
    now = int(time.time() * SECOND_MICROSECONDS)
    rows = connection.execute(
        "SELECT folded, weight FROM focus WHERE project_id = ? AND session IN ('', ?) "
        "AND (until IS NULL OR until > ?) AND weight > 0 ORDER BY set_at DESC LIMIT ?",
        (project, session, now, MOST_FOCI),
    )
    return [(str(topic), float(weight)) for topic, weight in rows.fetchall()]


def boost(thread: str, title: str, topics: str, foci: InFocus) -> float:
    """Measure how much what is in focus adds to a thread, by its topics as they are written down.

    They are written down in quotation marks, so that a whole word of one is one of all.
    """
    named, about = title.casefold(), topics.casefold()
    added = 0.0
    for topic, weight in foci:
        added += weight * TOPIC_BOOST if has_words(about, topic) else 0.0
        added += weight * ID_BOOST if topic == thread else 0.0
        added += weight * TITLE_BOOST if topic in named else 0.0
    return min(MOST_BOOST, added)

"""Mark a title whose words come from a tool, a web page, a file or an import.

A title stands above what others said, and an agent reads it as our own words. One that neither a
user nor an agent can have given says where its words come from: `web: Calibration handbook`.
"""

import re
from collections.abc import Iterable, Sequence

from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.model.event import Event, event_tier
from ai_smartness.text.trust import (
    IMPORTED,
    SHARED,
    STATING_TIERS,
    TOOL,
    UNTRUSTED_TIERS,
    content_kind,
)

__all__ = ["marked_title", "title_mark", "unmarked_title"]

TITLE_MARKS = (TOOL, "web", "file", IMPORTED, SHARED)
STEM_CHARACTERS = 5  # by which a word is known in another form: "renaming" by "rename"
LEAST_SHARE = 0.5  # of a title's words that a user or an agent must have used

_WORD = re.compile(r"[^\W_]{3,}")
_MARK = re.compile(rf"(?:{'|'.join(TITLE_MARKS)}): ")


def title_mark(event: Event) -> str:
    """Return the mark of a title made of an event's words; none for a user's or an agent's."""
    tier = event_tier(event)
    if tier in STATING_TIERS:
        return ""
    if tier in UNTRUSTED_TIERS:
        return content_kind(event.source.casefold(), event.payload, event.text) or TOOL
    return tier


def marked_title(title: str, lines: Sequence[ThreadLine]) -> str:
    """Return a title with the mark of its source, unless a user or an agent has its words."""
    wanted = _stems(title)
    spoken = _stems_of(line.text for line in lines if not line.mark)
    missing = wanted - spoken
    if not wanted or len(missing) <= (1 - LEAST_SHARE) * len(wanted):
        return title
    marked = [line for line in lines if line.mark]
    best = max(marked, key=lambda line: len(missing & _stems(line.text)), default=None)
    return f"{best.mark}: {title}" if best and missing & _stems(best.text) else title


def unmarked_title(title: str) -> str:
    """Return a title without its mark."""
    return _MARK.sub("", title, count=1) if _MARK.match(title) else title


def _stems_of(texts: Iterable[str]) -> set[str]:
    return set[str]().union(*map(_stems, texts))


def _stems(text: str) -> set[str]:
    return {word[:STEM_CHARACTERS] for word in _WORD.findall(text.casefold())}

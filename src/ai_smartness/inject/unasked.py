"""Leave out what nobody asked for: the lines of tools, pages and files that a prompt does not name.

They are data that others wrote, and may be written to be obeyed, also where an agent quotes them
(`> …`). Such a line is shown before a prompt only if the prompt names its source (the file, the
host, the command, the tool), if it is the agent's own (a command it ran, an edit it made), if it is
the error of a tool, or if it is a bare figure that a command of the agent printed. A recall shows
them all, each with its source.
"""

import re
from collections.abc import Sequence

from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.model.event import Event, event_tier
from ai_smartness.model.search import Hit
from ai_smartness.ports import ThreadStore
from ai_smartness.search.answer_lines import letters_only
from ai_smartness.text.trust import (
    AGENT,
    TOOL,
    UNTRUSTED_TIERS,
    is_command_output,
    is_named,
    is_own_line,
)

__all__ = ["is_shown_unasked", "unasked_hits"]

LEAST_LETTERS = 12  # of a quotation: fewer may stand anywhere

# "app slot: 198412 / 229376 bytes (86.5 %)": a name, a number and its unit, and no room for prose.
_FIGURE = re.compile(
    r"[^\W\d][\w ,.()/%-]{1,48}(?::| =) {0,8}[-+~]?\d[\d.,'_]{0,20}"
    r"(?:[ /%]{1,3}[\w().%/-]{1,12}){0,4}"
)


def unasked_hits(store: ThreadStore, hits: Sequence[Hit], prompt: str) -> list[Hit]:
    """Return the lines that may be shown before a prompt."""
    doubtful = {hit.seq for hit in hits if hit.tier in UNTRUSTED_TIERS or _may_quote(hit)}
    events = store.events.by_seq(doubtful) if doubtful else {}
    return [
        hit
        for hit in hits
        if hit.seq not in doubtful or is_shown_unasked(hit.text, events[hit.seq], prompt)
    ]


def _may_quote(hit: Hit) -> bool:
    return hit.tier == AGENT and ">" in hit.text


def is_shown_unasked(line: str, event: Event, prompt: str) -> bool:
    """Say whether a line may be shown before a prompt: of a tool, a page, or quoted by an agent."""
    if event_tier(event) not in UNTRUSTED_TIERS:
        return not _quotes_others(line, event.text)
    if is_own_line(line, event.text) or is_named(prompt, event.role, event.payload, event.text):
        return True
    if event_tier(event) != TOOL:
        return False
    is_figure = is_command_output(event.payload, event.text) and _FIGURE.fullmatch(line) is not None
    return is_figure or any(find_error_messages(line))


def _quotes_others(line: str, text: str) -> bool:
    """Say whether a line has words that stand in its message as a quotation."""
    letters = letters_only(line)
    quotations = (letters_only(one) for one in text.splitlines() if one.lstrip().startswith(">"))
    return any(
        len(one) >= LEAST_LETTERS and (one in letters or letters in one) for one in quotations
    )

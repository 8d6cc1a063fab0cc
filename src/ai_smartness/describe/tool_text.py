"""The words of a tool's event that belong to its subject, without the format of our records.

A record begins with `$ command`, `[exit code 1]` or `Edited path`, and marks what it leaves out.
Such words are in every thread, and a thread is not about them.
"""

import re

from ai_smartness.model.event import Event, EventType

__all__ = ["subject_text"]

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


def subject_text(event: Event) -> str:
    """Return the text of an event; of a tool's, without the words of our own format."""
    if event.type not in _TOOL_TYPES:
        return event.text
    text = _RECORD_WORDS.sub("", event.text).strip()
    # The program's name says little; what it was given may say more.
    return text or event.text.removeprefix("$ ").partition("\n")[0].partition(" ")[2]

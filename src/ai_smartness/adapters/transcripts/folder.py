"""Which folder a session was held in, as the beginning of its transcript tells."""

import json
import re
from pathlib import Path

__all__ = ["worked_in"]

SNIFFED_BYTES = 262_144
"""Instructions and settings may stand before the first line that names it."""

_CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.)*")')


def worked_in(transcript: Path) -> str:
    """Return the first folder that is named; nothing if none is, or it cannot be read."""
    try:
        with transcript.open("rb") as file:
            found = _CWD.search(file.read(SNIFFED_BYTES))
        return str(json.loads(found[1])) if found else ""
    except (OSError, ValueError):
        return ""

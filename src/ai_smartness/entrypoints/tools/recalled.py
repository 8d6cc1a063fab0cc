"""A recall as an agent reads it that asked by a tool: the next step is a call."""

import re

from ai_smartness.entrypoints.tools.spelling import call_of
from ai_smartness.model.recalled import Recalled

__all__ = ["recalled_text"]

# Only our own line begins like this: what is stored stands behind a dash or a label.
_NEXT = re.compile(r'^(Next: )Read\("\.ai/recall/(.*?)"\)', re.MULTILINE)


def recalled_text(recalled: Recalled) -> str:
    """Return the whole answer, between its marks."""
    return _NEXT.sub(lambda found: found[1] + call_of("ai_recall", found[2]), recalled.text)

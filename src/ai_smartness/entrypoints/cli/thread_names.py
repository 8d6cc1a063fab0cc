"""How threads are named to people: by their title, with the short id that every command takes.

If two threads of a project share a short id, the whole id is shown instead.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.short_ids import short_id
from ai_smartness.model.thread import short_thread_id
from ai_smartness.text.display import one_line, shortened_text

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.thread import Thread

__all__ = ["ThreadNames"]

TITLE_CHARACTERS = 60
UNTITLED = "a thread that is gone"

_OTHER_ID = re.compile(r"\b(?:msg|(?P<kind>bridge))_[0-9a-f]{16}\b")
_THREAD_ID = re.compile(r"(?P<id>thread_[0-9]{8}_[0-9]{6}_[0-9a-f]{6})\b(?: “(?P<title>[^”]+)”)?")


class ThreadNames:
    """The titles and short ids of a memory's threads, each looked up once."""

    def __init__(self, memory: "Memory", every: "Sequence[Thread]" = ()) -> None:
        self._memory = memory
        self._titles: dict[str, str | None] = {thread.id: thread.title for thread in every}
        # If all threads are at hand, none has to be asked for.
        counts = Counter(short_thread_id(thread.id) for thread in every)
        self._ids = {
            thread.id: short if counts[short] == 1 else thread.id
            for thread in every
            for short in [short_thread_id(thread.id)]
        }

    def title(self, thread_id: str) -> str:
        """Return the title of a thread, on one line."""
        title = self._stored_title(thread_id)
        return UNTITLED if title is None else shortened_text(one_line(title), TITLE_CHARACTERS)

    def short_id(self, thread_id: str) -> str:
        """Return the shortest id that leads to this thread alone."""
        if thread_id not in self._ids:
            short = short_thread_id(thread_id)
            try:
                self._memory.thread_title(short)
            except NotFoundError:
                pass
            except RefusedError:
                short = thread_id
            self._ids[thread_id] = short
        return self._ids[thread_id]

    def name(self, thread_id: str) -> str:
        """Return the title with the short id, as `Sessions in Redis [c7de45]`."""
        return f"{self.title(thread_id)} [{self.short_id(thread_id)}]"

    def named_text(self, text: str) -> str:
        """Return a sentence of ours with names in the place of ids; a repeated one is short."""
        named: set[str] = set()

        def replacement(match: re.Match[str]) -> str:
            thread_id = match["id"]
            short = self.short_id(thread_id)
            is_known = match["title"] is None and thread_id in named
            named.add(thread_id)
            title = match["title"] or self._stored_title(thread_id)
            if is_known or title is None:
                return short
            return f"“{shortened_text(one_line(title), TITLE_CHARACTERS)}” [{short}]"

        text = _OTHER_ID.sub(_other_name, text)
        return _THREAD_ID.sub(replacement, text)

    def _stored_title(self, thread_id: str) -> str | None:
        if thread_id not in self._titles:
            try:
                self._titles[thread_id] = self._memory.thread_title(thread_id)
            except (NotFoundError, RefusedError):
                self._titles[thread_id] = None
        return self._titles[thread_id]


def _other_name(match: re.Match[str]) -> str:
    """Return the name of a bridge, or the short id of a message, which is called one already."""
    return f"bridge {short_id(match[0])}" if match["kind"] else short_id(match[0])

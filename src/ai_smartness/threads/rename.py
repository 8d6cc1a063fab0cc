"""Give a thread a title that stays.

A title that nobody gave is made anew as the thread grows; a given one is not.
"""

from dataclasses import replace

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.plan import Plan, edited, refuse_absorbed

__all__ = ["given", "rename"]

TITLE_CHARACTERS = 200
"""A title stands on one line; what is longer is a summary."""


def rename(store: ThreadStore, thread_id: str, title: str) -> Plan:
    """Plan to give a stored thread a title."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "rename")
    named = replace(thread, title=given(title), title_given=True)
    if named == thread:
        msg = f"cannot rename {thread.id}: “{thread.title}” is its title already."
        raise RefusedError(msg)
    said = f"Renamed {thread.id}: “{thread.title}” is “{named.title}” now."
    return Plan(thread.project, said, Change((edited(thread, named),)), (thread.id,))


def given(title: str) -> str:
    """Return a title as it is kept: on one line; refuse an empty or an endless one."""
    line = " ".join("".join(c if c.isprintable() else " " for c in title).split())
    if not line:
        msg = "a title cannot be empty. Give at least one word."
        raise RefusedError(msg)
    if len(line) > TITLE_CHARACTERS:
        msg = (
            f"the title “{line[:40]}…” has {len(line)} characters. "
            f"Give one of at most {TITLE_CHARACTERS}."
        )
        raise RefusedError(msg)
    return line

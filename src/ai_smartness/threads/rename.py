"""Give a thread a title that stays.

A title that nobody gave is made anew as the thread grows; a given one is not.

Words that somebody gives a verb, as they are kept, or refused by name.
"""

from dataclasses import replace

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed, thread_edit

__all__ = ["rename", "validated_line", "validated_text", "validated_title"]


TITLE_CHARACTERS = 200
"""A title stands on one line; what is longer is a summary."""


def rename(store: ThreadStore, thread_id: str, title: str) -> ChangePlan:
    """Plan to give a stored thread a title."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "rename")
    named = replace(thread, title=validated_title(title), title_given=True)
    if named == thread:
        msg = f"cannot rename {thread.id}: “{thread.title}” is its title already."
        raise RefusedError(msg)
    said = f"Renamed {thread.id}: “{thread.title}” is “{named.title}” now."
    return ChangePlan(thread.project, said, Change((thread_edit(thread, named),)), (thread.id,))


def validated_title(title: str) -> str:
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


SHOWN_CHARACTERS = 40


def validated_line(what: str, value: object, most: int) -> str:
    """Return words on one line; refuse what is none, or too long for one."""
    text = validated_text(what, value, None)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not line:
        msg = f"{what} cannot be empty. Give at least one word."
        raise RefusedError(msg)
    if len(line) > most:
        msg = (
            f"{what} “{line[:SHOWN_CHARACTERS]}…” has {len(line):,} characters. "
            f"Give one of at most {most}."
        )
        raise RefusedError(msg)
    return line


def validated_text(what: str, value: object, most: int | None) -> str:
    """Return a text as it is; refuse what is none, too long, or has halves of characters."""
    if not isinstance(value, str):
        msg = f"{what} must be text, not {type(value).__name__}."
        raise RefusedError(msg)
    if most is not None and len(value) > most:
        msg = f"{what} has {len(value):,} characters. Give one of at most {most:,}, or several."
        raise RefusedError(msg)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        msg = (
            f"{what} has half of a character at place {error.start + 1:,} "
            f"({value[error.start]!r}), which no file can hold. Write it out, or leave it away."
        )
        raise RefusedError(msg) from error
    return value

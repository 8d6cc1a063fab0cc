"""Give a thread a title that stays, and check text that a person or an agent gives.

A title that nobody gave is rebuilt as the thread grows; a given one is not.
"""

from dataclasses import replace

from ai_smartness.model.errors import RefusedError
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed

__all__ = ["rename", "validated_line", "validated_text", "validated_title"]

TITLE_CHARACTERS = 200  # a title fits on one line; anything longer is a summary
QUOTED_CHARACTERS = 40  # how much of a refused line the error quotes


def rename(store: ThreadStore, thread_id: str, title: str) -> ChangePlan:
    """Plan to give a stored thread a title."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "rename")
    renamed = replace(thread, title=validated_title(title), title_given=True)
    if renamed == thread:
        msg = f"cannot rename {thread.id}: “{thread.title}” is its title already."
        raise RefusedError(msg)
    sentence = f"Renamed {thread.id}: “{thread.title}” is “{renamed.title}” now."
    return ChangePlan.for_thread(thread, renamed, sentence)


def validated_title(title: str) -> str:
    """Return a title on one line; refuse an empty or an endless one."""
    return validated_line("a title", title, TITLE_CHARACTERS)


def validated_line(what: str, value: object, most: int) -> str:
    """Return text on one line; refuse other types, empty text and text that is too long."""
    text = validated_text(what, value, None)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not line:
        msg = f"{what} cannot be empty. Give at least one word."
        raise RefusedError(msg)
    if len(line) > most:
        quoted = f"“{line[:QUOTED_CHARACTERS]}…”"
        msg = f"{what} {quoted} has {len(line):,} characters. Give one of at most {most}."
        raise RefusedError(msg)
    return line


def validated_text(what: str, value: object, most: int | None) -> str:
    """Return text unchanged; refuse other types, text that is too long, and lone surrogates."""
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

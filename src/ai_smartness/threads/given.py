"""Words that somebody gives a verb, as they are kept, or refused by name."""

from ai_smartness.model.errors import RefusedError

__all__ = ["given_line", "given_text"]

SHOWN_CHARACTERS = 40


def given_line(what: str, value: object, most: int) -> str:
    """Return words on one line; refuse what is none, or too long for one."""
    text = given_text(what, value, None)
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


def given_text(what: str, value: object, most: int | None) -> str:
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

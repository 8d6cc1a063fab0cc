"""The terminal in front of the user: how wide it is, and whether it shows colours."""

import os
import sys
from contextlib import suppress
from typing import TextIO

import click

__all__ = ["is_plain", "screen_width", "styled_text"]

UNBOUNDED_COLUMNS = 100_000  # as wide as needed: a program that reads our output must get all of it
DEFAULT_COLUMNS = 80


def screen_width(*, stderr: bool = False) -> int:
    """Return the columns of the terminal; without one, there is room for everything."""
    stream = sys.stderr if stderr else sys.stdout
    if not stream.isatty():
        return UNBOUNDED_COLUMNS
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    for descriptor in (1, 2, 0):
        with suppress(OSError):
            return os.get_terminal_size(descriptor).columns or DEFAULT_COLUMNS
    return DEFAULT_COLUMNS


def is_plain(stream: TextIO) -> bool:
    """Say whether a stream is no terminal, or one that cannot move its cursor."""
    return not stream.isatty() or os.environ.get("TERM") == "dumb"


def styled_text(text: str, style: str) -> str:
    """Return the text in a style like `bold cyan`, unless the user wants no colours.

    `click.echo` takes colours away where there is no terminal.
    """
    if not style or not text or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    words = set(style.split())
    colour = next(iter(words - {"bold", "dim"}), None)
    return click.style(text, fg=colour, bold="bold" in words or None, dim="dim" in words or None)

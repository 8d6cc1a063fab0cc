"""How `ais` prints: tables for people, JSON for programs, a bar for long work.

Stored text is printed as it is and never obeyed: no markup, no control characters. Away from a
terminal there is no colour and nothing is cut off.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from ai_smartness.text.display import counted_noun, shortened_text

if TYPE_CHECKING:
    from rich.console import Console

    from ai_smartness.ports import Progress

__all__ = [
    "counted_noun",
    "formatted_time",
    "one_line",
    "print_json",
    "print_note",
    "print_table",
    "progress_bar",
    "rich_console",
    "safe_text",
    "size_text",
]

UNBOUNDED_COLUMNS = 100_000  # as wide as needed: a program that reads our output must get all of it

MAX_WRAPPED_ROWS = 500
"""Wrapping cells takes a millisecond and more a row; a longer table is for a program to read."""

CONTROL_ESCAPES = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, widths: Sequence[int] = ()
) -> None:
    """Print rows under their headings, as wide as the terminal allows.

    The first columns can have fixed widths: an id is copied, and must not break in two.
    """
    cells = [[safe_text(str(cell)) for cell in row] for row in rows]
    if len(cells) > MAX_WRAPPED_ROWS:
        for line in _plain_lines(columns, cells):
            click.echo(line)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, width in zip_longest(columns, widths):
        table.add_column(column, width=width, overflow="fold")
    for row in cells:
        table.add_row(*row)
    rich_console().print(table)


def _plain_lines(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table whose cells are not wrapped, as a program gets it."""
    from rich.cells import cell_len

    lines = [[cell.replace("\n", "  ") for cell in row] for row in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for row in lines:
        padded = (
            f"{cell}{' ' * (width - cell_len(cell))}"
            for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(padded)


def print_json(data: object) -> None:
    """Print any value of ours as JSON, in UTF-8 whatever the terminal's encoding."""
    from ai_smartness.views.json import json_value

    text = json.dumps(json_value(data), ensure_ascii=False, indent=2, allow_nan=False)
    # Half of a surrogate pair cannot be written in UTF-8; the backslash escape is valid JSON.
    click.echo(text.encode(errors="backslashreplace"))


def print_note(note: str) -> None:
    """Print on stderr what the user should know beside the answer."""
    click.echo(f"note: {safe_text(note)}", err=True)


@contextmanager
def progress_bar(label: str, *, is_transfer: bool = False) -> Iterator["Progress"]:
    """Draw a bar on stderr, for a transfer with its rate; without a terminal, draw nothing."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich import progress as rich_progress

    columns = (
        rich_progress.TextColumn(label),
        rich_progress.BarColumn(),
        rich_progress.DownloadColumn(),
        rich_progress.TransferSpeedColumn(),
        rich_progress.TimeRemainingColumn(),
    )
    shown = columns if is_transfer else rich_progress.Progress.get_default_columns()
    with rich_progress.Progress(*shown, console=rich_console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def rich_console(*, stderr: bool = False) -> "Console":
    """Return a console that prints text as it is, in colour on a terminal without NO_COLOR."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(
        stderr=stderr,
        width=None if stream.isatty() else UNBOUNDED_COLUMNS,
        markup=False,
        emoji=False,
        highlight=False,
    )


def safe_text(text: str) -> str:
    """Escape control characters, so that stored text cannot drive the terminal."""
    return text.translate(CONTROL_ESCAPES)


def one_line(text: str, limit: int) -> str:
    """Return a text on one line, cut to a number of characters."""
    return shortened_text(" ".join(text.split()), limit)


def formatted_time(at: datetime) -> str:
    """Return a time to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def size_text(size: int) -> str:
    """Return a number of bytes with a readable unit."""
    from rich.filesize import decimal

    return decimal(size)

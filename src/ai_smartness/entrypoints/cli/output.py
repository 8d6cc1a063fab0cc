"""How `ais` prints: tables and wrapped text for people, JSON for programs, a bar for long work.

Stored text is printed as it is and never obeyed: no markup, no control characters. Away from a
terminal there is no colour, and nothing is wrapped or cut off.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from ai_smartness.model.thread import short_thread_id
from ai_smartness.text.display import counted_noun, formatted_time, shortened_text

if TYPE_CHECKING:
    from rich.console import Console, OverflowMethod

    from ai_smartness.ports import Progress

__all__ = [
    "counted_noun",
    "formatted_time",
    "one_line",
    "print_json",
    "print_note",
    "print_table",
    "print_text",
    "progress_bar",
    "rich_console",
    "safe_text",
    "shown_thread_id",
    "size_text",
]

UNBOUNDED_COLUMNS = 100_000  # as wide as needed: a program that reads our output must get all of it

MIN_WRAPPED_COLUMNS = 20  # of a text that is indented: less is not readable

MAX_WRAPPED_ROWS = 500
"""Wrapping cells takes a millisecond and more a row; a longer table is for a program to read."""

CONTROL_ESCAPES = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def print_text(text: str, *, hang: int = 0, style: str = "", err: bool = False) -> None:
    """Print stored text, on a terminal wrapped between words.

    A line that goes on is indented as it began, and by `hang` more; an item of a list, below
    its text.
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        click.echo(safe_text(text), err=err)
        return
    from rich.text import Text

    screen = rich_console(stderr=err)
    # Not `splitlines`, which also breaks at characters that are no line breaks in stored text.
    for line in safe_text(text).split("\n"):
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        further = indent + (2 if body.startswith(("- ", "* ")) else hang)
        parts = Text(body).wrap(screen, max(MIN_WRAPPED_COLUMNS, screen.width - further))
        for number, part in enumerate(parts):
            start = " " * (further if number else indent)
            screen.print(Text(start + part.plain.rstrip(), style), soft_wrap=True)


def shown_thread_id(thread_id: str) -> str:
    """Return a thread's id: short for a person, whole for a program."""
    return short_thread_id(thread_id) if sys.stdout.isatty() else thread_id


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    widths: Sequence[int] = (),
    is_cut: bool = False,
    styles: Mapping[str, str] | None = None,
) -> None:
    """Print rows under their headings, as wide as the terminal allows.

    The first columns can have fixed widths: an id is copied, and must not break in two. In a
    table that is cut, each row stays on one line. `styles` are those of cells with these texts.
    """
    cells = [[safe_text(str(cell)) for cell in row] for row in rows]
    if len(cells) > MAX_WRAPPED_ROWS:
        for line in _plain_lines(columns, cells):
            click.echo(line)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, width in zip_longest(columns, widths):
        overflow: OverflowMethod = "ellipsis" if is_cut else "fold"
        table.add_column(column, width=width, overflow=overflow, no_wrap=is_cut)
    for row in cells:
        table.add_row(*(Text(cell, (styles or {}).get(cell, "")) for cell in row))
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
    print_text(f"note: {note}", style="yellow", err=True)


@contextmanager
def progress_bar(label: str, *, is_transfer: bool = False) -> Iterator["Progress"]:
    """Draw a bar on stderr, for a transfer with its rate; without a terminal, draw nothing.

    An interruption inside says how far the work has come.
    """
    reached = [0, 0]
    try:
        with _drawn_bar(label, is_transfer=is_transfer) as draw:

            def report(done: int, total: int) -> None:
                reached[:] = done, total
                draw(done, total)

            yield report
    except KeyboardInterrupt as error:
        done, total = reached
        share = f", {done / total:.0%} done" if total else ""
        error.add_note(f"{label}{share}")
        raise


@contextmanager
def _drawn_bar(label: str, *, is_transfer: bool) -> Iterator["Progress"]:
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
        # Until the first part has arrived, the bar moves to and fro: nothing is known yet.
        yield lambda done, total: bar.update(task, completed=done, total=total if done else None)


def rich_console(*, stderr: bool = False) -> "Console":
    """Return a console that prints text as it is, in colour on a terminal without NO_COLOR."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(
        stderr=stderr,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
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


def size_text(size: int) -> str:
    """Return a number of bytes with a readable unit."""
    from rich.filesize import decimal

    return decimal(size)

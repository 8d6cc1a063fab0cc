"""How `ais` prints: tables for people, JSON for programs, a bar for what takes long.

What is stored is printed as it is and never obeyed: no markup, no control
characters. Away from a terminal there is no colour and nothing is cut off.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from ai_smartness.ports import Progress

__all__ = ["console", "print_json", "print_table", "progress", "visible"]

UNBOUNDED_COLUMNS = 100_000
"""As wide as needed: what reads our output through a pipe must get all of it."""

CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, widths: Sequence[int] = ()
) -> None:
    """Print rows under their headings, as wide as the terminal allows.

    The first columns can be given widths that they keep: an id is copied, and is
    none in two pieces.
    """
    from rich.table import Table  # noqa: PLC0415 - a quarter of a command's time

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, width in zip_longest(columns, widths):
        table.add_column(column, width=width, overflow="fold")
    for row in rows:
        table.add_row(*(visible(str(cell)) for cell in row))
    console().print(table)


def print_json(data: object) -> None:
    """Print any value of ours as JSON, in UTF-8 whatever the terminal's encoding."""
    text = json.dumps(data, default=_plain, ensure_ascii=False, indent=2, allow_nan=False)
    # A half of a surrogate pair cannot be written in UTF-8; as a backslash
    # escape it is what JSON itself has for it.
    click.echo(text.encode(errors="backslashreplace"))


@contextmanager
def progress(label: str) -> Iterator["Progress"]:
    """Draw a bar on stderr while inside; on anything but a terminal, draw nothing."""
    if not sys.stderr.isatty():
        yield _unseen
        return
    from rich.progress import Progress as Bar  # noqa: PLC0415 - a quarter of a command's time

    with Bar(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def console(*, stderr: bool = False) -> "Console":
    """Return a console that prints text as it is, in colour on a terminal without NO_COLOR."""
    from rich.console import Console  # noqa: PLC0415 - a quarter of a command's time

    stream = sys.stderr if stderr else sys.stdout
    return Console(
        stderr=stderr,
        width=None if stream.isatty() else UNBOUNDED_COLUMNS,
        markup=False,
        emoji=False,
        highlight=False,
    )


def visible(text: str) -> str:
    """Write control characters out, so that stored text cannot drive the terminal."""
    return text.translate(CONTROLS)


def _unseen(_done: int, _total: int) -> None:
    """Draw nothing."""


def _plain(value: object) -> object:
    match value:
        case datetime() if value.tzinfo is None:
            msg = f"{value} has no time zone; every time of ours is in UTC"
            raise TypeError(msg)
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case PurePath():
            return str(value)
        case set() | frozenset():
            return sorted(value)
        case Mapping():
            return dict(value)
        case _ if is_dataclass(value):
            return {each.name: getattr(value, each.name) for each in fields(value)}
    msg = f"{type(value).__name__} has no form in JSON"
    raise TypeError(msg)

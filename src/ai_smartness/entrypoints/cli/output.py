"""How `ais` prints: tables for people, JSON for programs, a bar for what takes long.

What is stored is printed as it is and never obeyed: no markup, no control
characters. Away from a terminal there is no colour and nothing is cut off.

What a verb did, or in a dry run would do, told in one way by every command that changes.

Numbers with what they count.
"""

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ai_smartness.entrypoints.cli.options import json_option

if TYPE_CHECKING:
    from rich.console import Console

    from ai_smartness.entrypoints.cli.cli_context import CliContext
    from ai_smartness.model.journal import Change, Outcome
    from ai_smartness.ports import Progress


__all__ = [
    "change_json",
    "change_options",
    "command_line",
    "counted_noun",
    "print_json",
    "print_outcome",
    "print_table",
    "printed_outcome",
    "progress_bar",
    "rich_console",
    "safe_text",
]


UNBOUNDED_COLUMNS = 100_000
"""As wide as needed: what reads our output through a pipe must get all of it."""

CONTROL_ESCAPES = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    widths: Sequence[int] = (),
) -> None:
    """Print rows under their headings, as wide as the terminal allows.

    The first columns can be given widths that they keep: an id is copied, and is
    none in two pieces.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, width in zip_longest(columns, widths):
        table.add_column(column, width=width, overflow="fold")
    for row in rows:
        table.add_row(*(safe_text(str(cell)) for cell in row))
    rich_console().print(table)


def print_json(data: object) -> None:
    """Print any value of ours as JSON, in UTF-8 whatever the terminal's encoding."""
    text = json.dumps(data, default=_json_default, ensure_ascii=False, indent=2, allow_nan=False)
    # A half of a surrogate pair cannot be written in UTF-8; as a backslash
    # escape it is what JSON itself has for it.
    click.echo(text.encode(errors="backslashreplace"))


@contextmanager
def progress_bar(label: str) -> Iterator["Progress"]:
    """Draw a bar on stderr while inside; on anything but a terminal, draw nothing."""
    if not sys.stderr.isatty():
        yield _ignore_progress
        return
    from rich.progress import Progress as Bar

    with Bar(console=rich_console(stderr=True), transient=True) as bar:
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
    """Write control characters out, so that stored text cannot drive the terminal."""
    return text.translate(CONTROL_ESCAPES)


def _ignore_progress(_done: int, _total: int) -> None:
    """Draw nothing."""


def _json_default(value: object) -> object:
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


Command = TypeVar("Command", bound=Callable[..., Any])


def change_options(function: Command) -> Command:
    """Give a command the options of every verb that changes something."""
    dry_run = click.option(
        "--dry-run",
        is_flag=True,
        help="Say what would be done, and change nothing.",
    )
    return dry_run(json_option(function))


def print_outcome(
    context: "CliContext",
    outcome: "Outcome",
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Print what was done and how to take it back, or what would be."""
    if as_json:
        print_json(printed_outcome(outcome, dry_run=dry_run))
        return
    if dry_run:
        click.echo("dry run: nothing was changed. It would say:")
    click.echo(safe_text(outcome.said))
    if dry_run:
        for each in outcome.threads:
            line = f"{each.id}  {each.status}  {each.weight:.2f}  {each.title}"
            click.echo(f"  {safe_text(line)}")
    elif outcome.number is not None:
        project = outcome.threads[0].project if outcome.threads else None
        undo = command_line(context, "undo", str(outcome.number), project=project)
        click.echo(f"change {outcome.number}; undo with: {undo}")


def printed_outcome(outcome: "Outcome", *, dry_run: bool) -> dict[str, object]:
    """Return an outcome as programs read it."""
    from ai_smartness.views.json import outcome_json

    return outcome_json(outcome, dry_run=dry_run)


def change_json(change: "Change") -> dict[str, object]:
    """Return the messages and bridges of a change as programs read them."""
    return {
        "moved": [
            {"from": each.source, "to": each.target, "messages": len(each.seqs)}
            for each in change.moves
        ],
        "bridges": [{"before": each.before, "after": each.after} for each in change.bridges],
    }


def command_line(context: "CliContext", *words: str, project: str | None = None) -> str:
    """Write a command of `ais` to be copied, with the options that this one was given."""
    home = ["--home", str(context.home)] if context.home else []
    meant = project or context.project_name
    elsewhere = context.project is not None or meant != context.project_name
    options = [*home, *(["--project", meant] if elsewhere else [])]
    return safe_text(shlex.join(["ais", *options, *words]))


def counted_noun(number: int, noun: str) -> str:
    """Write a number with what it counts."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

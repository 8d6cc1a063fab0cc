"""`ais log`: what was changed, when and by whom, the latest first."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.completed import thread_ids
from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.moment import written
from ai_smartness.entrypoints.cli.outcome import changed
from ai_smartness.entrypoints.cli.output import console, print_json, visible
from ai_smartness.model.saying import ago

if TYPE_CHECKING:
    from ai_smartness.model.journal import JournalEntry

__all__ = ["log"]


@click.command(epilog="Example: ais log --oneline -n 5")
@click.argument("thread_id", metavar="[THREAD]", required=False, shell_complete=thread_ids)
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, help="How many at most (20)."
)
@click.option("--oneline", is_flag=True, help="Print each change on one line.")
@as_json
@pass_context
def log(
    context: Context, thread_id: str | None, limit: int, *, oneline: bool, as_json: bool
) -> None:
    """Show what was changed in the project, or on THREAD alone, the latest first.

    Each change has a number; `ais undo NUMBER` takes it back.
    """
    with context.memory() as memory:
        about = None if thread_id is None else readable(thread_id)
        found = memory.log(about, limit=limit + 1)
    shown = found[:limit]
    if as_json:
        print_json([_plain(entry) for entry in shown])
    elif oneline:
        _print_lines(shown)
    else:
        _print_entries(shown, datetime.now(UTC))
    if not shown and not as_json:
        where = f"the project {visible(context.name)}" if about is None else visible(about)
        click.echo(f"Nothing was changed in {where} yet.")
    if len(found) > limit:
        click.echo(f"There are older ones; --limit {limit * 2} shows more.", err=True)


def _print_entries(entries: "Sequence[JournalEntry]", now: datetime) -> None:
    from rich.text import Text  # noqa: PLC0415 - not for --help

    screen = console()
    for place, entry in enumerate(entries):
        if place:
            screen.print()
        screen.print(Text(_name(entry), "yellow"), soft_wrap=True)
        screen.print(f"Who:   {visible(str(entry.who))}{_session(entry)}", soft_wrap=True)
        screen.print(f"Date:  {written(entry.at)}, {ago(entry.at, now)}", soft_wrap=True)
        screen.print()
        screen.print(f"    {visible(entry.said)}", soft_wrap=True)


def _print_lines(entries: "Sequence[JournalEntry]") -> None:
    from rich.text import Text  # noqa: PLC0415 - not for --help

    screen = console()
    for entry in entries:
        number = Text(f"{entry.seq}{_fate(entry)} ", "yellow")
        screen.print(number.append(visible(entry.said), "default"), soft_wrap=True)


def _name(entry: "JournalEntry") -> str:
    return f"change {entry.seq}{_fate(entry)}"


def _fate(entry: "JournalEntry") -> str:
    """Write what an entry has to do with others: taken back by one, or taking one back."""
    parts = [
        *([f"undoes {entry.undoes}"] if entry.undoes is not None else []),
        *([f"undone by {entry.undone_by}"] if entry.undone_by is not None else []),
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _session(entry: "JournalEntry") -> str:
    return f", session {visible(entry.session)}" if entry.session else ""


def _plain(entry: "JournalEntry") -> dict[str, object]:
    return {
        "change": entry.seq,
        "project": entry.project,
        "at": entry.at,
        "who": entry.who,
        "session": entry.session,
        "verb": entry.verb,
        "arguments": entry.arguments,
        "said": entry.said,
        "undoes": entry.undoes,
        "undone_by": entry.undone_by,
        "threads": entry.change.touched,
        **changed(entry.change),
    }

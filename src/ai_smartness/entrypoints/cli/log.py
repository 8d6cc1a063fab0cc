"""`ais log`: what was changed, when and by whom, the latest first.

`ais undo`: take a change back.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import formatted_time, json_option
from ai_smartness.entrypoints.cli.output import (
    change_json,
    change_options,
    print_json,
    print_outcome,
    rich_console,
    safe_text,
)
from ai_smartness.text.display import time_ago

if TYPE_CHECKING:
    from ai_smartness.model.journal import JournalEntry


__all__ = ["log", "undo"]


@click.command(epilog="Example: ais log --oneline -n 5")
@click.argument("thread_id", metavar="[THREAD]", required=False, shell_complete=thread_ids)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    help="How many at most (20).",
)
@click.option("--oneline", is_flag=True, help="Print each change on one line.")
@json_option
@pass_context
def log(
    context: CliContext,
    thread_id: str | None,
    limit: int,
    *,
    oneline: bool,
    as_json: bool,
) -> None:
    """Show what was changed in the project, or on THREAD alone, the latest first.

    Each change has a number; `ais undo NUMBER` takes it back.
    """
    with context.open_memory() as memory:
        about = None if thread_id is None else valid_text(thread_id)
        found = memory.log(about, limit=limit + 1)
    shown = found[:limit]
    if as_json:
        print_json([_entry_json(entry) for entry in shown])
    elif oneline:
        _print_lines(shown)
    else:
        _print_entries(shown, datetime.now(UTC))
    if not shown and not as_json:
        where = (
            f"the project {safe_text(context.project_name)}" if about is None else safe_text(about)
        )
        click.echo(f"Nothing was changed in {where} yet.")
    if len(found) > limit:
        click.echo(f"There are older ones; --limit {limit * 2} shows more.", err=True)


def _print_entries(entries: "Sequence[JournalEntry]", now: datetime) -> None:
    from rich.text import Text

    screen = rich_console()
    for place, entry in enumerate(entries):
        if place:
            screen.print()
        screen.print(Text(_entry_title(entry), "yellow"), soft_wrap=True)
        screen.print(f"Who:   {safe_text(str(entry.who))}{_session_suffix(entry)}", soft_wrap=True)
        screen.print(
            f"Date:  {formatted_time(entry.at)}, {time_ago(entry.at, now)}",
            soft_wrap=True,
        )
        screen.print()
        screen.print(f"    {safe_text(entry.said)}", soft_wrap=True)


def _print_lines(entries: "Sequence[JournalEntry]") -> None:
    from rich.text import Text

    screen = rich_console()
    for entry in entries:
        number = Text(f"{entry.seq}{_undo_note(entry)} ", "yellow")
        screen.print(number.append(safe_text(entry.said), "default"), soft_wrap=True)


def _entry_title(entry: "JournalEntry") -> str:
    return f"change {entry.seq}{_undo_note(entry)}"


def _undo_note(entry: "JournalEntry") -> str:
    """Write what an entry has to do with others: taken back by one, or taking one back."""
    parts = [
        *([f"undoes {entry.undoes}"] if entry.undoes is not None else []),
        *([f"undone by {entry.undone_by}"] if entry.undone_by is not None else []),
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _session_suffix(entry: "JournalEntry") -> str:
    return f", session {safe_text(entry.session)}" if entry.session else ""


def _entry_json(entry: "JournalEntry") -> dict[str, object]:
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
        "threads": entry.change.touched_threads,
        **change_json(entry.change),
    }


@click.command(epilog="Example: ais undo 12 --dry-run")
@click.argument("number", metavar="[CHANGE]", type=click.IntRange(min=1), required=False)
@change_options
@pass_context
def undo(context: CliContext, number: int | None, *, dry_run: bool, as_json: bool) -> None:
    """Take CHANGE back, or the latest one that is in force.

    What it changed becomes exactly what it was. `ais log` lists the changes with
    their numbers; an undo is one too, and can be undone.
    """
    with open_described_memory(context) as memory:
        outcome = memory.undo(number, dry_run=dry_run)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)

"""`ais log` and `ais undo`: show the changes, the latest first, and undo one."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, prints_outcome
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.layout import cut_text
from ai_smartness.entrypoints.cli.options import TEXT, json_option
from ai_smartness.entrypoints.cli.output import (
    formatted_time,
    print_json,
    print_text,
    safe_text,
    screen_width,
    styled_text,
)
from ai_smartness.entrypoints.cli.pager import paged
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.text.display import time_ago

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import JournalEntry, Outcome

__all__ = ["log", "undo"]


@click.command(epilog="Example: ais log --oneline -n 5")
@click.argument(
    "thread_id", metavar="[THREAD]", required=False, type=TEXT, shell_complete=thread_ids
)
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, help="Maximum number of changes (20)."
)
@click.option("--oneline", is_flag=True, help="Print each change on one line.")
@click.option("--all", "with_reads", is_flag=True, help="Also list recalls that woke a thread.")
@json_option
@pass_context
@paged
def log(
    context: CliContext,
    thread_id: str | None,
    limit: int,
    *,
    oneline: bool,
    with_reads: bool,
    as_json: bool,
) -> None:
    """The changes are those of the project, or of THREAD, the latest first.

    Each change has a number; `ais undo NUMBER` undoes it. If an agent's recall makes a suspended
    thread active again, that is a read: `--all` lists it, and `ais undo` passes over it.
    """
    with context.open_memory() as memory:
        entries = memory.log(thread_id, limit=limit + 1, with_reads=with_reads)
        shown = entries[:limit]
        names = ThreadNames(memory)
        sentences = {} if as_json else {item.seq: names.named_text(item.said) for item in shown}
    if as_json:
        from ai_smartness.views.json import journal_entry_json

        print_json([journal_entry_json(entry) for entry in shown])
    elif oneline:
        _print_lines(shown, sentences)
    else:
        _print_entries(shown, sentences, datetime.now(UTC))
    if not shown and not as_json:
        where = thread_id or f"the project {context.project_name}"
        print_text(f"Nothing was changed in {where} yet.")
    if len(entries) > limit:
        click.echo(f"There are older ones; --limit {limit * 2} shows more.", err=True)


@click.command(epilog="Example: ais undo 12 --dry-run")
@click.argument("number", metavar="[CHANGE]", type=click.IntRange(min=1), required=False)
@prints_outcome
def undo(memory: "Memory", number: int | None, *, dry_run: bool) -> "Outcome":
    """Everything the change touched returns exactly to its earlier state.

    `ais log` lists the changes with their numbers. An undo is a change too, and can be undone.
    """
    return memory.undo(number, dry_run=dry_run)


def _print_entries(
    entries: "Sequence[JournalEntry]", sentences: Mapping[int, str], now: datetime
) -> None:
    for place, entry in enumerate(entries):
        if place:
            click.echo()
        session = f", session {entry.session}" if entry.session else ""
        click.echo(styled_text(f"change {entry.seq}{_undo_note(entry)}", "yellow"))
        click.echo(safe_text(f"Who:   {entry.who}{session}"))
        click.echo(f"Date:  {formatted_time(entry.at)}, {time_ago(entry.at, now)}\n")
        print_text(f"    {sentences[entry.seq]}")


def _print_lines(entries: "Sequence[JournalEntry]", sentences: Mapping[int, str]) -> None:
    for entry in entries:
        head = f"{entry.seq}{_undo_note(entry)} "
        sentence = cut_text(safe_text(sentences[entry.seq]), screen_width() - len(head))
        click.echo(f"{styled_text(head, 'yellow')}{sentence}")


def _undo_note(entry: "JournalEntry") -> str:
    """Say which change an entry undoes, or is undone by."""
    parts = [
        *([f"undoes {entry.undoes}"] if entry.undoes is not None else []),
        *([f"undone by {entry.undone_by}"] if entry.undone_by is not None else []),
    ]
    return f" ({', '.join(parts)})" if parts else ""

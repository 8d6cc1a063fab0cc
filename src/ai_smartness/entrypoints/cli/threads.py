"""`ais threads`: list the threads of the project, read one, and organize them.

Every subcommand that changes something can be undone with `ais undo`.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, valid_text
from ai_smartness.entrypoints.cli.compact import CONDENSE_COMMANDS
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import (
    ListByDefaultGroup,
    change_options,
    json_option,
    read_point,
)
from ai_smartness.entrypoints.cli.output import print_json, print_table, rich_console, safe_text
from ai_smartness.entrypoints.cli.split import split
from ai_smartness.entrypoints.cli.thread_page import print_thread_page, thread_page, thread_page_at
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.text.display import time_ago

__all__ = ["threads"]

WIDE_COLUMNS = 110
"""Wide enough for an id and a title side by side."""

thread_argument = click.argument("thread_id", metavar="ID", shell_complete=thread_ids)


@click.group(cls=ListByDefaultGroup, epilog="Example: ais threads --status active --limit 5")
def threads() -> None:
    """Without a subcommand, list them."""


for subcommand in (split, *CONDENSE_COMMANDS):
    threads.add_command(subcommand)


@threads.command("list", epilog="Example: ais threads list --status active --limit 5")
@click.option("--limit", type=click.IntRange(min=1), default=50, help="At most (50).")
@click.option(
    "--status",
    type=click.Choice([status.value for status in Status]),
    help="Only those with this status.",
)
@json_option
@pass_context
def list_all(context: CliContext, limit: int, status: str | None, *, as_json: bool) -> None:
    """List threads with their current weights, the most recently active first."""
    with context.open_described_memory() as memory:
        listed = [thread for thread in memory.threads() if status in (None, thread.status)]
    shown = listed[:limit]
    if as_json:
        print_json(shown)
    elif shown:
        _print_threads(shown, datetime.now(UTC))
    else:
        kind = f"{status} threads" if status else "threads"
        click.echo(
            f"There are no {kind} in the project {safe_text(context.project_name)}. "
            "`ais status` lists the projects."
        )
    more = len(listed) - len(shown)
    if more:
        click.echo(f"{more:,} more; --limit {len(listed)} shows all.", err=True)


@threads.command(epilog="Example: ais threads show thread_20260302 --at 2026-03-05")
@thread_argument
@click.option("--full", "view", flag_value="full", help="Everything, with long messages in full.")
@click.option("--working", "view", flag_value="working", help="As an agent sees it, condensed.")
@click.option("--why", is_flag=True, help="Say why each message is on this thread.")
@click.option(
    "--at",
    metavar="TIME|N",
    callback=read_point,
    help="As it was at a time in ISO 8601; or its working view after N compactions.",
)
@json_option
@pass_context
def show(
    context: CliContext,
    thread_id: str,
    at: datetime | int | None,
    view: str | None,
    *,
    why: bool,
    as_json: bool,
) -> None:
    """Show the thread ID and its messages.

    The start of an id is enough if only one thread has it. A merged thread leads to the thread
    that has its messages now.
    """
    with context.open_described_memory() as memory:
        if isinstance(at, datetime):
            page = thread_page_at(memory, valid_text(thread_id), at)
        else:
            page = thread_page(memory, valid_text(thread_id), view if at is None else at)
    if as_json:
        print_json(page)
    else:
        print_thread_page(page, full=view == "full", why=why)


@threads.command(epilog="Example: ais threads merge thread_20260302 thread_20260409 --dry-run")
@click.argument("survivor", shell_complete=thread_ids)
@click.argument("absorbed", shell_complete=thread_ids)
@click.option("--force", is_flag=True, help="Even if a split locked one of them.")
@change_options
@pass_context
def merge(
    context: CliContext, survivor: str, absorbed: str, *, force: bool, dry_run: bool, as_json: bool
) -> None:
    """Merge the thread ABSORBED into the thread SURVIVOR.

    ABSORBED is archived, and leads to SURVIVOR from then on. The start of an id is enough if
    only one thread has it.
    """
    ids = valid_text(survivor), valid_text(absorbed)
    with context.open_described_memory() as memory:
        outcome = memory.merge(*ids, force=force, dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


@threads.command(epilog="Example: ais threads unlock thread_20260302")
@thread_argument
@click.option("--force", is_flag=True, help="Even if the lock is of the kind `force`.")
@change_options
@pass_context
def unlock(
    context: CliContext, thread_id: str, *, force: bool, dry_run: bool, as_json: bool
) -> None:
    """Unlock the thread ID, which was split off, so that it can be merged again."""
    with context.open_described_memory() as memory:
        outcome = memory.unlock(valid_text(thread_id), force=force, dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


@threads.command(epilog="Example: ais threads archive thread_20260302")
@thread_argument
@change_options
@pass_context
def archive(context: CliContext, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Archive the thread ID; you can still find it."""
    with context.open_described_memory() as memory:
        outcome = memory.archive(valid_text(thread_id), dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


@threads.command(epilog="Example: ais threads suspend thread_20260302")
@thread_argument
@change_options
@pass_context
def suspend(context: CliContext, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Suspend the thread ID until it is recalled."""
    with context.open_described_memory() as memory:
        outcome = memory.suspend(valid_text(thread_id), dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


@threads.command(epilog="Example: ais threads reactivate thread_20260302")
@thread_argument
@change_options
@pass_context
def reactivate(context: CliContext, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Reactivate the thread ID, which was archived, suspended or has faded."""
    with context.open_described_memory() as memory:
        outcome = memory.reactivate(valid_text(thread_id), dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


@threads.command(epilog="Example: ais threads rename thread_20260302 How logging in works")
@thread_argument
@click.argument("title", nargs=-1, required=True)
@change_options
@pass_context
def rename(
    context: CliContext, thread_id: str, title: tuple[str, ...], *, dry_run: bool, as_json: bool
) -> None:
    """Give the thread ID a TITLE, which stays as it grows."""
    words = valid_text(" ".join(title))
    with context.open_described_memory() as memory:
        outcome = memory.rename(valid_text(thread_id), words, dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


@threads.command(epilog="Example: ais threads move msg_7f2a thread_20260302")
@click.argument("message")
@click.argument("thread_id", metavar="THREAD", shell_complete=thread_ids)
@change_options
@pass_context
def move(
    context: CliContext, message: str, thread_id: str, *, dry_run: bool, as_json: bool
) -> None:
    """Move the message MESSAGE to the thread THREAD.

    `ais search` and `ais threads show` print the ids of messages.
    """
    with context.open_described_memory() as memory:
        outcome = memory.move(valid_text(message), valid_text(thread_id), dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


@threads.command(epilog="Example: ais threads kind thread_20260302 decision")
@thread_argument
@click.argument("kind", type=click.Choice([kind.value for kind in Kind]))
@change_options
@pass_context
def kind(context: CliContext, thread_id: str, kind: str, *, dry_run: bool, as_json: bool) -> None:
    """Set the kind of the thread ID, to a proposed one or to one that you know to be right."""
    with context.open_described_memory() as memory:
        outcome = memory.confirm(valid_text(thread_id), Kind(kind), dry_run=dry_run)
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


def _print_threads(shown: Sequence[Thread], now: datetime) -> None:
    wide = rich_console().width >= WIDE_COLUMNS
    rows = [
        (
            *((thread.id, thread.title) if wide else (f"{thread.id}\n{thread.title}",)),
            f"{thread.weight:.2f}",
            thread.status,
            time_ago(thread.last_active, now),
            ", ".join(thread.topics),
        )
        for thread in shown
    ]
    first = ("id", "title") if wide else ("id and title",)
    columns = (*first, "weight", "status", "last active", "topics")
    print_table(columns, rows, widths=[max(len(thread.id) for thread in shown)])

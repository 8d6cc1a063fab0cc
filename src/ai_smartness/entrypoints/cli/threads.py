"""The subcommands of `ais threads` that put threads in order, each of which can be undone.

`ais threads`: list the threads of the project, read one, and put them in order.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    ListByDefaultGroup,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.compact import CONDENSE_COMMANDS, read_point
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    change_options,
    print_json,
    print_outcome,
    print_table,
    rich_console,
    safe_text,
)
from ai_smartness.entrypoints.cli.split import split
from ai_smartness.entrypoints.cli.thread_page import print_thread_page, thread_page, thread_page_at
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.text.display import time_ago

if TYPE_CHECKING:
    from collections.abc import Callable

    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome


__all__ = ["TIDY_COMMANDS", "threads"]


thread_argument = click.argument("thread_id", metavar="ID", shell_complete=thread_ids)


@click.command(epilog="Example: ais threads merge thread_20260302 thread_20260409 --dry-run")
@click.argument("survivor", shell_complete=thread_ids)
@click.argument("absorbed", shell_complete=thread_ids)
@click.option("--force", is_flag=True, help="Also where a split locked one of them.")
@change_options
@pass_context
def merge(
    context: CliContext,
    survivor: str,
    absorbed: str,
    *,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put the messages of the thread ABSORBED on SURVIVOR.

    ABSORBED is archived and leads to SURVIVOR from then on. The start of an id
    is enough where only one thread has it.
    """
    one, other = valid_text(survivor), valid_text(absorbed)
    _run_change(
        context,
        lambda memory: memory.merge(one, other, force=force, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads unlock thread_20260302")
@thread_argument
@click.option("--force", is_flag=True, help="Also where the lock is of the kind `force`.")
@change_options
@pass_context
def unlock(
    context: CliContext,
    thread_id: str,
    *,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Let the thread ID, which was split off, be merged again."""
    _run_change(
        context,
        lambda memory: memory.unlock(valid_text(thread_id), force=force, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads archive thread_20260302")
@thread_argument
@change_options
@pass_context
def archive(context: CliContext, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Put the thread ID away; it is still found."""
    _run_change(
        context,
        lambda memory: memory.archive(valid_text(thread_id), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads suspend thread_20260302")
@thread_argument
@change_options
@pass_context
def suspend(context: CliContext, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Put the thread ID aside until it is recalled."""
    _run_change(
        context,
        lambda memory: memory.suspend(valid_text(thread_id), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads reactivate thread_20260302")
@thread_argument
@change_options
@pass_context
def reactivate(context: CliContext, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Bring the thread ID back that was put away or has faded."""
    _run_change(
        context,
        lambda memory: memory.reactivate(valid_text(thread_id), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads rename thread_20260302 How logging in works")
@thread_argument
@click.argument("title", nargs=-1, required=True)
@change_options
@pass_context
def rename(
    context: CliContext,
    thread_id: str,
    title: tuple[str, ...],
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Give the thread ID a TITLE that stays as it grows."""
    words = valid_text(" ".join(title))
    _run_change(
        context,
        lambda memory: memory.rename(valid_text(thread_id), words, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads move msg_7f2a thread_20260302")
@click.argument("message")
@click.argument("thread_id", metavar="THREAD", shell_complete=thread_ids)
@change_options
@pass_context
def move(
    context: CliContext,
    message: str,
    thread_id: str,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put the message MESSAGE on the thread THREAD.

    `ais search` and `ais threads show` print the ids of messages.
    """
    said, to = valid_text(message), valid_text(thread_id)
    _run_change(
        context,
        lambda memory: memory.move(said, to, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads kind thread_20260302 decision")
@thread_argument
@click.argument("kind", type=click.Choice([each.value for each in Kind]))
@change_options
@pass_context
def kind(context: CliContext, thread_id: str, kind: str, *, dry_run: bool, as_json: bool) -> None:
    """Say what the thread ID is, as one of its messages proposes or as you know better."""
    _run_change(
        context,
        lambda memory: memory.confirm(valid_text(thread_id), Kind(kind), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


TIDY_COMMANDS = (merge, unlock, archive, suspend, reactivate, rename, move, kind)


def _run_change(
    context: CliContext,
    verb: "Callable[[Memory], Outcome]",
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    with open_described_memory(context) as memory:
        outcome = verb(memory)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)


WIDE_COLUMNS = 110
"""From here on an id and a title fit side by side."""


@click.group(cls=ListByDefaultGroup, epilog="Example: ais threads --status active --limit 5")
def threads() -> None:
    """List the threads of the project, read one, or put them in order.

    Without a subcommand, list them.
    """


@threads.command("list", epilog="Example: ais threads list --status active --limit 5")
@click.option("--limit", type=click.IntRange(min=1), default=50, help="How many at most (50).")
@click.option(
    "--status",
    type=click.Choice([each.value for each in Status]),
    help="Only those with this status.",
)
@json_option
@pass_context
def list_all(context: CliContext, limit: int, status: str | None, *, as_json: bool) -> None:
    """List threads with what they weigh now, the most recently active first."""
    with open_described_memory(context) as memory:
        found = [each for each in memory.threads() if status in (None, each.status)]
    shown = found[:limit]
    if as_json:
        print_json(shown)
    elif shown:
        _print_threads(shown, datetime.now(UTC))
    else:
        click.echo(_no_threads_message(context.project_name, status))
    if len(found) > len(shown):
        click.echo(f"{len(found) - len(shown):,} more; --limit {len(found)} shows all.", err=True)


@threads.command(epilog="Example: ais threads show thread_20260302 --at 2026-03-05")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option("--full", "view", flag_value="full", help="Everything, long messages to their end.")
@click.option("--working", "view", flag_value="working", help="As an agent sees it, condensed.")
@click.option("--why", is_flag=True, help="Say of each message why it is on this thread.")
@click.option(
    "--at",
    metavar="TIME|N",
    callback=read_point,
    help="As it was then, a time in ISO 8601; or its working view after N compactions.",
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

    The start of an id is enough where only one thread has it. One that was merged
    leads to the thread that has its messages now.
    """
    with open_described_memory(context) as memory:
        asked = valid_text(thread_id)
        if isinstance(at, datetime):
            page = thread_page_at(memory, asked, at)
        else:
            page = thread_page(memory, asked, view if at is None else at)
    if as_json:
        print_json(page)
    else:
        print_thread_page(page, full=view == "full", why=why)


for command in (*TIDY_COMMANDS, split, *CONDENSE_COMMANDS):
    threads.add_command(command)


def _print_threads(shown: Sequence[Thread], now: datetime) -> None:
    roomy = rich_console().width >= WIDE_COLUMNS
    rows = [
        (
            *((each.id, each.title) if roomy else (f"{each.id}\n{each.title}",)),
            f"{each.weight:.2f}",
            each.status,
            time_ago(each.last_active, now),
            ", ".join(each.topics),
        )
        for each in shown
    ]
    first = ("id", "title") if roomy else ("id and title",)
    columns = (*first, "weight", "status", "last active", "topics")
    print_table(columns, rows, widths=[max(len(each.id) for each in shown)])


def _no_threads_message(project: str, status: str | None) -> str:
    kind = f"{status} threads" if status else "threads"
    return (
        f"There are no {kind} in the project {safe_text(project)}. "
        "`ais status` shows which projects have some."
    )

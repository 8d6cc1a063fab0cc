"""`ais threads`: list the threads of the project, read one, and organise them.

Every subcommand that changes something can be undone with `ais undo`.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, prints_outcome
from ai_smartness.entrypoints.cli.compact import CONDENSE_COMMANDS
from ai_smartness.entrypoints.cli.completion import thread_argument, thread_ids
from ai_smartness.entrypoints.cli.layout import text_width
from ai_smartness.entrypoints.cli.options import TEXT, ListByDefaultGroup, json_option, read_point
from ai_smartness.entrypoints.cli.output import print_json, print_table, print_text, screen_width
from ai_smartness.entrypoints.cli.pager import paged
from ai_smartness.entrypoints.cli.split import split
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.entrypoints.cli.thread_page import (
    linked_names,
    print_thread_page,
    thread_page,
    thread_page_at,
)
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.text.display import one_line, time_ago

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome

__all__ = ["threads"]

MIN_TITLE_COLUMNS, MIN_TOPICS_COLUMNS = 20, 24  # less says nothing


@click.group(cls=ListByDefaultGroup, epilog="Example: ais threads --status active --limit 5")
def threads() -> None:
    """Without a subcommand, list them."""


for subcommand in (split, *CONDENSE_COMMANDS):
    threads.add_command(subcommand)


@threads.command("list", epilog="Example: ais threads list --status active --limit 5")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, help="Maximum number of threads (50)."
)
@click.option(
    "--status",
    type=click.Choice([status.value for status in Status]),
    help="Only those with this status.",
)
@json_option
@pass_context
@paged
def list_all(context: CliContext, limit: int, status: str | None, *, as_json: bool) -> None:
    """List threads with their current weights, the most recently active first."""
    with context.open_described_memory() as memory:
        every = memory.threads()
        names = ThreadNames(memory, every)
    listed = [thread for thread in every if status in (None, thread.status)]
    shown = listed[:limit]
    if as_json:
        print_json(shown)
    elif shown:
        _print_threads(shown, names, datetime.now(UTC))
    else:
        kind = f"{status} threads" if status else "threads"
        print_text(
            f"There are no {kind} in the project {context.project_name}. "
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
@paged
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
            page = thread_page_at(memory, thread_id, at)
        else:
            page = thread_page(memory, thread_id, view if at is None else at)
        names = linked_names(memory, page)
    if as_json:
        print_json(page)
    else:
        print_thread_page(page, names, full=view == "full", why=why)


@threads.command(epilog="Example: ais threads merge thread_20260302 thread_20260409 --dry-run")
@click.argument("survivor", type=TEXT, shell_complete=thread_ids)
@click.argument("absorbed", type=TEXT, shell_complete=thread_ids)
@click.option("--force", is_flag=True, help="Even if a split locked one of them.")
@prints_outcome
def merge(
    memory: "Memory", survivor: str, absorbed: str, *, force: bool, dry_run: bool
) -> "Outcome":
    """Merge the thread ABSORBED into the thread SURVIVOR.

    ABSORBED is archived, and leads to SURVIVOR from then on. The start of an id is enough if
    only one thread has it.
    """
    return memory.merge(survivor, absorbed, force=force, dry_run=dry_run)


@threads.command("keep-apart", epilog="Example: ais threads keep-apart thread_2026 thread_2027")
@click.argument("first", type=TEXT, shell_complete=thread_ids)
@click.argument("second", type=TEXT, shell_complete=thread_ids)
@prints_outcome
def keep_apart(memory: "Memory", first: str, second: str, *, dry_run: bool) -> "Outcome":
    """Say that two threads have different subjects.

    Their merge is not suggested any more, and `ais compact` does not merge them.
    """
    return memory.keep_apart(first, second, dry_run=dry_run)


@threads.command("keep-whole", epilog="Example: ais threads keep-whole thread_20260302")
@thread_argument
@prints_outcome
def keep_whole(memory: "Memory", thread_id: str, *, dry_run: bool) -> "Outcome":
    """Say that the thread ID has one subject.

    Its split is not suggested any more.
    """
    return memory.keep_whole(thread_id, dry_run=dry_run)


@threads.command(epilog="Example: ais threads unlock thread_20260302")
@thread_argument
@click.option("--force", is_flag=True, help="Even if the lock is of the kind `force`.")
@prints_outcome
def unlock(memory: "Memory", thread_id: str, *, force: bool, dry_run: bool) -> "Outcome":
    """Unlock the thread ID, which was split off, so that it can be merged again."""
    return memory.unlock(thread_id, force=force, dry_run=dry_run)


@threads.command(epilog="Example: ais threads archive thread_20260302")
@thread_argument
@prints_outcome
def archive(memory: "Memory", thread_id: str, *, dry_run: bool) -> "Outcome":
    """Archive the thread ID; you can still find it."""
    return memory.archive(thread_id, dry_run=dry_run)


@threads.command(epilog="Example: ais threads suspend thread_20260302")
@thread_argument
@prints_outcome
def suspend(memory: "Memory", thread_id: str, *, dry_run: bool) -> "Outcome":
    """Suspend the thread ID until it is recalled."""
    return memory.suspend(thread_id, dry_run=dry_run)


@threads.command(epilog="Example: ais threads reactivate thread_20260302")
@thread_argument
@prints_outcome
def reactivate(memory: "Memory", thread_id: str, *, dry_run: bool) -> "Outcome":
    """Reactivate the thread ID, which was archived, suspended or has faded."""
    return memory.reactivate(thread_id, dry_run=dry_run)


@threads.command(epilog="Example: ais threads rename thread_20260302 How logging in works")
@thread_argument
@click.argument("title", nargs=-1, required=True, type=TEXT)
@prints_outcome
def rename(memory: "Memory", thread_id: str, title: tuple[str, ...], *, dry_run: bool) -> "Outcome":
    """Rename the thread ID to TITLE, which is then never changed automatically."""
    return memory.rename(thread_id, " ".join(title), dry_run=dry_run)


@threads.command(epilog="Example: ais threads move msg_7f2a thread_20260302")
@click.argument("message", type=TEXT)
@click.argument("thread_id", metavar="THREAD", type=TEXT, shell_complete=thread_ids)
@prints_outcome
def move(memory: "Memory", message: str, thread_id: str, *, dry_run: bool) -> "Outcome":
    """Move the message MESSAGE to the thread THREAD.

    `ais search` and `ais threads show` print the ids of messages.
    """
    return memory.move(message, thread_id, dry_run=dry_run)


@threads.command(epilog="Example: ais threads kind thread_20260302 decision")
@thread_argument
@click.argument("kind", type=click.Choice([kind.value for kind in Kind]))
@prints_outcome
def kind(memory: "Memory", thread_id: str, kind: str, *, dry_run: bool) -> "Outcome":
    """Set the kind of the thread ID, whether proposed or your own choice."""
    return memory.confirm(thread_id, Kind(kind), dry_run=dry_run)


def _fitting_topics(topics: Sequence[str], room: int) -> str:
    """Return the topics that fit, each as a whole; the first one in any case."""
    counts = range(len(topics), 0, -1)
    texts = (", ".join(topics[:count]) for count in counts)
    return next((text for text in texts if text_width(text) <= room), "".join(topics[:1]))


def _print_threads(shown: Sequence[Thread], names: "ThreadNames", now: datetime) -> None:
    """Print one line for each thread: the title first, and topics if there is room for them."""
    columns = ["title", "id", "weight", "last active"]
    rows = [
        [
            one_line(thread.title),
            names.short_id(thread.id),
            f"{thread.weight:.2f}",
            time_ago(thread.last_active, now),
        ]
        for thread in shown
    ]
    if any(thread.status is not Status.ACTIVE for thread in shown):
        columns.append("status")
        for row, thread in zip(rows, shown, strict=True):
            row.append("" if thread.status is Status.ACTIVE else str(thread.status))
    widths = [max(map(text_width, column)) for column in zip(columns, *rows, strict=True)]
    room = screen_width() - sum(widths) - 2 * len(widths)
    if room >= MIN_TOPICS_COLUMNS:
        columns.append("topics")
        for row, thread in zip(rows, shown, strict=True):
            row.append(_fitting_topics(thread.topics, room))
        widths.append(min(room, max(text_width(row[-1]) for row in rows)) or 1)
    else:
        widths[0] = max(MIN_TITLE_COLUMNS, widths[0] + min(0, room))
    print_table(columns, rows, widths=widths, is_cut=True)

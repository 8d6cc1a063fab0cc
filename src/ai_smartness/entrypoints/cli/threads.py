"""`ais threads`: list the threads of the project, read one, and put them in order."""

from collections.abc import Sequence
from datetime import UTC, datetime

import click

from ai_smartness.entrypoints.cli.completed import thread_ids
from ai_smartness.entrypoints.cli.condense import CONDENSING, read_point
from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, ListFirst, pass_context, readable
from ai_smartness.entrypoints.cli.described import described
from ai_smartness.entrypoints.cli.output import console, print_json, print_table, visible
from ai_smartness.entrypoints.cli.split import split
from ai_smartness.entrypoints.cli.thread_page import page_at, page_of, print_page
from ai_smartness.entrypoints.cli.tidy import TIDYING
from ai_smartness.model.saying import ago
from ai_smartness.model.thread import Status, Thread

__all__ = ["threads"]

ROOMY_COLUMNS = 110
"""From here on an id and a title fit side by side."""


@click.group(cls=ListFirst, epilog="Example: ais threads --status active --limit 5")
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
@as_json
@pass_context
def list_all(context: Context, limit: int, status: str | None, *, as_json: bool) -> None:
    """List threads with what they weigh now, the most recently active first."""
    with described(context) as memory:
        found = [each for each in memory.threads() if status in (None, each.status)]
    shown = found[:limit]
    if as_json:
        print_json(shown)
    elif shown:
        _print_threads(shown, datetime.now(UTC))
    else:
        click.echo(_nothing(context.name, status))
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
@as_json
@pass_context
def show(
    context: Context,
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
    with described(context) as memory:
        asked = readable(thread_id)
        if isinstance(at, datetime):
            page = page_at(memory, asked, at)
        else:
            page = page_of(memory, asked, view if at is None else at)
    if as_json:
        print_json(page)
    else:
        print_page(page, full=view == "full", why=why)


for command in (*TIDYING, split, *CONDENSING):
    threads.add_command(command)


def _print_threads(shown: Sequence[Thread], now: datetime) -> None:
    roomy = console().width >= ROOMY_COLUMNS
    rows = [
        (
            *((each.id, each.title) if roomy else (f"{each.id}\n{each.title}",)),
            f"{each.weight:.2f}",
            each.status,
            ago(each.last_active, now),
            ", ".join(each.topics),
        )
        for each in shown
    ]
    first = ("id", "title") if roomy else ("id and title",)
    columns = (*first, "weight", "status", "last active", "topics")
    print_table(columns, rows, widths=[max(len(each.id) for each in shown)])


def _nothing(project: str, status: str | None) -> str:
    kind = f"{status} threads" if status else "threads"
    return (
        f"There are no {kind} in the project {visible(project)}. "
        "`ais status` shows which projects have some."
    )

"""`ais threads`: list the threads of the project, and read one."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.output import console, print_json, print_table, progress, visible
from ai_smartness.entrypoints.cli.thread_page import ago, page_of, print_page
from ai_smartness.model.thread import Kind, Status, Thread

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["threads"]

ROOMY_COLUMNS = 110
"""From here on an id and a title fit side by side."""


class ListFirst(click.Group):
    """A group that lists when it is given no subcommand, with the options of its list."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, as those of `list` where no subcommand is named."""
        asks_for_help = bool(args) and args[0] in ctx.help_option_names
        if not asks_for_help and (not args or args[0].startswith("-")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=ListFirst, epilog="Example: ais threads --status active --limit 5")
def threads() -> None:
    """List the threads of the project, or read one.

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
    with context.memory() as memory:
        _tell(memory)
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


@threads.command(epilog="Example: ais threads show thread_20260302 --why")
@click.argument("thread_id", metavar="ID")
@click.option("--full", is_flag=True, help="Show long messages to their end.")
@click.option("--why", is_flag=True, help="Say of each message why it is on this thread.")
@as_json
@pass_context
def show(context: Context, thread_id: str, *, full: bool, why: bool, as_json: bool) -> None:
    """Show the thread ID and its messages.

    The start of an id is enough where only one thread has it.
    """
    with context.memory() as memory:
        _tell(memory)
        page = page_of(memory, readable(thread_id))
    if as_json:
        print_json(page)
    else:
        print_page(page, full=full, why=why)


@threads.command(epilog="Example: ais threads kind thread_20260302 decision")
@click.argument("thread_id", metavar="ID")
@click.argument("kind", type=click.Choice([each.value for each in Kind]))
@as_json
@pass_context
def kind(context: Context, thread_id: str, kind: str, *, as_json: bool) -> None:
    """Say what the thread ID is, as one of its messages proposes or as you know better."""
    with context.memory() as memory:
        thread = memory.confirm(readable(thread_id), Kind(kind))
    if as_json:
        print_json(thread)
    else:
        click.echo(f"{thread.id} is a {thread.kind} now, importance {thread.importance:g}.")


def _tell(memory: "Memory") -> None:
    """Describe what was captured since, with a bar: after an import it takes a while."""
    with progress("describing threads") as told:
        memory.tell(progress=told)


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
    print_table((*first, "weight", "status", "last active", "topics"), rows)


def _nothing(project: str, status: str | None) -> str:
    kind = f"{status} threads" if status else "threads"
    return (
        f"There are no {kind} in the project {visible(project)}. "
        "`ais status` shows which projects have some."
    )

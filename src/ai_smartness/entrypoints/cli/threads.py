"""`ais threads`: list the threads of the project, and read one."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.output import console, print_json, print_table, visible
from ai_smartness.entrypoints.cli.status import counted
from ai_smartness.model.thread import Status, Thread

if TYPE_CHECKING:
    from ai_smartness.model.event import Event

__all__ = ["threads"]

SHOWN_CHARACTERS = 2_000
"""A screenful of one message: what is longer is mostly a log that nobody reads to the end."""

ROOMY_COLUMNS = 110
"""From here on an id and a title fit side by side."""

UNITS = (
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)


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


@threads.command(epilog="Example: ais threads show thread_20260302 --full")
@click.argument("thread_id", metavar="ID")
@click.option("--full", is_flag=True, help="Show long messages to their end.")
@as_json
@pass_context
def show(context: Context, thread_id: str, *, full: bool, as_json: bool) -> None:
    """Show the thread ID and its messages.

    The start of an id is enough where only one thread has it.
    """
    with context.memory() as memory:
        thread = memory.thread(readable(thread_id))
        events = memory.all_events(thread.id)
    if as_json:
        print_json({"thread": thread, "messages": events})
        return
    _print_head(thread, len(events))
    for event in events:
        _print_message(event, None if full else SHOWN_CHARACTERS)


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


def ago(at: datetime, now: datetime) -> str:
    """Write how long ago something was, in its largest whole unit."""
    for unit, length in UNITS:
        if now - at >= length:
            return f"{counted((now - at) // length, unit)} ago"
    return "just now" if at <= now else "in the future"


def _print_head(thread: Thread, messages: int) -> None:
    now = datetime.now(UTC)
    lines = {
        "thread": thread.id,
        "title": thread.title,
        "project": thread.project,
        "status": thread.status,
        "weight": f"{thread.weight:.2f}",
        "topics": ", ".join(thread.topics),
        "summary": thread.summary,
        "begun": f"{_moment(thread.created_at)}, {ago(thread.created_at, now)}",
        "active": f"{_moment(thread.last_active)}, {ago(thread.last_active, now)}",
        "messages": f"{messages:,}",
    }
    for label, value in lines.items():
        if value:
            click.echo(f"{label:<10}{visible(value)}")


def _print_message(event: "Event", limit: int | None) -> None:
    session = f"  session {event.session}" if event.session else ""
    head = f"{event.id}  {_moment(event.at)}  {event.role}{session}"
    click.echo(f"\n{click.style(visible(head), bold=True)}")
    text = event.text[:limit]
    click.echo(visible(text))
    if len(text) < len(event.text):
        left = counted(len(event.text) - len(text), "more character")
        click.echo(f"… {left}; --full shows all")


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"

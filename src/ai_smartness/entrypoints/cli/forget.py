"""`ais forget`: let go of messages for good, and show that nothing of them is left."""

import sys
from collections.abc import Callable
from datetime import datetime
from functools import reduce
from typing import Any, NamedTuple, TypeVar

import click

from ai_smartness.entrypoints.cli.completed import thread_ids
from ai_smartness.entrypoints.cli.context import Context, named, pass_context, readable
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.forget_page import print_done, print_foreseen
from ai_smartness.entrypoints.cli.moment import read_moment
from ai_smartness.entrypoints.cli.output import print_json, progress
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.forgetting import Forgotten, Selection

__all__ = ["forget"]

EXIT_LEFT = 1

Command = TypeVar("Command", bound=Callable[..., Any])


class How(NamedTuple):
    """How a command was asked to go about it."""

    yes: bool
    dry_run: bool
    as_json: bool
    backups: str


def choosing(command: Command) -> Command:
    """Give a command the options that all of them have."""
    options = (
        click.option("--yes", "-y", is_flag=True, help="Ask nothing."),
        click.option("--dry-run", is_flag=True, help="Show what would go, and change nothing."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read."),
        click.option(
            "--backups",
            type=click.Choice(["rewrite", "remove"]),
            default="rewrite",
            show_default=True,
            help="Take it out of backups, or remove them.",
        ),
    )
    return reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


@click.group(epilog="Example: ais forget matching Project Falcon --dry-run")
def forget() -> None:
    """Forget a message, a thread, a session, a project, a time, or what holds some words.

    It goes out of the memory, its indexes, vectors and journal, the inbox, the logs, answers to
    agents, and backups. Then every file is searched for the words that only it held. It cannot
    be undone. What you exported is yours, and so are the transcripts of your client: they stay,
    and are not imported again.
    """


@forget.command(epilog="Example: ais forget message msg_7f2a")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@choosing
@pass_context
def message(context: Context, /, ids: tuple[str, ...], **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget the messages with these ids; `ais search` and `ais threads show` print them."""
    messages = tuple(readable(each) for each in ids)
    _forget(context, Selection(project=context.name, messages=messages), How(**how))


@forget.command(epilog="Example: ais forget thread thread_20260302")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@choosing
@pass_context
def thread(context: Context, /, thread_id: str, **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget the thread ID with all its messages."""
    _forget(context, Selection(thread=readable(thread_id)), How(**how))


@forget.command(epilog="Example: ais forget session 3f2c9a1e-77aa-4a51-9c11-08d8b7a0c0de")
@click.argument("session_id", metavar="ID")
@choosing
@pass_context
def session(context: Context, /, session_id: str, **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget all that was said and done in the session ID of an agent."""
    _forget(context, Selection(session=readable(session_id)), How(**how))


@forget.command(epilog="Example: ais forget project demo")
@click.argument("name")
@choosing
@pass_context
def project(context: Context, /, name: str, **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget the project NAME with everything in it."""
    from ai_smartness.wiring import known_projects  # noqa: PLC0415 - not for --help

    whole = named(readable(name), known_projects(context.places))
    _forget(context, Selection(project=whole), How(**how))


@forget.command(epilog="Example: ais forget time --since 2026-03-02 --until 2026-03-03")
@click.option("--since", metavar="TIME", callback=read_moment, help="From this moment on.")
@click.option("--until", metavar="TIME", callback=read_moment, help="Before this moment.")
@click.option("--everywhere", is_flag=True, help="In all projects.")
@choosing
@pass_context
def time(
    context: Context,
    /,
    since: datetime | None,
    until: datetime | None,
    *,
    everywhere: bool,
    **how: Any,  # noqa: ANN401 - as `How`
) -> None:
    """Forget what was said in a time, given in ISO 8601; without a zone it is UTC."""
    if since is None and until is None:
        msg = "give --since, --until or both. `ais forget project` forgets all of a project."
        raise click.UsageError(msg)
    where = None if everywhere else context.name
    _forget(context, Selection(project=where, since=since, until=until), How(**how))


@forget.command(epilog="Example: ais forget matching Project Falcon --everywhere")
@click.argument("words", nargs=-1, required=True)
@click.option("--everywhere", is_flag=True, help="In all projects.")
@choosing
@pass_context
def matching(
    context: Context,
    /,
    words: tuple[str, ...],
    *,
    everywhere: bool,
    **how: Any,  # noqa: ANN401 - as `How`
) -> None:
    """Forget every message that holds WORDS, one after the other, whatever their case.

    Titles, topics, reasons and log lines that hold them go too.
    """
    where = None if everywhere else context.name
    _forget(context, Selection(project=where, matching=readable(" ".join(words))), How(**how))


def _forget(context: Context, selection: Selection, how: How) -> None:
    from ai_smartness.entrypoints.cli.client_daemon import (  # noqa: PLC0415 - not for --help
        without_daemon,
    )

    with context.memory() as memory:
        foreseen = memory.forget(selection, dry_run=True)
    if how.dry_run:
        _print(foreseen, how)
        return
    if not _is_wanted(foreseen, selection, how):
        click.echo("Nothing was changed.", err=True)
        return
    with (
        without_daemon(context.places.home),
        context.memory() as memory,
        progress("forgetting") as told,
    ):
        done = memory.forget(selection, backups=how.backups, progress=told)
    _print(done, how)
    click.get_current_context().exit(EXIT_LEFT if done.left else 0)


def _print(forgotten: Forgotten, how: How) -> None:
    if how.as_json:
        print_json(forgotten)
    elif forgotten.dry_run:
        click.echo("dry run: nothing was changed.")
        print_foreseen(forgotten)
    else:
        print_done(forgotten)


def _is_wanted(foreseen: Forgotten, selection: Selection, how: How) -> bool:
    """Show what would go, and ask."""
    if not foreseen.messages and selection.matching is None:
        click.echo("There is nothing to forget: no message is of that time.", err=True)
        return False
    if how.yes:
        return True
    if how.as_json or not sys.stdin.isatty():
        msg = (
            f"forgetting {counted(foreseen.messages, 'message')} cannot be undone, and there is "
            "nobody to ask. Nothing was changed; give --yes, or --dry-run to see what would go."
        )
        raise RefusedError(msg)
    print_foreseen(foreseen)
    return click.confirm("Forget this for good?", default=False)

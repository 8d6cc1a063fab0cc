"""`ais forget`: let go of messages for good, and show that nothing of them is left.

What `ais forget` prints: what would go, and what went.
"""

import sys
from collections.abc import Callable
from datetime import datetime
from functools import reduce
from typing import Any, NamedTuple, TypeVar

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    pass_context,
    resolved_project,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import formatted_time, read_moment
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_table,
    progress_bar,
    safe_text,
)
from ai_smartness.model.erasure import ForgetResult, Selection
from ai_smartness.model.errors import RefusedError

__all__ = ["forget", "print_forgotten", "print_preview"]


EXIT_TRACES_LEFT = 1

Command = TypeVar("Command", bound=Callable[..., Any])


class ForgetOptions(NamedTuple):
    """How a command was asked to go about it."""

    yes: bool
    dry_run: bool
    as_json: bool
    backups: str


def forget_options(command: Command) -> Command:
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
@forget_options
@pass_context
def message(context: CliContext, /, ids: tuple[str, ...], **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget the messages with these ids; `ais search` and `ais threads show` print them."""
    messages = tuple(valid_text(each) for each in ids)
    _forget_selection(
        context,
        Selection(project=context.project_name, messages=messages),
        ForgetOptions(**how),
    )


@forget.command(epilog="Example: ais forget thread thread_20260302")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@forget_options
@pass_context
def thread(context: CliContext, /, thread_id: str, **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget the thread ID with all its messages."""
    _forget_selection(context, Selection(thread=valid_text(thread_id)), ForgetOptions(**how))


@forget.command(epilog="Example: ais forget session 3f2c9a1e-77aa-4a51-9c11-08d8b7a0c0de")
@click.argument("session_id", metavar="ID")
@forget_options
@pass_context
def session(context: CliContext, /, session_id: str, **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget all that was said and done in the session ID of an agent."""
    _forget_selection(context, Selection(session=valid_text(session_id)), ForgetOptions(**how))


@forget.command(epilog="Example: ais forget project demo")
@click.argument("name")
@forget_options
@pass_context
def project(context: CliContext, /, name: str, **how: Any) -> None:  # noqa: ANN401 - as `How`
    """Forget the project NAME with everything in it."""
    from ai_smartness.wiring import known_projects

    whole = resolved_project(valid_text(name), known_projects(context.places))
    _forget_selection(context, Selection(project=whole), ForgetOptions(**how))


@forget.command(epilog="Example: ais forget time --since 2026-03-02 --until 2026-03-03")
@click.option("--since", metavar="TIME", callback=read_moment, help="From this moment on.")
@click.option("--until", metavar="TIME", callback=read_moment, help="Before this moment.")
@click.option("--everywhere", is_flag=True, help="In all projects.")
@forget_options
@pass_context
def time(
    context: CliContext,
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
    where = None if everywhere else context.project_name
    _forget_selection(
        context,
        Selection(project=where, since=since, until=until),
        ForgetOptions(**how),
    )


@forget.command(epilog="Example: ais forget matching Project Falcon --everywhere")
@click.argument("words", nargs=-1, required=True)
@click.option("--everywhere", is_flag=True, help="In all projects.")
@forget_options
@pass_context
def matching(
    context: CliContext,
    /,
    words: tuple[str, ...],
    *,
    everywhere: bool,
    **how: Any,  # noqa: ANN401 - as `How`
) -> None:
    """Forget every message that holds WORDS, one after the other, whatever their case.

    Titles, topics, reasons and log lines that hold them go too.
    """
    where = None if everywhere else context.project_name
    _forget_selection(
        context,
        Selection(project=where, matching=valid_text(" ".join(words))),
        ForgetOptions(**how),
    )


def _forget_selection(context: CliContext, selection: Selection, how: ForgetOptions) -> None:
    from ai_smartness.entrypoints.cli.daemon import without_daemon

    with context.open_memory() as memory:
        foreseen = memory.forget(selection, dry_run=True)
    if how.dry_run:
        _print_result(foreseen, how)
        return
    if not _is_confirmed(foreseen, selection, how):
        click.echo("Nothing was changed.", err=True)
        return
    with (
        without_daemon(context.places.home),
        context.open_memory() as memory,
        progress_bar("forgetting") as told,
    ):
        done = memory.forget(selection, backups=how.backups, progress=told)
    _print_result(done, how)
    click.get_current_context().exit(EXIT_TRACES_LEFT if done.left else 0)


def _print_result(forgotten: ForgetResult, how: ForgetOptions) -> None:
    if how.as_json:
        print_json(forgotten)
    elif forgotten.dry_run:
        click.echo("dry run: nothing was changed.")
        print_preview(forgotten)
    else:
        print_forgotten(forgotten)


def _is_confirmed(foreseen: ForgetResult, selection: Selection, how: ForgetOptions) -> bool:
    """Show what would go, and ask."""
    if not foreseen.messages and selection.matching is None:
        click.echo("There is nothing to forget: no message is of that time.", err=True)
        return False
    if how.yes:
        return True
    if how.as_json or not sys.stdin.isatty():
        msg = (
            f"forgetting {counted_noun(foreseen.messages, 'message')} cannot be undone, and there is "
            "nobody to ask. Nothing was changed; give --yes, or --dry-run to see what would go."
        )
        raise RefusedError(msg)
    print_preview(foreseen)
    return click.confirm("Forget this for good?", default=False)


SHOWN_CHARACTERS = 100
SHOWN_TRACES = 20


def print_preview(foreseen: ForgetResult) -> None:
    """Show what would go."""
    click.echo(
        f"This would forget {counted_noun(foreseen.messages, 'message')}: "
        f"{counted_noun(foreseen.threads, 'thread')} with all of theirs, and some of "
        f"{counted_noun(foreseen.described, 'other')}.",
    )
    if len(foreseen.projects) > 1:
        rows = sorted(foreseen.projects.items(), key=lambda each: -each[1])
        print_table(["project", "messages"], [(name, f"{count:,}") for name, count in rows])
    if foreseen.examples:
        print_table(
            ["message", "when", "who", "said"],
            [
                (each.id, formatted_time(each.at), each.role, _one_line(each.text))
                for each in foreseen.examples
            ],
        )
    if foreseen.messages > len(foreseen.examples):
        click.echo(f"… and {foreseen.messages - len(foreseen.examples):,} more.")
    click.echo(
        "It cannot be undone. Backups are rewritten too, or with --backups remove removed; what "
        "you exported is yours, and stays.",
    )


def print_forgotten(done: ForgetResult) -> None:
    """Say what went, and what the search for it found."""
    click.echo(
        f"Forgot {counted_noun(done.messages, 'message')}. "
        f"{counted_noun(done.threads, 'thread')} went with the last of theirs; "
        f"{counted_noun(done.described, 'other')} described anew.",
    )
    if done.compactions or done.changes:
        click.echo(
            f"Also {counted_noun(done.compactions, 'compaction')} gone that stood for them, and "
            f"{counted_noun(done.changes, 'change')} of the journal told without them.",
        )
    for name, what in done.files.items():
        click.echo(f"  {safe_text(name)}: {safe_text(what)}")
    if done.left:
        _print_traces(done)
    elif done.words:
        click.echo(
            f"Searched {done.read / 1e6:,.1f} MB in every file of the memory for "
            f"{counted_noun(done.words, 'word')} that only they held: none was found.",
        )
    else:
        click.echo("No word was theirs alone, so there was none to search for.")
    if done.kept:
        click.echo(
            f"{counted_noun(done.kept, 'word')} of theirs stay: other messages hold them too, or the "
            "program's own files are written with them.",
        )


def _print_traces(done: ForgetResult) -> None:
    click.echo(f"error: {counted_noun(len(done.left), 'forgotten word')} still found:", err=True)
    for trace in done.left[:SHOWN_TRACES]:
        click.echo(f"  {safe_text(trace.place)}: {safe_text(trace.word)}", err=True)
    click.echo(
        "If it is a backup, `--backups remove` removes it; else end what uses the memory, and "
        "run the command again.",
        err=True,
    )


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"

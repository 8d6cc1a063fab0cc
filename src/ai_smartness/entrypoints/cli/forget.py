"""`ais forget`: delete messages permanently, and verify that no trace of them is left."""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    pass_context,
    resolved_project,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import dry_run_option, json_option, read_time
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    one_line,
    print_json,
    print_table,
    progress_bar,
    safe_text,
)
from ai_smartness.model.erasure import ForgetResult, Selection
from ai_smartness.model.errors import RefusedError

__all__ = ["forget"]

EXIT_TRACES_LEFT = 1
SHOWN_CHARACTERS = 100
SHOWN_TRACES = 20

Command = TypeVar("Command", bound=Callable[..., Any])


class ForgetOptions(NamedTuple):
    """The options that every subcommand has."""

    yes: bool
    dry_run: bool
    as_json: bool
    backups: str


def forget_options(command: Command) -> Command:
    """Add the options that every subcommand has."""
    backups = click.option(
        "--backups",
        type=click.Choice(["rewrite", "remove"]),
        default="rewrite",
        show_default=True,
        help="Delete the messages from backups, or remove the backups.",
    )
    yes = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
    return yes(dry_run_option(json_option(backups(command))))


everywhere_option = click.option("--everywhere", is_flag=True, help="In all projects.")


@click.group(epilog="Example: ais forget matching Project Falcon --dry-run")
def forget() -> None:
    """Choose a message, a thread, a session, a project, a time, or messages with some words.

    They are deleted from the memory, its indexes, vectors and journal, the inbox, the logs,
    answers to agents, and backups. Then every file is searched for the words that only they had.
    Deletion cannot be undone. Your exports and your client's transcripts are not touched; deleted
    messages are not imported from them again.
    """


@forget.command(epilog="Example: ais forget message msg_7f2a")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@forget_options
@pass_context
def message(context: CliContext, /, ids: tuple[str, ...], **options: object) -> None:
    """Forget the messages with these ids; `ais search` and `ais threads show` print them."""
    messages = tuple(valid_text(message_id) for message_id in ids)
    _forget_selection(context, Selection(project=context.project_name, messages=messages), options)


@forget.command(epilog="Example: ais forget thread thread_20260302")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@forget_options
@pass_context
def thread(context: CliContext, /, thread_id: str, **options: object) -> None:
    """Forget the thread ID with all its messages."""
    _forget_selection(context, Selection(thread=valid_text(thread_id)), options)


@forget.command(epilog="Example: ais forget session 3f2c9a1e-77aa-4a51-9c11-08d8b7a0c0de")
@click.argument("session_id", metavar="ID")
@forget_options
@pass_context
def session(context: CliContext, /, session_id: str, **options: object) -> None:
    """Forget everything that was said and done in an agent's session ID."""
    _forget_selection(context, Selection(session=valid_text(session_id)), options)


@forget.command(epilog="Example: ais forget project demo")
@click.argument("name")
@forget_options
@pass_context
def project(context: CliContext, /, name: str, **options: object) -> None:
    """Forget the project NAME with everything in it."""
    from ai_smartness.wiring import known_projects

    full_name = resolved_project(valid_text(name), known_projects(context.places))
    _forget_selection(context, Selection(project=full_name), options)


@forget.command(epilog="Example: ais forget time --since 2026-03-02 --until 2026-03-03")
@click.option("--since", metavar="TIME", callback=read_time, help="From this time on.")
@click.option("--until", metavar="TIME", callback=read_time, help="Before this time.")
@everywhere_option
@forget_options
@pass_context
def time(
    context: CliContext,
    /,
    since: datetime | None,
    until: datetime | None,
    *,
    everywhere: bool,
    **options: object,
) -> None:
    """Forget the messages of a time span, given in ISO 8601; without a zone it is UTC."""
    if since is None and until is None:
        msg = "give --since, --until or both. `ais forget project` forgets a whole project."
        raise click.UsageError(msg)
    project = None if everywhere else context.project_name
    _forget_selection(context, Selection(project=project, since=since, until=until), options)


@forget.command(epilog="Example: ais forget matching Project Falcon --everywhere")
@click.argument("words", nargs=-1, required=True)
@everywhere_option
@forget_options
@pass_context
def matching(
    context: CliContext, /, words: tuple[str, ...], *, everywhere: bool, **options: object
) -> None:
    """Forget every message that contains WORDS as a phrase, in any case.

    Titles, topics, reasons and log lines that contain the phrase are deleted too.
    """
    project = None if everywhere else context.project_name
    phrase = valid_text(" ".join(words))
    _forget_selection(context, Selection(project=project, matching=phrase), options)


def _forget_selection(
    context: CliContext, selection: Selection, values: Mapping[str, object]
) -> None:
    from ai_smartness.entrypoints.cli.daemon import without_daemon

    options = ForgetOptions(
        yes=bool(values["yes"]),
        dry_run=bool(values["dry_run"]),
        as_json=bool(values["as_json"]),
        backups=str(values["backups"]),
    )
    with context.open_memory() as memory:
        preview = memory.forget(selection, dry_run=True)
    if options.dry_run:
        if options.as_json:
            print_json(preview)
        else:
            click.echo("dry run: nothing was changed.")
            _print_preview(preview)
        return
    if not _is_confirmed(preview, selection, options):
        click.echo("Nothing was changed.", err=True)
        return
    with (
        without_daemon(context.places.home),
        context.open_memory() as memory,
        progress_bar("forgetting") as progress,
    ):
        result = memory.forget(selection, backups=options.backups, progress=progress)
    if options.as_json:
        print_json(result)
    else:
        _print_forgotten(result)
    click.get_current_context().exit(EXIT_TRACES_LEFT if result.left else 0)


def _is_confirmed(preview: ForgetResult, selection: Selection, options: ForgetOptions) -> bool:
    """Show the messages that would be deleted, and ask."""
    if not preview.messages and selection.matching is None:
        click.echo("There is nothing to forget: no message is of that time.", err=True)
        return False
    if options.yes:
        return True
    if options.as_json or not sys.stdin.isatty():
        msg = (
            f"forgetting {counted_noun(preview.messages, 'message')} cannot be undone, and there "
            "is nobody to ask. Nothing was changed; give --yes, or --dry-run for a preview."
        )
        raise RefusedError(msg)
    _print_preview(preview)
    return click.confirm("Forget this permanently?", default=False)


def _print_preview(preview: ForgetResult) -> None:
    click.echo(
        f"This would forget {counted_noun(preview.messages, 'message')}: "
        f"{counted_noun(preview.threads, 'whole thread')}, and parts of "
        f"{counted_noun(preview.described, 'other')}."
    )
    if len(preview.projects) > 1:
        rows = sorted(preview.projects.items(), key=lambda item: -item[1])
        print_table(["project", "messages"], [(name, f"{count:,}") for name, count in rows])
    if preview.examples:
        examples = [
            (event.id, formatted_time(event.at), event.role, one_line(event.text, SHOWN_CHARACTERS))
            for event in preview.examples
        ]
        print_table(["message", "when", "who", "said"], examples)
    if preview.messages > len(preview.examples):
        click.echo(f"… and {preview.messages - len(preview.examples):,} more.")
    click.echo(
        "It cannot be undone. Backups are rewritten too, or removed with --backups remove. "
        "Exports are yours, and stay."
    )


def _print_forgotten(result: ForgetResult) -> None:
    """Print what was deleted, and what the search for traces found."""
    click.echo(
        f"Forgot {counted_noun(result.messages, 'message')}. "
        f"{counted_noun(result.threads, 'thread')} deleted with their last message; "
        f"{counted_noun(result.described, 'other')} described again."
    )
    if result.compactions or result.changes:
        click.echo(
            f"Also deleted {counted_noun(result.compactions, 'compaction')} of them, and rewrote "
            f"{counted_noun(result.changes, 'change')} in the journal without them."
        )
    for name, action in result.files.items():
        click.echo(f"  {safe_text(name)}: {safe_text(action)}")
    if result.left:
        _print_traces(result)
    elif result.words:
        click.echo(
            f"Searched {result.read / 1e6:,.1f} MB in every file of the memory for "
            f"{counted_noun(result.words, 'word')} that only they had: none was found."
        )
    else:
        click.echo("They had no word of their own, so there was none to search for.")
    if result.kept:
        click.echo(
            f"{counted_noun(result.kept, 'word')} of theirs stay: other messages, or the "
            "program's own files, have them too."
        )


def _print_traces(result: ForgetResult) -> None:
    count = counted_noun(len(result.left), "forgotten word")
    click.echo(f"error: {count} still found:", err=True)
    for trace in result.left[:SHOWN_TRACES]:
        click.echo(f"  {safe_text(trace.place)}: {safe_text(trace.word)}", err=True)
    click.echo(
        "If it is in a backup, `--backups remove` removes it; otherwise close the programs that "
        "use the memory, and run the command again.",
        err=True,
    )

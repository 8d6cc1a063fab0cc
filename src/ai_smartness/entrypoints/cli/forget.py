"""`ais forget`: delete messages permanently, and verify that no trace of them is left."""

import sys
from collections.abc import Callable
from datetime import datetime
from functools import wraps

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, resolved_project
from ai_smartness.entrypoints.cli.completion import thread_argument
from ai_smartness.entrypoints.cli.options import TEXT, WholeHelpGroup, change_options, read_time
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    one_line,
    print_json,
    print_table,
    print_text,
    progress_bar,
    safe_text,
    shown_id,
)
from ai_smartness.model.erasure import SHARED_PLACE, ForgetResult, Selection
from ai_smartness.model.errors import NotFoundError, RefusedError

__all__ = ["forget"]

EXIT_TRACES_LEFT = 1
SHOWN_CHARACTERS = 100
SHOWN_TRACES = 20


def forgets(function: Callable[..., Selection]) -> Callable[..., None]:
    """Make a command of a function that selects messages, with the options that all have."""

    @click.option("--yes", "-y", is_flag=True, help="Do not ask.")
    @change_options
    @click.option(
        "--backups",
        type=click.Choice(["rewrite", "remove"]),
        default="rewrite",
        show_default=True,
        help="Delete the messages from backups, or remove the backups.",
    )
    @pass_context
    @wraps(function)
    def run(
        context: CliContext,
        /,
        *,
        yes: bool,
        dry_run: bool,
        as_json: bool,
        backups: str,
        **arguments: object,
    ) -> None:
        from ai_smartness.entrypoints.cli.daemon import finish_forgetting

        finished = None if dry_run else finish_forgetting(context)
        try:
            selection = function(context, **arguments)
            with context.open_memory() as memory:
                preview = memory.forget(selection, dry_run=True)
        except NotFoundError as error:
            if finished is None:
                raise
            # The same command again, whose first run was interrupted.
            _print_end(finished, f"note: {error}", as_json=as_json)
            return
        if dry_run:
            _print_result(preview, as_json=as_json)
        elif _is_confirmed(preview, selection, yes=yes, as_json=as_json):
            _forget_selection(context, selection, backups, as_json=as_json)
        else:
            print_text("Nothing was changed.", err=True)

    return run


everywhere_option = click.option("--everywhere", is_flag=True, help="In all projects.")


@click.group(cls=WholeHelpGroup, epilog="Example: ais forget matching Project Falcon --dry-run")
def forget() -> None:
    """Choose a message, a thread, a session, a project, a time, or messages with some words.

    They are deleted from the memory, its indexes, vectors and journal, the inbox, the logs,
    answers to agents, and backups. Then every file is searched for the words that only they had.
    Deletion cannot be undone. Your exports and your client's transcripts are not touched; deleted
    messages are not imported from them again.

    On a PostgreSQL server, its tables, indexes and statistics are rewritten. Its write-ahead log,
    replicas, backups and dumps are out of reach: they are named, with what the server keeps.
    """


@forget.command(epilog="Example: ais forget message msg_7f2a")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=TEXT)
@forgets
def message(context: CliContext, ids: tuple[str, ...]) -> Selection:
    """Forget the messages with these ids; `ais search` and `ais threads show` print them."""
    return Selection(project=context.project_name, messages=ids)


@forget.command(epilog="Example: ais forget thread thread_20260302")
@thread_argument
@forgets
def thread(_context: CliContext, thread_id: str) -> Selection:
    """Forget the thread ID with all its messages."""
    return Selection(thread=thread_id)


@forget.command(epilog="Example: ais forget session 3f2c9a1e-77aa-4a51-9c11-08d8b7a0c0de")
@click.argument("session_id", metavar="ID", type=TEXT)
@forgets
def session(_context: CliContext, session_id: str) -> Selection:
    """Forget everything that was said and done in an agent's session ID."""
    return Selection(session=session_id)


@forget.command(epilog="Example: ais forget project demo")
@click.argument("name", type=TEXT)
@forgets
def project(context: CliContext, name: str) -> Selection:
    """Forget the project NAME with everything in it."""
    from ai_smartness.wiring import known_projects

    return Selection(project=resolved_project(name, known_projects(context.places)))


@forget.command(epilog="Example: ais forget time --since 2026-03-02 --until 2026-03-03")
@click.option("--since", metavar="TIME", callback=read_time, help="From this time on.")
@click.option("--until", metavar="TIME", callback=read_time, help="Before this time.")
@everywhere_option
@forgets
def time(
    context: CliContext, since: datetime | None, until: datetime | None, *, everywhere: bool
) -> Selection:
    """Forget the messages of a time span, given in ISO 8601; without a zone it is UTC."""
    if since is None and until is None:
        msg = "give --since, --until or both. `ais forget project` forgets a whole project."
        raise click.UsageError(msg)
    project = None if everywhere else context.project_name
    return Selection(project=project, since=since, until=until)


@forget.command(epilog="Example: ais forget matching Project Falcon --everywhere")
@click.argument("words", nargs=-1, required=True, type=TEXT)
@everywhere_option
@forgets
def matching(context: CliContext, words: tuple[str, ...], *, everywhere: bool) -> Selection:
    """Forget every message that contains WORDS as a phrase, in any case.

    Titles, topics, reasons and log lines that contain the phrase are deleted too.
    """
    project = None if everywhere else context.project_name
    return Selection(project=project, matching=" ".join(words))


def _forget_selection(
    context: CliContext, selection: Selection, backups: str, *, as_json: bool
) -> None:
    from ai_smartness.entrypoints.daemon.pause import without_daemon

    with (
        without_daemon(context.places.home),
        context.open_memory() as memory,
        progress_bar("forgetting") as progress,
    ):
        result = memory.forget(selection, backups=backups, progress=progress)
    _print_end(result, "", as_json=as_json)


def _print_end(result: ForgetResult, note: str, *, as_json: bool) -> None:
    """Print the result of a deletion, and exit by what it left."""
    if note:
        print_text(safe_text(note), err=True)
    _print_result(result, as_json=as_json)
    click.get_current_context().exit(EXIT_TRACES_LEFT if result.left else 0)


def _is_confirmed(preview: ForgetResult, selection: Selection, *, yes: bool, as_json: bool) -> bool:
    """Show the messages that would be deleted, and ask."""
    if not preview.messages and selection.matching is None:
        print_text("There is nothing to forget: no message is of that time.", err=True)
        return False
    if yes:
        return True
    if as_json or not sys.stdin.isatty():
        msg = (
            f"forgetting {counted_noun(preview.messages, 'message')} cannot be undone, and there "
            "is nobody to ask. Nothing was changed; give --yes, or --dry-run for a preview."
        )
        raise RefusedError(msg)
    _print_preview(preview)
    return click.confirm("Forget this permanently?", default=False)


def _print_result(result: ForgetResult, *, as_json: bool) -> None:
    if as_json:
        print_json(result)
    elif result.dry_run:
        print_text("dry run: nothing was changed.")
        _print_preview(result)
    else:
        _print_forgotten(result)
        _print_unreached_places(result)


def _print_preview(preview: ForgetResult) -> None:
    print_text(
        f"This would forget {counted_noun(preview.messages, 'message')}: "
        f"{counted_noun(preview.threads, 'whole thread')}, and parts of "
        f"{counted_noun(preview.described, 'other')}."
    )
    if len(preview.projects) > 1:
        rows = sorted(preview.projects.items(), key=lambda item: -item[1])
        print_table(["project", "messages"], [(name, f"{count:,}") for name, count in rows])
    if preview.examples:
        examples = [
            (
                shown_id(event.id),
                formatted_time(event.at),
                event.role,
                one_line(event.text, SHOWN_CHARACTERS),
            )
            for event in preview.examples
        ]
        print_table(["message", "when", "who", "said"], examples)
    if preview.messages > len(preview.examples):
        print_text(f"… and {preview.messages - len(preview.examples):,} more.")
    print_text(
        "It cannot be undone. Backups are rewritten too, or removed with --backups remove. "
        "Your exports are not touched."
    )


def _print_forgotten(result: ForgetResult) -> None:
    """Print what was deleted, and what the search for traces found."""
    if result.interrupted:
        messages = counted_noun(result.messages, "message")
        print_text(f"Finished the deletion of {messages}, which was interrupted.")
    else:
        print_text(
            f"Forgot {counted_noun(result.messages, 'message')}. "
            f"{counted_noun(result.threads, 'thread')} deleted with their last message; "
            f"{counted_noun(result.described, 'other')} described again."
        )
    if result.compactions or result.changes:
        print_text(
            f"Also deleted {counted_noun(result.compactions, 'compaction')} of them, and rewrote "
            f"{counted_noun(result.changes, 'change')} in the journal without them."
        )
    for name, action in result.files.items():
        print_text(f"  {name}: {action}")
    if result.left:
        _print_traces(result)
    elif result.words:
        print_text(
            f"Searched {result.read / 1e6:,.1f} MB in every file of the memory for "
            f"{counted_noun(result.words, 'word')} that only they had: none was found."
        )
    else:
        print_text("They had no word of their own, so there was none to search for.")
    if result.kept:
        print_text(
            f"{counted_noun(result.kept, 'word')} of theirs stay, because other messages contain "
            "them too, or the program itself writes them."
        )


def _print_unreached_places(result: ForgetResult) -> None:
    """Say where a server may still hold the words, out of our reach."""
    if result.unreached:
        print_text(
            "The tables, indexes and statistics of the server are rewritten without them. "
            "These places are out of our reach:"
        )
    for place in result.unreached:
        print_text(f"  {place}")


def _print_traces(result: ForgetResult) -> None:
    count = counted_noun(len(result.left), "forgotten word")
    print_text(f"error: {count} still found:", err=True)
    for trace in result.left[:SHOWN_TRACES]:
        print_text(f"  {trace.place}: {trace.word}", err=True)
    places = {trace.place for trace in result.left}
    if SHARED_PLACE in places:
        print_text("`ais team` lists what you share; `ais unshare ID` takes it back.", err=True)
    if places != {SHARED_PLACE}:
        print_text(
            "If it is in a backup, `--backups remove` removes it; otherwise close the programs "
            "that use the memory, and run the command again.",
            err=True,
        )

"""The subcommands of `ais threads` that put threads in order, each of which can be undone."""

from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.completed import thread_ids
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.described import described
from ai_smartness.entrypoints.cli.outcome import changing, print_outcome
from ai_smartness.model.thread import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome

__all__ = ["TIDYING"]

thread_id = click.argument("thread_id", metavar="ID", shell_complete=thread_ids)


@click.command(epilog="Example: ais threads merge thread_20260302 thread_20260409 --dry-run")
@click.argument("survivor", shell_complete=thread_ids)
@click.argument("absorbed", shell_complete=thread_ids)
@click.option("--force", is_flag=True, help="Also where a split locked one of them.")
@changing
@pass_context
def merge(
    context: Context, survivor: str, absorbed: str, *, force: bool, dry_run: bool, as_json: bool
) -> None:
    """Put the messages of the thread ABSORBED on SURVIVOR.

    ABSORBED is archived and leads to SURVIVOR from then on. The start of an id
    is enough where only one thread has it.
    """
    one, other = readable(survivor), readable(absorbed)
    _tidy(
        context,
        lambda memory: memory.merge(one, other, force=force, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads unlock thread_20260302")
@thread_id
@click.option("--force", is_flag=True, help="Also where the lock is of the kind `force`.")
@changing
@pass_context
def unlock(context: Context, thread_id: str, *, force: bool, dry_run: bool, as_json: bool) -> None:
    """Let the thread ID, which was split off, be merged again."""
    _tidy(
        context,
        lambda memory: memory.unlock(readable(thread_id), force=force, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads archive thread_20260302")
@thread_id
@changing
@pass_context
def archive(context: Context, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Put the thread ID away; it is still found."""
    _tidy(
        context,
        lambda memory: memory.archive(readable(thread_id), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads suspend thread_20260302")
@thread_id
@changing
@pass_context
def suspend(context: Context, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Put the thread ID aside until it is recalled."""
    _tidy(
        context,
        lambda memory: memory.suspend(readable(thread_id), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads reactivate thread_20260302")
@thread_id
@changing
@pass_context
def reactivate(context: Context, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Bring the thread ID back that was put away or has faded."""
    _tidy(
        context,
        lambda memory: memory.reactivate(readable(thread_id), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads rename thread_20260302 How logging in works")
@thread_id
@click.argument("title", nargs=-1, required=True)
@changing
@pass_context
def rename(
    context: Context, thread_id: str, title: tuple[str, ...], *, dry_run: bool, as_json: bool
) -> None:
    """Give the thread ID a TITLE that stays as it grows."""
    words = readable(" ".join(title))
    _tidy(
        context,
        lambda memory: memory.rename(readable(thread_id), words, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads move msg_7f2a thread_20260302")
@click.argument("message")
@click.argument("thread_id", metavar="THREAD", shell_complete=thread_ids)
@changing
@pass_context
def move(context: Context, message: str, thread_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Put the message MESSAGE on the thread THREAD.

    `ais search` and `ais threads show` print the ids of messages.
    """
    said, to = readable(message), readable(thread_id)
    _tidy(
        context,
        lambda memory: memory.move(said, to, dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


@click.command(epilog="Example: ais threads kind thread_20260302 decision")
@thread_id
@click.argument("kind", type=click.Choice([each.value for each in Kind]))
@changing
@pass_context
def kind(context: Context, thread_id: str, kind: str, *, dry_run: bool, as_json: bool) -> None:
    """Say what the thread ID is, as one of its messages proposes or as you know better."""
    _tidy(
        context,
        lambda memory: memory.confirm(readable(thread_id), Kind(kind), dry_run=dry_run),
        dry_run=dry_run,
        as_json=as_json,
    )


TIDYING = (merge, unlock, archive, suspend, reactivate, rename, move, kind)


def _tidy(
    context: Context, verb: "Callable[[Memory], Outcome]", *, dry_run: bool, as_json: bool
) -> None:
    with described(context) as memory:
        outcome = verb(memory)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)

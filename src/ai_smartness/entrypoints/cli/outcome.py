"""What a verb did, or in a dry run would do, told in one way by every command that changes."""

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.output import print_json, visible

if TYPE_CHECKING:
    from ai_smartness.model.journal import Change, Outcome

__all__ = ["changed", "changing", "command", "plain", "print_outcome"]

Command = TypeVar("Command", bound=Callable[..., Any])


def changing(function: Command) -> Command:
    """Give a command the options of every verb that changes something."""
    dry_run = click.option(
        "--dry-run", is_flag=True, help="Say what would be done, and change nothing."
    )
    return dry_run(as_json(function))


def print_outcome(context: Context, outcome: "Outcome", *, dry_run: bool, as_json: bool) -> None:
    """Print what was done and how to take it back, or what would be."""
    if as_json:
        print_json(plain(outcome, dry_run=dry_run))
        return
    if dry_run:
        click.echo("dry run: nothing was changed. It would say:")
    click.echo(visible(outcome.said))
    if dry_run:
        for each in outcome.threads:
            line = f"{each.id}  {each.status}  {each.weight:.2f}  {each.title}"
            click.echo(f"  {visible(line)}")
    elif outcome.number is not None:
        project = outcome.threads[0].project if outcome.threads else None
        undo = command(context, "undo", str(outcome.number), project=project)
        click.echo(f"change {outcome.number}; undo with: {undo}")


def plain(outcome: "Outcome", *, dry_run: bool) -> dict[str, object]:
    """Return an outcome as programs read it."""
    from ai_smartness.entrypoints.tools.shapes import outcome_shape  # noqa: PLC0415 - not for --help

    return outcome_shape(outcome, dry_run=dry_run)


def changed(change: "Change") -> dict[str, object]:
    """Return the messages and bridges of a change as programs read them."""
    return {
        "moved": [
            {"from": each.source, "to": each.target, "messages": len(each.seqs)}
            for each in change.moves
        ],
        "bridges": [{"before": each.before, "after": each.after} for each in change.bridges],
    }


def command(context: Context, *words: str, project: str | None = None) -> str:
    """Write a command of `ais` to be copied, with the options that this one was given."""
    home = ["--home", str(context.home)] if context.home else []
    meant = project or context.name
    elsewhere = context.project is not None or meant != context.name
    options = [*home, *(["--project", meant] if elsewhere else [])]
    return visible(shlex.join(["ais", *options, *words]))

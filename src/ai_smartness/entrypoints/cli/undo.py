"""`ais undo`: take a change back."""

import click

from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.described import described
from ai_smartness.entrypoints.cli.outcome import changing, print_outcome

__all__ = ["undo"]


@click.command(epilog="Example: ais undo 12 --dry-run")
@click.argument("number", metavar="[CHANGE]", type=click.IntRange(min=1), required=False)
@changing
@pass_context
def undo(context: Context, number: int | None, *, dry_run: bool, as_json: bool) -> None:
    """Take CHANGE back, or the latest one that is in force.

    What it changed becomes exactly what it was. `ais log` lists the changes with
    their numbers; an undo is one too, and can be undone.
    """
    with described(context) as memory:
        outcome = memory.undo(number, dry_run=dry_run)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)

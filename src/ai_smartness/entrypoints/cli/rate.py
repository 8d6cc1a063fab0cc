"""`ais rate`: say whether a thread that was shown was of use."""

import click

from ai_smartness.entrypoints.cli.completed import thread_ids
from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.outcome import print_outcome

__all__ = ["rate"]


@click.command(epilog='Example: ais rate thread_20260302 --not-useful --reason "redesigned since"')
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option("--useful/--not-useful", default=None, help="Whether it helped, or was noise.")
@click.option("--reason", help="Why; kept with the rating.")
@as_json
@pass_context
def rate(
    context: Context, thread_id: str, reason: str | None, *, useful: bool | None, as_json: bool
) -> None:
    """Say whether the thread ID was of use, so that it is shown more or less often.

    The id is printed beside whatever was shown to an agent; `ais why` lists it too.
    """
    if useful is None:
        msg = "Say which: --useful or --not-useful."
        raise click.UsageError(msg)
    why = None if reason is None else readable(reason)
    with context.memory() as memory:
        outcome = memory.rate(readable(thread_id), useful=useful, reason=why)
    print_outcome(context, outcome, dry_run=False, as_json=as_json)

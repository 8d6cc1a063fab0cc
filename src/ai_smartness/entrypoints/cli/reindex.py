"""`ais reindex`: build what follows from the messages anew, or catch up with embedding."""

from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.output import progress, visible
from ai_smartness.entrypoints.cli.status import counted
from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["reindex"]


@click.command(epilog="Example: ais reindex --missing --all-projects")
@click.option("--missing", is_flag=True, help="Only embed what is not embedded yet.")
@click.option("--keep-vectors", is_flag=True, help="Rebuild words and descriptions only.")
@click.option("--all-projects", is_flag=True, help="Every project in place of this one.")
@pass_context
def reindex(context: Context, *, missing: bool, keep_vectors: bool, all_projects: bool) -> None:
    """Build everything that follows from the messages anew.

    Words, descriptions and vectors; the messages themselves never change. It
    can be interrupted: `--missing` goes on with the vectors where it stopped.
    """
    if missing and keep_vectors:
        msg = "--missing embeds and --keep-vectors does not: choose one of them."
        raise click.UsageError(msg)
    if not keep_vectors:
        _see_to_the_model(context, needed=missing)
    with context.memory() as memory:
        names = [each.project for each in memory.projects()] if all_projects else [memory.project]
        for name in names:
            here = memory.seen_from(name)
            click.echo(f"{visible(name)}: {_rebuilt(here, missing, vectors=not keep_vectors)}")
        if not names:
            click.echo("This memory is empty: there is nothing to rebuild.")


def _rebuilt(memory: "Memory", missing: bool, *, vectors: bool) -> str:  # noqa: FBT001 - an option of ours
    if missing:
        with progress("embedding") as told:
            return f"{counted(memory.embed(progress=told), 'message')} embedded"
    with progress("rebuilding") as told:
        return f"{counted(memory.reindex(vectors=vectors, progress=told), 'message')} rebuilt"


def _see_to_the_model(context: Context, *, needed: bool) -> None:
    lacking = context.lacking_model
    if lacking is None:
        return
    msg = f"cannot embed: the model {lacking} is not here. Run `ais model pull {lacking}` first."
    if needed:
        raise RefusedError(msg)
    click.echo(f"note: {msg}", err=True)

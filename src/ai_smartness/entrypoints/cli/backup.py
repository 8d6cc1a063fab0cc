"""`ais backup`: copy the memory while it is in use, and see what copies there are."""

from pathlib import Path

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.moment import written
from ai_smartness.entrypoints.cli.output import print_json, print_table, progress, visible
from ai_smartness.model.backup import Backup

__all__ = ["backup"]

into = click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="This folder, in place of the one that is set (`backup.folder`).",
)


@click.group(invoke_without_command=True, epilog="Example: ais backup --to /media/stick")
@into
@as_json
@click.pass_context
def backup(ctx: click.Context, to: Path | None, *, as_json: bool) -> None:
    """Back the memory up, while it is in use.

    The copy is of one moment, is read through before it counts, and is yours to remove. The
    daemon makes one a day by itself when something has changed, and removes those that are
    older than the settings under `backup` say.
    """
    if ctx.invoked_subcommand is not None:
        return
    from ai_smartness.wiring import SystemClock, backups  # noqa: PLC0415 - not for --help

    context = ctx.ensure_object(Context)
    kept = backups(context.places, context.settings, to and to.expanduser().absolute())
    with progress("backing up") as told:
        made = kept.make(SystemClock().now(), told)
    if as_json:
        print_json(made)
    else:
        click.echo(f"Backed up to {visible(str(made.path))} ({_size(made)}), and found whole.")


@backup.command("list", epilog="Example: ais backup list --json")
@into
@as_json
@pass_context
def list_(context: Context, to: Path | None, *, as_json: bool) -> None:
    """List the backups there are, the newest first."""
    from ai_smartness.wiring import backups  # noqa: PLC0415 - not for --help

    kept = backups(context.places, context.settings, to and to.expanduser().absolute())
    found = kept.all()
    if as_json:
        print_json(found)
    elif found:
        rows = [(each.path.name, written(each.at), _size(each), _maker(each)) for each in found]
        print_table(("backup", "of", "size", "made by"), rows)
        click.echo(f"\nThey are in {visible(str(kept.folder))}.")
    else:
        click.echo(
            f"There is no backup in {visible(str(kept.folder))} yet. `ais backup` makes one."
        )


def _maker(made: Backup) -> str:
    return "the daemon" if made.daily else "you"


def _size(made: Backup) -> str:
    from rich.filesize import decimal  # noqa: PLC0415 - not for --help

    return decimal(made.size)

"""`ais uninstall`: take out of the client's settings exactly what `ais init` put in.

The memory itself is asked about, and kept unless somebody says otherwise.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.model.errors import AisError, RefusedError

if TYPE_CHECKING:
    from ai_smartness.entrypoints.cli.client_connect import Edit

__all__ = ["uninstall"]

DATA = (
    "memory.db*",
    "inbox",
    "run",
    "recalls",
    "logs",
    "backups",
    "recall.log*",
    "installed.json",
)
"""All that we keep in a memory's home, beside the settings, which are yours."""


@click.command(epilog="Example: ais uninstall --dry-run")
@click.option("--here", is_flag=True, help="Only this project's settings; the memory stays.")
@click.option("--delete-data", is_flag=True, help="Delete the memory too, without asking again.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing; the memory stays.")
@click.pass_context
def uninstall(
    ctx: click.Context, *, here: bool, delete_data: bool, dry_run: bool, yes: bool
) -> None:
    """Take our hooks out of Claude Code's settings, wherever `ais init` put them.

    A file that is still as `ais init` left it is put back byte for byte; from one that was
    changed since, only our entries are taken. The memory is kept unless you say otherwise.
    """
    context = ctx.ensure_object(Context)
    if here and delete_data:
        msg = "give --here or --delete-data: the memory is not this project's alone."
        raise click.UsageError(msg, ctx)
    planned = _planned(context, here=here)
    for refusal in planned.refusals:
        click.echo(f"warning: {visible(refusal)}", err=True)
    if dry_run:
        _print_dry_run(planned.edits)
    elif _agreed(planned.edits, yes=yes or delete_data):
        _carry_out(context, planned)
        if not here:
            _leave(context, delete=delete_data or _unwanted(context, yes=yes))
    if planned.refusals:
        ctx.exit(1)


class Planned(NamedTuple):
    """What is to be done: the changes, the files without anything of ours, and what is refused."""

    edits: list["Edit"]
    clean: list[Path]
    refusals: list[str]


def _planned(context: Context, *, here: bool) -> Planned:
    """Work out every change; a file that cannot be changed does not stand in the others' way."""
    from ai_smartness.entrypoints.cli import client_record  # noqa: PLC0415 - not for --help
    from ai_smartness.entrypoints.cli.client_connect import disconnecting  # noqa: PLC0415
    from ai_smartness.entrypoints.cli.client_settings import read  # noqa: PLC0415

    installed = client_record.load(context.places.home)
    planned = Planned([], [], [])
    for path in _files(context, list(installed), here=here):
        try:
            edit = disconnecting(read(path), installed.get(str(path)))
        except AisError as refused:
            planned.refusals.append(str(refused))
        else:
            if edit is None:
                planned.clean.append(path)
            else:
                planned.edits.append(edit)
    return planned


def _files(context: Context, recorded: list[str], *, here: bool) -> list[Path]:
    from ai_smartness.entrypoints.cli.client import (  # noqa: PLC0415 - not for --help
        project_settings,
        user_settings,
    )

    project = [project_settings(context.folder.root)] if context.folder else []
    if here:
        return project
    files = [*map(Path, recorded), *project, user_settings(context.environ)]
    return list(dict.fromkeys(files))


def _print_dry_run(edits: list["Edit"]) -> None:
    click.echo("dry run: nothing was changed.")
    for edit in edits:
        for line in edit.diff:
            click.echo(visible(line))


def _agreed(edits: list["Edit"], *, yes: bool) -> bool:
    if not edits:
        click.echo("hooks   in no settings that are known")
    if yes or not edits:
        return True
    if not sys.stdin.isatty():
        msg = "cannot ask whether to take the hooks out: the input is not a terminal. Give --yes."
        raise RefusedError(msg)
    for edit in edits:
        click.echo(f"hooks   in {visible(str(edit.file.path))}")
    return click.confirm("Take our hooks out?", default=True)


def _carry_out(context: Context, planned: Planned) -> None:
    from ai_smartness.entrypoints.cli.client_connect import disconnect, forget  # noqa: PLC0415

    forget(context.places.home, planned.clean)
    for edit in planned.edits:
        disconnect(context.places.home, edit)
        gone = ", which was not there before" if edit.after is None else ""
        click.echo(f"hooks   taken out of {visible(str(edit.file.path))}{gone}")


def _unwanted(context: Context, *, yes: bool) -> bool:
    """Ask whether the memory is to go, too."""
    if yes or not sys.stdin.isatty() or not any(_data(context.places.home)):
        return False
    question = f"Delete the memory in {visible(str(context.places.home))} for good, too?"
    return click.confirm(question, default=False)


def _leave(context: Context, *, delete: bool) -> None:
    from ai_smartness.entrypoints.cli.client_daemon import stop  # noqa: PLC0415 - not for --help

    home = context.places.home
    stop(home)
    if not delete:
        if any(_data(home)):
            click.echo(f"memory  {visible(str(home))}, kept")
        return
    for path in list(_data(home)):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    with suppress(OSError):
        home.rmdir()
    click.echo(f"memory  {visible(str(home))}, deleted")
    click.echo(f"models  {visible(str(context.places.cache / 'models'))}, kept")


def _data(home: Path) -> Iterator[Path]:
    for pattern in DATA:
        yield from home.glob(pattern)

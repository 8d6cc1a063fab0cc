"""`ais uninstall`: take out of the client's settings exactly what `ais init` put in.

The memory itself is asked about, and kept unless somebody says otherwise.
"""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.model.errors import AisError, RefusedError

if TYPE_CHECKING:
    from ai_smartness.entrypoints.cli.client_connect import Edit
    from ai_smartness.entrypoints.cli.client_record import Installed
    from ai_smartness.entrypoints.cli.client_servers import Leaving

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

GONE = ", which was not there before"


@click.command(epilog="Example: ais uninstall --dry-run")
@click.option("--here", is_flag=True, help="Only this project's settings; the memory stays.")
@click.option("--delete-data", is_flag=True, help="Delete the memory too, without asking again.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing; the memory stays.")
@click.pass_context
def uninstall(
    ctx: click.Context, *, here: bool, delete_data: bool, dry_run: bool, yes: bool
) -> None:
    """Take our hooks and tools out of Claude Code's settings, wherever `ais init` put them.

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
        _print_dry_run(planned)
    elif _agreed(planned, yes=yes or delete_data):
        _carry_out(context, planned)
        if not here:
            _leave(context, delete=delete_data or _unwanted(context, yes=yes))
    if planned.refusals:
        ctx.exit(1)


class Planned(NamedTuple):
    """What is to be done: the changes, the files without anything of ours, and what is refused."""

    edits: list["Edit"]
    leaving: list["Leaving"]
    clean: list[Path]
    refusals: list[str]

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing of ours anywhere."""
        return not self.edits and not self.leaving


def _planned(context: Context, *, here: bool) -> Planned:
    """Work out every change; a file that cannot be changed does not stand in the others' way."""
    from ai_smartness.entrypoints.cli import client_record  # noqa: PLC0415 - not for --help

    installed = client_record.load(context.places.home)
    planned = Planned([], [], [], [])
    for path in _settings(context, installed, here=here):
        with _noting_refusals(planned):
            edit = _edit(path, installed)
            if edit is None:
                planned.clean.append(path)
            else:
                planned.edits.append(edit)
    for path in _servers(context, installed):
        with _noting_refusals(planned):
            leaving = _leaving(context, path, installed, here=here)
            if leaving is not None:
                planned.leaving.append(leaving)
            elif not here:
                planned.clean.append(path)
    return planned


@contextmanager
def _noting_refusals(planned: Planned) -> Iterator[None]:
    try:
        yield
    except AisError as refused:
        planned.refusals.append(str(refused))


def _edit(path: Path, installed: "Mapping[str, Installed]") -> "Edit | None":
    from ai_smartness.entrypoints.cli.client_connect import disconnecting  # noqa: PLC0415
    from ai_smartness.entrypoints.cli.client_settings import read  # noqa: PLC0415

    return disconnecting(read(path), installed.get(str(path)))


def _leaving(
    context: Context, path: Path, installed: "Mapping[str, Installed]", *, here: bool
) -> "Leaving | None":
    from ai_smartness.entrypoints.cli.client_servers import leaving  # noqa: PLC0415

    project = [context.folder.name] if context.folder else []
    if here:
        return leaving(path, project)
    known = installed.get(str(path))
    recorded = known.places if known and known.places else {}
    return leaving(path, [*(at or None for at in recorded), *project, None])


def _settings(context: Context, installed: "Mapping[str, Installed]", *, here: bool) -> list[Path]:
    from ai_smartness.entrypoints.cli.client import (  # noqa: PLC0415 - not for --help
        project_settings,
        user_settings,
    )

    project = [project_settings(context.folder.root)] if context.folder else []
    if here:
        return project
    recorded = [Path(path) for path, each in installed.items() if each.places is None]
    return list(dict.fromkeys([*recorded, *project, user_settings(context.environ)]))


def _servers(context: Context, installed: "Mapping[str, Installed]") -> list[Path]:
    from ai_smartness.entrypoints.cli.client_servers import servers_file  # noqa: PLC0415

    recorded = [Path(path) for path, each in installed.items() if each.places is not None]
    return list(dict.fromkeys([*recorded, servers_file(context.environ)]))


def _print_dry_run(planned: Planned) -> None:
    click.echo("dry run: nothing was changed.")
    lines = [line for edit in planned.edits for line in edit.diff]
    lines += [line for each in planned.leaving for line in each.lines]
    for line in lines:
        click.echo(visible(line))


def _agreed(planned: Planned, *, yes: bool) -> bool:
    if planned.is_nothing:
        click.echo("hooks   in no settings that are known")
    if yes or planned.is_nothing:
        return True
    if not sys.stdin.isatty():
        msg = "cannot ask whether to take the hooks out: the input is not a terminal. Give --yes."
        raise RefusedError(msg)
    for edit in planned.edits:
        click.echo(f"hooks   in {visible(str(edit.file.path))}")
    for each in planned.leaving:
        click.echo(f"tools   in {visible(str(each.path))}")
    return click.confirm("Take them out?", default=True)


def _carry_out(context: Context, planned: Planned) -> None:
    from ai_smartness.entrypoints.cli.client_connect import disconnect, forget  # noqa: PLC0415
    from ai_smartness.entrypoints.cli.client_servers import unregister  # noqa: PLC0415

    home = context.places.home
    forget(home, planned.clean)
    for edit in planned.edits:
        disconnect(home, edit)
        gone = GONE if edit.after is None else ""
        click.echo(f"hooks   taken out of {visible(str(edit.file.path))}{gone}")
    for each in planned.leaving:
        gone = GONE if unregister(home, each) else ""
        click.echo(f"tools   taken out of {visible(str(each.path))}{gone}")


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

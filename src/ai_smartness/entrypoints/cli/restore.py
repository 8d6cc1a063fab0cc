"""`ais restore`: put a backup in the memory's place, and keep what was there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.moment import written
from ai_smartness.entrypoints.cli.output import print_json, progress, visible
from ai_smartness.model.backup import Contents, Restored
from ai_smartness.model.errors import AisError, NotFoundError, StoreError

if TYPE_CHECKING:
    from ai_smartness.ports import Progress
    from ai_smartness.wiring import Restoring

__all__ = ["restore"]

LATEST = "latest"


@click.command(epilog="Example: ais restore latest --dry-run")
@click.argument("backup", default=LATEST)
@click.option("--dry-run", is_flag=True, help="Check the backup, and change nothing.")
@click.option(
    "--begin-anew",
    is_flag=True,
    help="Set the memory aside and begin an empty one: for want of a backup.",
)
@as_json
@pass_context
def restore(
    context: Context, backup: str, *, dry_run: bool, begin_anew: bool, as_json: bool
) -> None:
    """Put BACKUP in the memory's place; without a name, the newest good one.

    BACKUP is a name of `ais backup list`, or a file. It is copied and read through first. What
    was in its place is kept beside it under another name. What was captured and is not stored
    yet stays in the inbox, and is stored when the daemon starts again.
    """
    from ai_smartness.wiring import restoring  # noqa: PLC0415 - not for --help

    work = restoring(context.places)
    try:
        there, wrong = work.standing()
        with progress("checking") as told:
            found = None if begin_anew else _staged(context, work, backup, told)
        if dry_run:
            contents = found[1] if found else None
            done = Restored(
                backup=found[0] if found else None, contents=contents, kept_as=None, damage=wrong
            )
        else:
            with _undisturbed(context):
                done = work.swap()
    finally:
        work.discard()
    if as_json:
        print_json({"dry_run": dry_run, "before": there, **_shape(done)})
    else:
        _print(context, there, done, dry_run=dry_run)


def _staged(
    context: Context, work: "Restoring", name: str, told: "Progress"
) -> tuple[Path, Contents]:
    """Check the backup that is meant, or one after the other until one is good."""
    from ai_smartness.wiring import backups  # noqa: PLC0415 - not for --help

    kept = backups(context.places, context.settings)
    if name != LATEST:
        path = kept.folder / name
        path = path if path.exists() else Path(name).expanduser().absolute()
        return path, work.stage(path, told)
    for each in kept.all():
        try:
            return each.path, work.stage(each.path, told)
        except AisError as error:
            click.echo(f"warning: {visible(str(error))}", err=True)
    msg = (
        f"there is no good backup in {kept.folder}. Nothing was changed. Name a file: "
        "`ais restore FILE`; or `ais restore --begin-anew` sets the memory aside and begins an "
        "empty one, into which `ais import` brings what the clients' transcripts hold."
    )
    raise NotFoundError(msg)


@contextmanager
def _undisturbed(context: Context) -> Iterator[None]:
    """Have no daemon while inside; hooks go on putting what they capture into the inbox."""
    from ai_smartness.entrypoints.cli.client_daemon import stop  # noqa: PLC0415 - not for --help
    from ai_smartness.entrypoints.daemon.lock import Lock  # noqa: PLC0415
    from ai_smartness.entrypoints.daemon.whereabouts import (  # noqa: PLC0415
        Whereabouts,
        private_folder,
    )

    home = context.places.home
    where = Whereabouts(str(home))
    for folder in (where.home, where.run):
        private_folder(folder)
    stop(home)
    lock = Lock(where.lock)
    if not lock.take():
        msg = "cannot restore now: a daemon has just started. Nothing was changed; try again."
        raise StoreError(msg)
    try:
        yield
    finally:
        lock.let_go()


def _print(context: Context, there: Contents | None, done: Restored, *, dry_run: bool) -> None:
    if dry_run:
        click.echo("dry run: nothing was changed.")
    given = f"{visible(str(done.backup))}, whole: " if done.backup else ""
    click.echo(f"restored  {given}{_said(done.contents)}")
    was = f"damaged ({visible(done.damage)})" if done.damage else _said(there)
    click.echo(f"before    {was}")
    if done.kept_as:
        click.echo(f"kept as   {visible(str(done.kept_as))}")
    if not dry_run:
        click.echo(_since(context))


def _since(context: Context) -> str:
    from ai_smartness.entrypoints.daemon.inbox import left  # noqa: PLC0415 - not for --help
    from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts  # noqa: PLC0415

    waiting = left(Whereabouts(str(context.places.home)).inbox)
    held = f"{counted(waiting, 'event')} in the inbox will be stored by the daemon. "
    return (
        f"{held if waiting else ''}`ais import` brings back what the clients' transcripts hold of "
        "the time since."
    )


def _said(found: Contents | None) -> str:
    if found is None:
        return "an empty memory"
    until = f", the last of {written(found.until)}" if found.until else ""
    return f"{counted(found.threads, 'thread')}, {counted(found.events, 'event')}{until}"


def _shape(done: Restored) -> dict[str, object]:
    return {
        "backup": done.backup,
        "contents": done.contents,
        "kept_as": done.kept_as,
        "damage": done.damage,
    }

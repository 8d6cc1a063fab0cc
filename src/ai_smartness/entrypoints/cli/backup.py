"""`ais backup`: copy the memory while it is in use, and see what copies there are.

`ais restore`: put a backup in the memory's place, and keep what was there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import formatted_time, json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_table,
    progress_bar,
    safe_text,
)
from ai_smartness.model.errors import AisError, NotFoundError, StoreError
from ai_smartness.model.transfer import Backup, MemoryContents, RestoreResult

if TYPE_CHECKING:
    from ai_smartness.ports import Progress
    from ai_smartness.wiring import DatabaseRestore


__all__ = ["backup", "restore"]


folder_option = click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="This folder, in place of the one that is set (`backup.folder`).",
)


@click.group(invoke_without_command=True, epilog="Example: ais backup --to /media/stick")
@folder_option
@json_option
@click.pass_context
def backup(ctx: click.Context, to: Path | None, *, as_json: bool) -> None:
    """Back the memory up, while it is in use.

    The copy is of one moment, is read through before it counts, and is yours to remove. The
    daemon makes one a day by itself when something has changed, and removes those that are
    older than the settings under `backup` say.
    """
    if ctx.invoked_subcommand is not None:
        return
    from ai_smartness.wiring import SystemClock, backup_store

    context = ctx.ensure_object(CliContext)
    kept = backup_store(context.places, context.settings, to and to.expanduser().absolute())
    with progress_bar("backing up") as told:
        made = kept.make_backup(SystemClock().now(), told)
    if as_json:
        print_json(made)
    else:
        click.echo(
            f"Backed up to {safe_text(str(made.path))} ({_size_text(made)}), and found whole.",
        )


@backup.command("list", epilog="Example: ais backup list --json")
@folder_option
@json_option
@pass_context
def list_(context: CliContext, to: Path | None, *, as_json: bool) -> None:
    """List the backups there are, the newest first."""
    from ai_smartness.wiring import backup_store

    kept = backup_store(context.places, context.settings, to and to.expanduser().absolute())
    found = kept.all()
    if as_json:
        print_json(found)
    elif found:
        rows = [
            (each.path.name, formatted_time(each.at), _size_text(each), _maker_name(each))
            for each in found
        ]
        print_table(("backup", "of", "size", "made by"), rows)
        click.echo(f"\nThey are in {safe_text(str(kept.folder))}.")
    else:
        click.echo(
            f"There is no backup in {safe_text(str(kept.folder))} yet. `ais backup` makes one.",
        )


def _maker_name(made: Backup) -> str:
    return "the daemon" if made.daily else "you"


def _size_text(made: Backup) -> str:
    from rich.filesize import decimal

    return decimal(made.size)


LATEST = "latest"


@click.command(epilog="Example: ais restore latest --dry-run")
@click.argument("backup", default=LATEST)
@click.option("--dry-run", is_flag=True, help="Check the backup, and change nothing.")
@click.option(
    "--begin-anew",
    is_flag=True,
    help="Set the memory aside and begin an empty one: for want of a backup.",
)
@json_option
@pass_context
def restore(
    context: CliContext,
    backup: str,
    *,
    dry_run: bool,
    begin_anew: bool,
    as_json: bool,
) -> None:
    """Put BACKUP in the memory's place; without a name, the newest good one.

    BACKUP is a name of `ais backup list`, or a file. It is copied and read through first. What
    was in its place is kept beside it under another name. What was captured and is not stored
    yet stays in the inbox, and is stored when the daemon starts again.
    """
    from ai_smartness.wiring import restore_target

    work = restore_target(context.places)
    try:
        there, wrong = work.current_contents()
        with progress_bar("checking") as told:
            found = None if begin_anew else _staged_backup(context, work, backup, told)
        if dry_run:
            contents = found[1] if found else None
            done = RestoreResult(
                backup=found[0] if found else None,
                contents=contents,
                kept_as=None,
                damage=wrong,
            )
        else:
            with _daemon_stopped(context):
                done = work.swap_files()
    finally:
        work.discard_staged()
    if as_json:
        print_json({"dry_run": dry_run, "before": there, **_restored_json(done)})
    else:
        _print_restored(context, there, done, dry_run=dry_run)


def _staged_backup(
    context: CliContext,
    work: "DatabaseRestore",
    name: str,
    told: "Progress",
) -> tuple[Path, MemoryContents]:
    """Check the backup that is meant, or one after the other until one is good."""
    from ai_smartness.wiring import backup_store

    kept = backup_store(context.places, context.settings)
    if name != LATEST:
        path = kept.folder / name
        path = path if path.exists() else Path(name).expanduser().absolute()
        return path, work.stage_backup(path, told)
    for each in kept.all():
        try:
            return each.path, work.stage_backup(each.path, told)
        except AisError as error:
            click.echo(f"warning: {safe_text(str(error))}", err=True)
    msg = (
        f"there is no good backup in {kept.folder}. Nothing was changed. Name a file: "
        "`ais restore FILE`; or `ais restore --begin-anew` sets the memory aside and begins an "
        "empty one, into which `ais import` brings what the clients' transcripts hold."
    )
    raise NotFoundError(msg)


@contextmanager
def _daemon_stopped(context: CliContext) -> Iterator[None]:
    """Have no daemon while inside; hooks go on putting what they capture into the inbox."""
    from ai_smartness.entrypoints.cli.daemon import stop_and_wait
    from ai_smartness.entrypoints.daemon.spawn import DaemonLock
    from ai_smartness.settings.paths import HomePaths, make_private_folder

    home = context.places.home
    where = HomePaths(str(home))
    for folder in (where.home, where.run):
        make_private_folder(folder)
    stop_and_wait(home)
    lock = DaemonLock(where.lock)
    if not lock.try_acquire():
        msg = "cannot restore now: a daemon has just started. Nothing was changed; try again."
        raise StoreError(msg)
    try:
        yield
    finally:
        lock.release()


def _print_restored(
    context: CliContext,
    there: MemoryContents | None,
    done: RestoreResult,
    *,
    dry_run: bool,
) -> None:
    if dry_run:
        click.echo("dry run: nothing was changed.")
    given = f"{safe_text(str(done.backup))}, whole: " if done.backup else ""
    click.echo(f"restored  {given}{_contents_text(done.contents)}")
    was = f"damaged ({safe_text(done.damage)})" if done.damage else _contents_text(there)
    click.echo(f"before    {was}")
    if done.kept_as:
        click.echo(f"kept as   {safe_text(str(done.kept_as))}")
    if not dry_run:
        click.echo(_catch_up_hint(context))


def _catch_up_hint(context: CliContext) -> str:
    from ai_smartness.entrypoints.daemon.inbox import count_records
    from ai_smartness.settings.paths import HomePaths

    waiting = count_records(HomePaths(str(context.places.home)).inbox)
    held = f"{counted_noun(waiting, 'event')} in the inbox will be stored by the daemon. "
    return (
        f"{held if waiting else ''}`ais import` brings back what the clients' transcripts hold of "
        "the time since."
    )


def _contents_text(found: MemoryContents | None) -> str:
    if found is None:
        return "an empty memory"
    until = f", the last of {formatted_time(found.until)}" if found.until else ""
    return f"{counted_noun(found.threads, 'thread')}, {counted_noun(found.events, 'event')}{until}"


def _restored_json(done: RestoreResult) -> dict[str, object]:
    return {
        "backup": done.backup,
        "contents": done.contents,
        "kept_as": done.kept_as,
        "damage": done.damage,
    }

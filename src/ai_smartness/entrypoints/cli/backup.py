"""`ais backup` and `ais restore`: back up the memory while it is in use, and restore a backup."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import WholeHelpGroup, json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    print_json,
    print_table,
    print_text,
    progress_bar,
    safe_text,
    size_text,
)
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.transfer import MemoryContents, RestoreResult

if TYPE_CHECKING:
    from ai_smartness.ports import Progress
    from ai_smartness.ports.safekeeping import RestoreTarget

__all__ = ["backup", "restore"]

LATEST = "latest"

folder_option = click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the backups, instead of the setting `backup.folder`.",
)


@click.group(
    cls=WholeHelpGroup, invoke_without_command=True, epilog="Example: ais backup --to /media/stick"
)
@folder_option
@json_option
@click.pass_context
def backup(ctx: click.Context, to: Path | None, *, as_json: bool) -> None:
    """The copy is consistent and verified. It is kept until you remove it.

    The daemon also makes a backup every day if something has changed, and deletes its own old
    ones (settings under `backup`).

    A memory on a PostgreSQL server is dumped by `pg_dump`, and not by the daemon; `pg_restore`
    reads the dump into a new database.
    """
    if ctx.invoked_subcommand is not None:
        return
    from ai_smartness.entrypoints.cli.daemon import finish_forgetting
    from ai_smartness.wiring import backup_store, is_on_server

    context = ctx.ensure_object(CliContext)
    finish_forgetting(context)
    if is_on_server(context.settings):
        _dump_server(context, to, as_json=as_json)
        return
    store = backup_store(context.places, context.settings, to and to.expanduser().absolute())
    with progress_bar("backing up") as progress:
        made = store.make_backup(datetime.now(UTC), progress)
    if as_json:
        print_json(made)
    else:
        print_text(f"Backed up to {made.path} ({size_text(made.size)}), and verified.")


def _dump_server(context: CliContext, to: Path | None, *, as_json: bool) -> None:
    from ai_smartness.wiring import dump_server

    path = dump_server(context.places, context.settings, to and to.expanduser().absolute())
    if as_json:
        print_json({"path": path, "size": path.stat().st_size})
        return
    print_text(f"pg_dump wrote {path} ({size_text(path.stat().st_size)}).")
    print_text(
        "It holds the memory as of now, without the roles and the settings of the server, and it "
        "was not read back. Restore it with `pg_restore --no-owner --dbname=NEW_DATABASE` into a "
        "new database. For a restore to any moment, back up the server itself."
    )


@backup.command("list", epilog="Example: ais backup list --json")
@folder_option
@json_option
@pass_context
def list_(context: CliContext, to: Path | None, *, as_json: bool) -> None:
    """List the backups, the newest first."""
    from ai_smartness.wiring import backup_store, dumped_backups, is_on_server

    place = (context.places, context.settings, to and to.expanduser().absolute())
    store = backup_store(*place)
    backups, folder = store.all(), store.folder
    if is_on_server(context.settings):
        backups = [*dumped_backups(*place), *backups]
    if as_json:
        print_json(backups)
    elif backups:
        rows = [
            (
                item.path.name,
                formatted_time(item.at),
                size_text(item.size),
                "the daemon" if item.daily else "you",
            )
            for item in backups
        ]
        print_table(("backup", "of", "size", "made by"), rows)
        print_text(f"\nThey are in {folder}.")
    else:
        print_text(f"There is no backup in {folder} yet. `ais backup` makes one.")


@click.command(epilog="Example: ais restore latest --dry-run")
@click.argument("backup", default=LATEST)
@click.option("--dry-run", is_flag=True, help="Check the backup, and change nothing.")
@click.option(
    "--begin-anew",
    is_flag=True,
    help="Use no backup: keep the memory under another name and start an empty one.",
)
@json_option
@pass_context
def restore(
    context: CliContext, backup: str, *, dry_run: bool, begin_anew: bool, as_json: bool
) -> None:
    """BACKUP is a name from `ais backup list`, or a file; the default is the newest intact one.

    It is copied and verified first. The current memory is kept beside it under another name.
    Captured events that are not stored yet stay in the inbox, and are stored when the daemon
    starts again.
    """
    from ai_smartness.entrypoints.daemon.pause import without_daemon
    from ai_smartness.wiring import is_on_server, restore_target

    if is_on_server(context.settings):
        msg = (
            "the memory is on a server, and `ais restore` replaces files. Restore the server's "
            "backup, or a dump of `ais backup` with `pg_restore` into a new database, and name "
            "that one with `ais init --store`."
        )
        raise RefusedError(msg)
    target = restore_target(context.places)
    try:
        before, damage = target.current_contents()
        with progress_bar("checking") as progress:
            staged = None if begin_anew else _staged_backup(context, target, backup, progress)
        if dry_run:
            path, contents = staged or (None, None)
            result = RestoreResult(backup=path, contents=contents, kept_as=None, damage=damage)
        else:
            with without_daemon(context.places.home, restart=False):
                result = target.swap_files()
    finally:
        target.discard_staged()
    if as_json:
        print_json({"dry_run": dry_run, "before": before, **asdict(result)})
    else:
        _print_restored(context, before, result, dry_run=dry_run)


def _staged_backup(
    context: CliContext, target: "RestoreTarget", name: str, progress: "Progress"
) -> tuple[Path, MemoryContents]:
    """Check the named backup, or one after the other until one is intact."""
    from ai_smartness.wiring import backup_store

    store = backup_store(context.places, context.settings)
    if name != LATEST:
        path = store.folder / name
        path = path if path.exists() else Path(name).expanduser().absolute()
        return path, target.stage_backup(path, progress)
    for item in store.all():
        try:
            return item.path, target.stage_backup(item.path, progress)
        except AisError as error:
            click.echo(f"warning: {safe_text(str(error))}", err=True)
    msg = (
        f"there is no intact backup in {store.folder}. Nothing was changed. Name a file: "
        "`ais restore FILE`; or `ais restore --begin-anew` sets the memory aside and starts an "
        "empty one, into which `ais import` imports the clients' transcripts."
    )
    raise NotFoundError(msg)


def _print_restored(
    context: CliContext, before: MemoryContents | None, result: RestoreResult, *, dry_run: bool
) -> None:
    if dry_run:
        click.echo("dry run: nothing was changed.")
    backup = f"{safe_text(str(result.backup))}, intact: " if result.backup else ""
    click.echo(f"restored  {backup}{_contents_text(result.contents)}")
    old = f"damaged ({safe_text(result.damage)})" if result.damage else _contents_text(before)
    click.echo(f"before    {old}")
    if result.kept_as:
        click.echo(f"kept as   {safe_text(str(result.kept_as))}")
    if not dry_run:
        click.echo(_catch_up_hint(context))


def _catch_up_hint(context: CliContext) -> str:
    from ai_smartness.entrypoints.daemon.inbox import count_records
    from ai_smartness.settings.paths import HomePaths

    waiting = count_records(HomePaths(str(context.places.home)).inbox)
    events = f"The daemon will store {counted_noun(waiting, 'event')} from the inbox. "
    return f"{events if waiting else ''}`ais import` imports newer messages from the transcripts."


def _contents_text(contents: MemoryContents | None) -> str:
    if contents is None:
        return "an empty memory"
    last = f", the last of {formatted_time(contents.until)}" if contents.until else ""
    threads, events = contents.threads, contents.events
    return f"{counted_noun(threads, 'thread')}, {counted_noun(events, 'event')}{last}"

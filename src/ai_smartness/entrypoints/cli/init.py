"""`ais init`: prepare the memory on this machine, and connect the coding agent's client to it.

It may be run again at any time: what is there stays, what is missing is added, hooks of an older
version of ours are replaced.
"""

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.output import progress, visible
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.found import EVERYWHERE

if TYPE_CHECKING:
    from pathlib import Path

    from ai_smartness.entrypoints.cli.client import Client
    from ai_smartness.entrypoints.cli.client_connect import Edit

__all__ = ["init"]

NEXT = """
Next:
  ais tour            see it at work, on a throw-away memory
  ais status          see what it holds of this project
  ais search WORDS    find what was said"""


class Connection(NamedTuple):
    """What is to be done to the client's settings: nothing, if our hooks are in them."""

    client: "Client"
    path: "Path"
    edit: "Edit | None"


@click.command(epilog="Example: ais init --user --dry-run")
@click.option("--user", is_flag=True, help="Connect the client in all projects, not in this one.")
@click.option("--no-hooks", is_flag=True, help="Leave the client's settings alone.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing.")
@pass_context
def init(context: Context, *, user: bool, no_hooks: bool, dry_run: bool, yes: bool) -> None:
    """Prepare the memory on this machine, and connect Claude Code to it.

    The hooks go into the project's .claude/settings.local.json, which is yours alone and never
    committed, for they name folders of this machine; with --user into your own settings, for
    all projects. Everybody else's entries stay as they are, and `ais uninstall` takes ours out.

    Without a connection it works by words alone until the model is pulled.
    """
    connection = None if no_hooks else _connection(context, user=user)
    if dry_run:
        _print_dry_run(context, connection)
        return
    agreed = connection is not None and _agreed(connection, yes=yes)
    _prepare_memory(context)
    if connection is not None:
        _connect(context, connection, agreed=agreed)
    _prepare_model(context)
    click.echo(NEXT)


def _connection(context: Context, *, user: bool) -> Connection:
    from ai_smartness.entrypoints.cli import client_record  # noqa: PLC0415 - not for --help
    from ai_smartness.entrypoints.cli.client import (  # noqa: PLC0415 - not for --help
        client,
        our_hooks,
        project_settings,
        user_settings,
    )
    from ai_smartness.entrypoints.cli.client_connect import connecting  # noqa: PLC0415
    from ai_smartness.entrypoints.cli.client_settings import read  # noqa: PLC0415

    if not user and context.folder is None:
        msg = (
            f"cannot connect `{context.project}`: only its name is known, not its folder. "
            "Give the folder with --project, or connect all projects with --user."
        )
        raise RefusedError(msg)
    root = None if user or context.folder is None else context.folder.root
    path = project_settings(root) if root else user_settings(context.environ)
    found = client(context.environ)
    home = context.places.home
    ours = our_hooks(home, found.taken_for)
    edit = connecting(read(path, root), client_record.load(home).get(str(path)), ours)
    return Connection(found, path, edit)


def _print_dry_run(context: Context, connection: Connection | None) -> None:
    click.echo("dry run: nothing was changed.")
    click.echo(f"memory  {visible(str(context.places.database))}")
    if connection is None:
        return
    click.echo(f"client  {visible(str(connection.client))}")
    if connection.edit is None:
        click.echo(f"hooks   already in {visible(str(connection.path))}")
        return
    for line in connection.edit.diff:
        click.echo(visible(line))


def _agreed(connection: Connection, *, yes: bool) -> bool:
    """Ask whether the settings may be changed, if there is anybody to ask."""
    if connection.edit is None or yes:
        return True
    if not sys.stdin.isatty():
        return False
    question = f"Put the memory's hooks into {visible(str(connection.path))}?"
    return click.confirm(question, default=True)


def _prepare_memory(context: Context) -> None:
    from ai_smartness.wiring import wired  # noqa: PLC0415 - not for --help

    with wired(context.places, context.settings, EVERYWHERE):
        click.echo(f"memory  {visible(str(context.places.database))}")


def _connect(context: Context, connection: Connection, *, agreed: bool) -> None:
    from ai_smartness.entrypoints.cli.client_connect import connect  # noqa: PLC0415

    path = visible(str(connection.path))
    click.echo(f"client  {visible(str(connection.client))}")
    if connection.edit is None:
        click.echo(f"hooks   already in {path}")
    elif not agreed:
        click.echo("hooks   not connected")
        click.echo("note: run `ais init --yes` to connect the client without a question", err=True)
        return
    else:
        backup = connect(context.places.home, connection.edit)
        click.echo(f"hooks   in {path}")
        if backup:
            click.echo(f"backup  {visible(str(backup))}")
    _print_notes(connection)


def _print_notes(connection: Connection) -> None:
    from ai_smartness.entrypoints.cli.client import is_git_ignored  # noqa: PLC0415

    if connection.client.lacking:
        click.echo(f"note: {visible(connection.client.lacking)}", err=True)
    if connection.path.name == "settings.local.json" and is_git_ignored(connection.path) is False:
        click.echo(
            "note: add .claude/settings.local.json to .gitignore: it names folders of this machine",
            err=True,
        )


def _prepare_model(context: Context) -> None:
    from ai_smartness.wiring import model_shelf, pull_model  # noqa: PLC0415 - not for --help

    name = context.settings.embedder.model
    if name not in (card.name for card in model_shelf(context.places).cards()):
        click.echo(f"model   {visible(name)}, as you have set it")
        return
    try:
        with progress("pulling the model") as told:
            pull_model(context.places, name, told)
    except StoreError as unreachable:
        # A memory without a model is one that finds by words, not a failure.
        click.echo(f"model   {name} is not here; until it is, everything works by words alone")
        click.echo(f"note: {visible(str(unreachable))}", err=True)
    else:
        click.echo(f"model   {name}, here and verified")

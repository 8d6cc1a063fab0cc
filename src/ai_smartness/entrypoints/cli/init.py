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
    from ai_smartness.entrypoints.cli.client_servers import Registration

__all__ = ["init"]

NEXT = """
Next:
  ais tour            see it at work, on a throw-away memory
  ais status          see what it holds of this project
  ais search WORDS    find what was said"""


class Connection(NamedTuple):
    """What is to be done to the client's files: nothing to one that is as it should be."""

    client: "Client"
    path: "Path"
    edit: "Edit | None"
    servers: "Path"
    registration: "Registration | None"

    @property
    def is_made(self) -> bool:
        """Whether nothing is left to be done."""
        return self.edit is None and self.registration is None


@click.command(epilog="Example: ais init --user --dry-run")
@click.option("--user", is_flag=True, help="Connect the client in all projects, not in this one.")
@click.option("--no-hooks", is_flag=True, help="Leave the client's settings alone.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing.")
@click.option(
    "--import/--no-import",
    "imports",
    default=None,
    help="Bring in the sessions of before, or leave them, without a question.",
)
@pass_context
def init(
    context: Context,
    *,
    user: bool,
    no_hooks: bool,
    dry_run: bool,
    yes: bool,
    imports: bool | None,
) -> None:
    """Prepare the memory on this machine, and connect Claude Code to it.

    The hooks go into the project's .claude/settings.local.json, which is yours alone and never
    committed, for they name folders of this machine; with --user into your own settings, for
    all projects. The tools for the agent are registered for this project in the file in which the
    client keeps its servers; with --user for all. Everybody else's entries stay as they are, and
    `ais uninstall` takes ours out.

    Sessions of before are brought in if you agree, as `ais import` does it.

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
    _offer_import(context, wanted=imports, yes=yes)
    click.echo(NEXT)


def _offer_import(context: Context, *, wanted: bool | None, yes: bool) -> None:
    from ai_smartness.entrypoints.cli.init_import import offer_import  # noqa: PLC0415 - as above

    offer_import(context, wanted=wanted, yes=yes)


def _connection(context: Context, *, user: bool) -> Connection:
    from ai_smartness.entrypoints.cli import client_record  # noqa: PLC0415 - not for --help
    from ai_smartness.entrypoints.cli.client import (  # noqa: PLC0415 - not for --help
        client,
        our_hooks,
        our_server,
        project_settings,
        user_settings,
    )
    from ai_smartness.entrypoints.cli.client_connect import connecting  # noqa: PLC0415
    from ai_smartness.entrypoints.cli.client_servers import (  # noqa: PLC0415
        registering,
        servers_file,
    )
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
    servers = servers_file(context.environ)
    # As the client does, by the repository: all its worktrees have the same servers.
    place = None if user or context.folder is None else context.folder.name
    registration = registering(servers, place, our_server(home))
    return Connection(found, path, edit, servers, registration)


def _print_dry_run(context: Context, connection: Connection | None) -> None:
    click.echo("dry run: nothing was changed.")
    click.echo(f"memory  {visible(str(context.places.database))}")
    if connection is None:
        return
    click.echo(f"client  {visible(str(connection.client))}")
    if connection.edit is None:
        click.echo(f"hooks   already in {visible(str(connection.path))}")
    if connection.registration is None:
        click.echo(f"tools   already in {visible(str(connection.servers))}")
    for line in connection.edit.diff if connection.edit else ():
        click.echo(visible(line))
    for line in connection.registration.lines if connection.registration else ():
        click.echo(visible(line))


def _agreed(connection: Connection, *, yes: bool) -> bool:
    """Ask whether the settings may be changed, if there is anybody to ask."""
    if connection.is_made or yes:
        return True
    if not sys.stdin.isatty():
        return False
    hooks = f"hooks into {connection.path}" if connection.edit else ""
    tools = f"tools into {connection.servers}" if connection.registration else ""
    wanted = " and its ".join(each for each in (hooks, tools) if each)
    return click.confirm(f"Put the memory's {visible(wanted)}?", default=True)


def _prepare_memory(context: Context) -> None:
    from ai_smartness.wiring import wired  # noqa: PLC0415 - not for --help

    with wired(context.places, context.settings, EVERYWHERE):
        click.echo(f"memory  {visible(str(context.places.database))}")


def _connect(context: Context, connection: Connection, *, agreed: bool) -> None:
    click.echo(f"client  {visible(str(connection.client))}")
    if not agreed:
        click.echo("hooks   not connected")
        click.echo("note: run `ais init --yes` to connect the client without a question", err=True)
        return
    _put_hooks(context, connection)
    _put_tools(context, connection)
    _print_notes(connection)


def _put_hooks(context: Context, connection: Connection) -> None:
    from ai_smartness.entrypoints.cli.client_connect import connect  # noqa: PLC0415

    path = visible(str(connection.path))
    if connection.edit is None:
        click.echo(f"hooks   already in {path}")
        return
    backup = connect(context.places.home, connection.edit)
    click.echo(f"hooks   in {path}")
    if backup:
        click.echo(f"backup  {visible(str(backup))}")


def _put_tools(context: Context, connection: Connection) -> None:
    from ai_smartness.entrypoints.cli.client_servers import register  # noqa: PLC0415

    servers = visible(str(connection.servers))
    if connection.registration is None:
        click.echo(f"tools   already in {servers}")
        return
    register(context.places.home, connection.registration)
    click.echo(f"tools   in {servers}")


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

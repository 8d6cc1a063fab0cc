"""`ais init`: prepare the memory on this machine, and connect the coding agent's client to it.

It may be run again at any time: what is there stays, what is missing is added, hooks of an older
version of ours are replaced.

`ais init` offers to bring in the sessions of before; whatever comes of it, init goes on.
"""

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.import_ import import_, importable_files
from ai_smartness.entrypoints.cli.output import counted_noun, progress_bar, safe_text
from ai_smartness.model.errors import AisError, RefusedError, StoreError
from ai_smartness.model.search import USER_PROJECT

if TYPE_CHECKING:
    from pathlib import Path

    from ai_smartness.clients.claude_code.install import InstalledClient, SettingsEdit
    from ai_smartness.clients.claude_code.register import ServerRegistration


__all__ = ["init", "offer_import"]


NEXT_STEPS = """
Next:
  ais tour            see it at work, on a throw-away memory
  ais status          see what it holds of this project
  ais search WORDS    find what was said"""


class PlannedConnection(NamedTuple):
    """What is to be done to the client's files: nothing to one that is as it should be."""

    client: "InstalledClient"
    path: "Path"
    edit: "SettingsEdit | None"
    servers: "Path"
    registration: "ServerRegistration | None"

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
    context: CliContext,
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
    connection = None if no_hooks else _planned_connection(context, user=user)
    if dry_run:
        _print_dry_run(context, connection)
        return
    agreed = connection is not None and _is_connect_agreed(connection, yes=yes)
    _prepare_memory(context)
    if connection is not None:
        _connect_client(context, connection, agreed=agreed)
    _prepare_model(context)
    _offer_history(context, wanted=imports, yes=yes)
    click.echo(NEXT_STEPS)


def _offer_history(context: CliContext, *, wanted: bool | None, yes: bool) -> None:

    offer_import(context, wanted=wanted, yes=yes)


def _planned_connection(context: CliContext, *, user: bool) -> PlannedConnection:
    from ai_smartness.clients.claude_code import settings_json as client_record
    from ai_smartness.clients.claude_code.install import (
        connecting_edit,
        find_client,
        our_hooks,
        our_server,
        project_settings_path,
        user_settings_path,
    )
    from ai_smartness.clients.claude_code.register import planned_registration, servers_file
    from ai_smartness.clients.claude_code.settings_json import read_settings_file

    if not user and context.project_folder is None:
        msg = (
            f"cannot connect `{context.project}`: only its name is known, not its folder. "
            "Give the folder with --project, or connect all projects with --user."
        )
        raise RefusedError(msg)
    root = None if user or context.project_folder is None else context.project_folder.root
    path = project_settings_path(root) if root else user_settings_path(context.environ)
    found = find_client(context.environ)
    home = context.places.home
    ours = our_hooks(home, found.assumed_version)
    edit = connecting_edit(
        read_settings_file(path, root),
        client_record.load_records(home).get(str(path)),
        ours,
    )
    servers = servers_file(context.environ)
    # As the client does, by the repository: all its worktrees have the same servers.
    place = None if user or context.project_folder is None else context.project_folder.name
    registration = planned_registration(servers, place, our_server(home))
    return PlannedConnection(found, path, edit, servers, registration)


def _print_dry_run(context: CliContext, connection: PlannedConnection | None) -> None:
    click.echo("dry run: nothing was changed.")
    click.echo(f"memory  {safe_text(str(context.places.database))}")
    if connection is None:
        return
    click.echo(f"client  {safe_text(str(connection.client))}")
    if connection.edit is None:
        click.echo(f"hooks   already in {safe_text(str(connection.path))}")
    if connection.registration is None:
        click.echo(f"tools   already in {safe_text(str(connection.servers))}")
    for line in connection.edit.diff_lines if connection.edit else ():
        click.echo(safe_text(line))
    for line in connection.registration.diff_lines if connection.registration else ():
        click.echo(safe_text(line))


def _is_connect_agreed(connection: PlannedConnection, *, yes: bool) -> bool:
    """Ask whether the settings may be changed, if there is anybody to ask."""
    if connection.is_made or yes:
        return True
    if not sys.stdin.isatty():
        return False
    hooks = f"hooks into {connection.path}" if connection.edit else ""
    tools = f"tools into {connection.servers}" if connection.registration else ""
    wanted = " and its ".join(each for each in (hooks, tools) if each)
    return click.confirm(f"Put the memory's {safe_text(wanted)}?", default=True)


def _prepare_memory(context: CliContext) -> None:
    from ai_smartness.wiring import build_memory

    with build_memory(context.places, context.settings, USER_PROJECT):
        click.echo(f"memory  {safe_text(str(context.places.database))}")


def _connect_client(context: CliContext, connection: PlannedConnection, *, agreed: bool) -> None:
    click.echo(f"client  {safe_text(str(connection.client))}")
    if not agreed:
        click.echo("hooks   not connected")
        click.echo("note: run `ais init --yes` to connect the client without a question", err=True)
        return
    _put_hooks(context, connection)
    _put_tools(context, connection)
    _print_notes(connection)


def _put_hooks(context: CliContext, connection: PlannedConnection) -> None:
    from ai_smartness.clients.claude_code.install import connect_client

    path = safe_text(str(connection.path))
    if connection.edit is None:
        click.echo(f"hooks   already in {path}")
        return
    backup = connect_client(context.places.home, connection.edit)
    click.echo(f"hooks   in {path}")
    if backup:
        click.echo(f"backup  {safe_text(str(backup))}")


def _put_tools(context: CliContext, connection: PlannedConnection) -> None:
    from ai_smartness.clients.claude_code.register import register_server

    servers = safe_text(str(connection.servers))
    if connection.registration is None:
        click.echo(f"tools   already in {servers}")
        return
    register_server(context.places.home, connection.registration)
    click.echo(f"tools   in {servers}")


def _print_notes(connection: PlannedConnection) -> None:
    from ai_smartness.clients.claude_code.install import is_git_ignored

    if connection.client.version_warning:
        click.echo(f"note: {safe_text(connection.client.version_warning)}", err=True)
    if connection.path.name == "settings.local.json" and is_git_ignored(connection.path) is False:
        click.echo(
            "note: add .claude/settings.local.json to .gitignore: it names folders of this machine",
            err=True,
        )


def _prepare_model(context: CliContext) -> None:
    from ai_smartness.wiring import local_models, pull_model

    name = context.settings.embedder.model
    if name not in (card.name for card in local_models(context.places).model_cards()):
        click.echo(f"model   {safe_text(name)}, as you have set it")
        return
    try:
        with progress_bar("pulling the model") as told:
            pull_model(context.places, name, told)
    except StoreError as unreachable:
        # A memory without a model is one that finds by words, not a failure.
        click.echo(f"model   {name} is not here; until it is, everything works by words alone")
        click.echo(f"note: {safe_text(str(unreachable))}", err=True)
    else:
        click.echo(f"model   {name}, here and verified")


IMPORT_COMMAND = "ais import"


def offer_import(context: CliContext, *, wanted: bool | None, yes: bool) -> None:
    """Import what there is if it is wanted, or if whoever is asked agrees; say how otherwise.

    `yes` answers the question; where nobody can be asked, there is none.
    """
    if wanted is False:
        return
    try:
        there_is = _import_summary(context)
        if not there_is:
            return
        if wanted or _is_import_agreed(there_is, yes=yes):
            _run_import()
        else:
            click.echo(f"past    {there_is}: `{IMPORT_COMMAND}` brings them in")
    except (AisError, OSError) as trouble:
        click.echo(f"past    not brought in; `{IMPORT_COMMAND}` tries it again")
        click.echo(f"note: {safe_text(str(trouble))}", err=True)


def _import_summary(context: CliContext) -> str:
    """Say what there is, in one line; nothing where there is nothing."""
    there = importable_files(context)
    files = sum(each.files for each in there)
    if not files:
        return ""
    names = ", ".join(each.format for each in there)
    size = sum(each.size for each in there) / 1e6
    return f"{counted_noun(files, 'file')} of {names}, {size:,.1f} MB"


def _is_import_agreed(there_is: str, *, yes: bool) -> bool:
    """Ask, if there is anybody to ask."""
    if not sys.stdin.isatty():
        return False
    return yes or click.confirm(f"Bring in what was said before ({there_is})?", default=True)


def _run_import() -> None:
    try:
        click.get_current_context().invoke(import_)
    except click.exceptions.Exit:
        # It has said itself what could not be read.
        return

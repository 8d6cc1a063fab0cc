"""`ais init`: set up the memory on this machine and connect the coding agent to it.

You can run it again at any time: it keeps what is there, adds what is missing, and replaces hooks
of an older version of ours.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.import_ import import_, importable_files
from ai_smartness.entrypoints.cli.output import counted_noun, progress_bar, safe_text
from ai_smartness.model.errors import AisError, RefusedError, StoreError
from ai_smartness.model.search import USER_PROJECT

if TYPE_CHECKING:
    from ai_smartness.clients.claude_code.install import InstalledClient, SettingsEdit
    from ai_smartness.clients.claude_code.register import ServerRegistration

__all__ = ["init"]

NEXT_STEPS = """
Next:
  ais tour            try the memory in a temporary demo
  ais status          see what it holds for this project
  ais search WORDS    find earlier messages"""


class PlannedConnection(NamedTuple):
    """The changes of the client's files; None for a file that needs no change."""

    client: "InstalledClient"
    path: Path
    edit: "SettingsEdit | None"
    servers: Path
    registration: "ServerRegistration | None"


@click.command(epilog="Example: ais init --user --dry-run")
@click.option("--user", is_flag=True, help="Connect the client in all projects, not only here.")
@click.option("--no-hooks", is_flag=True, help="Leave the client's settings alone.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Answer yes to every question.")
@click.option(
    "--import/--no-import",
    "imports",
    default=None,
    help="Import earlier sessions, or don't, without asking.",
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
    """Claude Code is the agent that is connected.

    The hooks go into the project's .claude/settings.local.json. That file is never committed:
    the hooks name folders of this machine. With --user they go into your own settings, for all
    projects. The tools are registered in the client's list of MCP servers, for this project or,
    with --user, for all. Existing entries stay as they are, and `ais uninstall` removes ours.

    If you agree, earlier sessions are imported, as `ais import` does it.

    Without a network connection, search works by keyword until the model is downloaded.
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
    _offer_import(context, wanted=imports, yes=yes)
    click.echo(NEXT_STEPS)


def _planned_connection(context: CliContext, *, user: bool) -> PlannedConnection:
    from ai_smartness.clients.claude_code.hooks import our_hooks
    from ai_smartness.clients.claude_code.install import connecting_edit, find_client, load_records
    from ai_smartness.clients.claude_code.register import (
        our_server,
        planned_registration,
        servers_file,
    )
    from ai_smartness.clients.claude_code.settings_json import (
        project_settings_path,
        read_file,
        user_settings_path,
    )

    folder = None if user else context.project_folder
    if not user and folder is None:
        msg = (
            f"cannot connect `{context.project}`: only its name is known, not its folder. "
            "Give the folder with --project, or connect all projects with --user."
        )
        raise RefusedError(msg)
    home, client = context.places.home, find_client(context.environ)
    path = project_settings_path(folder.root) if folder else user_settings_path(context.environ)
    file = read_file(path, folder.root if folder else None)
    ours = our_hooks(home, client.assumed_version)
    edit = connecting_edit(file, load_records(home).get(str(path)), ours)
    servers = servers_file(context.environ)
    # By the repository, as the client does: all its worktrees have the same servers.
    place = folder.name if folder else None
    registration = planned_registration(servers, place, our_server(home))
    return PlannedConnection(client, path, edit, servers, registration)


def _print_dry_run(context: CliContext, connection: PlannedConnection | None) -> None:
    click.echo("dry run: nothing was changed.")
    _print_line("memory", context.places.database)
    if connection is None:
        return
    _print_line("client", connection.client)
    if connection.edit is None:
        _print_line("hooks", f"already in {connection.path}")
    if connection.registration is None:
        _print_line("tools", f"already in {connection.servers}")
    for change in (connection.edit, connection.registration):
        for line in change.diff_lines if change else ():
            click.echo(safe_text(line))


def _is_connect_agreed(connection: PlannedConnection, *, yes: bool) -> bool:
    """Ask whether the settings may be changed, if there is anybody to ask."""
    hooks = [f"hooks to {connection.path}"] if connection.edit else []
    tools = [f"tools to {connection.servers}"] if connection.registration else []
    additions = " and its ".join([*hooks, *tools])
    if not additions or yes:
        return True
    if not sys.stdin.isatty():
        return False
    return click.confirm(f"Add the memory's {safe_text(additions)}?", default=True)


def _prepare_memory(context: CliContext) -> None:
    from ai_smartness.wiring import build_memory

    with build_memory(context.places, context.settings, USER_PROJECT):
        _print_line("memory", context.places.database)


def _connect_client(context: CliContext, connection: PlannedConnection, *, agreed: bool) -> None:
    from ai_smartness.clients.claude_code.install import connect_client
    from ai_smartness.clients.claude_code.register import register_server

    home = context.places.home
    _print_line("client", connection.client)
    if not agreed:
        _print_line("hooks", "not connected")
        click.echo("note: run `ais init --yes` to connect the client without a question", err=True)
        return
    backup = connect_client(home, connection.edit) if connection.edit else None
    _print_line("hooks", f"{'in' if connection.edit else 'already in'} {connection.path}")
    if backup:
        _print_line("backup", backup)
    if connection.registration:
        register_server(home, connection.registration)
    _print_line(
        "tools", f"{'in' if connection.registration else 'already in'} {connection.servers}"
    )
    _print_notes(connection)


def _print_notes(connection: PlannedConnection) -> None:
    if connection.client.version_warning:
        click.echo(f"note: {safe_text(connection.client.version_warning)}", err=True)
    if connection.path.name == "settings.local.json" and _is_git_ignored(connection.path) is False:
        click.echo(
            "note: add .claude/settings.local.json to .gitignore: it names folders of this machine",
            err=True,
        )


def _is_git_ignored(path: Path) -> bool | None:
    """Say whether git ignores a file; None where there is no git to ask."""
    # In a git hook these variables would name another repository than that of the path.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(path.parent.parent), "check-ignore", "-q", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=environ)  # noqa: S603 - a path of ours
    except OSError:
        return None
    return {0: True, 1: False}.get(done.returncode)


def _prepare_model(context: CliContext) -> None:
    from ai_smartness.wiring import local_models

    name = context.settings.embedder.model
    if name not in (card.name for card in local_models(context.places).model_cards()):
        _print_line("model", f"{name}, as you have set it")
        return
    try:
        with progress_bar("downloading the model") as progress:
            local_models(context.places).pull_model(name, progress)
    except StoreError as error:
        # A memory without a model still searches by keyword, so this is no failure.
        _print_line("model", f"{name} is missing; until it is downloaded, search is by keyword")
        click.echo(f"note: {safe_text(str(error))}", err=True)
    else:
        _print_line("model", f"{name}, downloaded and verified")


def _offer_import(context: CliContext, *, wanted: bool | None, yes: bool) -> None:
    """Import earlier sessions if the user agrees; whatever happens to them, init goes on.

    `yes` answers the question; where nobody can be asked, there is none.
    """
    if wanted is False:
        return
    try:
        summary = _import_summary(context)
        if not summary:
            return
        if wanted or _is_import_agreed(summary, yes=yes):
            click.get_current_context().invoke(import_)
        else:
            _print_line("past", f"{summary}: `ais import` imports them")
    except click.exceptions.Exit:
        # The import has reported itself which files it could not read.
        return
    except (AisError, OSError) as error:
        _print_line("past", "not imported; run `ais import` to try again")
        click.echo(f"note: {safe_text(str(error))}", err=True)


def _import_summary(context: CliContext) -> str:
    """Describe the files to import on one line; empty if there are none."""
    formats = importable_files(context)
    count = sum(entry.files for entry in formats)
    if not count:
        return ""
    names = ", ".join(entry.format for entry in formats)
    megabytes = sum(entry.size for entry in formats) / 1e6
    return f"{counted_noun(count, 'file')} of {names}, {megabytes:,.1f} MB"


def _is_import_agreed(summary: str, *, yes: bool) -> bool:
    if not sys.stdin.isatty():
        return False
    return yes or click.confirm(f"Import earlier sessions ({summary})?", default=True)


def _print_line(label: str, value: object) -> None:
    click.echo(f"{label:<8}{safe_text(str(value))}")

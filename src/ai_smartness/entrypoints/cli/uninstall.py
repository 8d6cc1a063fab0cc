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

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.output import safe_text
from ai_smartness.model.errors import AisError, RefusedError

if TYPE_CHECKING:
    from ai_smartness.clients.claude_code.install import SettingsEdit
    from ai_smartness.clients.claude_code.register import ServerRemoval
    from ai_smartness.clients.claude_code.settings_json import InstallRecord

__all__ = ["uninstall"]

DATA_PATTERNS = (
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

FILE_GONE_NOTE = ", which was not there before"


@click.command(epilog="Example: ais uninstall --dry-run")
@click.option("--here", is_flag=True, help="Only this project's settings; the memory stays.")
@click.option("--delete-data", is_flag=True, help="Delete the memory too, without asking again.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing; the memory stays.")
@click.pass_context
def uninstall(
    ctx: click.Context,
    *,
    here: bool,
    delete_data: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Take our hooks and tools out of Claude Code's settings, wherever `ais init` put them.

    A file that is still as `ais init` left it is put back byte for byte; from one that was
    changed since, only our entries are taken. The memory is kept unless you say otherwise.
    """
    context = ctx.ensure_object(CliContext)
    if here and delete_data:
        msg = "give --here or --delete-data: the memory is not this project's alone."
        raise click.UsageError(msg, ctx)
    planned = _uninstall_plan(context, here=here)
    for refusal in planned.refusals:
        click.echo(f"warning: {safe_text(refusal)}", err=True)
    if dry_run:
        _print_dry_run(planned)
    elif _is_agreed(planned, yes=yes or delete_data):
        _carry_out(context, planned)
        if not here:
            _stop_and_delete(context, delete=delete_data or _is_data_unwanted(context, yes=yes))
    if planned.refusals:
        ctx.exit(1)


class UninstallPlan(NamedTuple):
    """What is to be done: the changes, the files without anything of ours, and what is refused."""

    edits: list["SettingsEdit"]
    removals: list["ServerRemoval"]
    clean: list[Path]
    refusals: list[str]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing of ours anywhere."""
        return not self.edits and not self.removals


def _uninstall_plan(context: CliContext, *, here: bool) -> UninstallPlan:
    """Work out every change; a file that cannot be changed does not stand in the others' way."""
    from ai_smartness.clients.claude_code import settings_json as client_record

    installed = client_record.load_records(context.places.home)
    planned = UninstallPlan([], [], [], [])
    for path in _settings_paths(context, installed, here=here):
        with _noting_refusals(planned):
            edit = _settings_edit(path, installed)
            if edit is None:
                planned.clean.append(path)
            else:
                planned.edits.append(edit)
    for path in _server_paths(context, installed):
        with _noting_refusals(planned):
            leaving = _server_removal(context, path, installed, here=here)
            if leaving is not None:
                planned.removals.append(leaving)
            elif not here:
                planned.clean.append(path)
    return planned


@contextmanager
def _noting_refusals(planned: UninstallPlan) -> Iterator[None]:
    try:
        yield
    except AisError as refused:
        planned.refusals.append(str(refused))


def _settings_edit(path: Path, installed: "Mapping[str, InstallRecord]") -> "SettingsEdit | None":
    from ai_smartness.clients.claude_code.install import disconnecting_edit
    from ai_smartness.clients.claude_code.settings_json import read_settings_file

    return disconnecting_edit(read_settings_file(path), installed.get(str(path)))


def _server_removal(
    context: CliContext,
    path: Path,
    installed: "Mapping[str, InstallRecord]",
    *,
    here: bool,
) -> "ServerRemoval | None":
    from ai_smartness.clients.claude_code.register import planned_removal

    project = [context.project_folder.name] if context.project_folder else []
    if here:
        return planned_removal(path, project)
    known = installed.get(str(path))
    recorded = known.places if known and known.places else {}
    return planned_removal(path, [*(at or None for at in recorded), *project, None])


def _settings_paths(
    context: CliContext,
    installed: "Mapping[str, InstallRecord]",
    *,
    here: bool,
) -> list[Path]:
    from ai_smartness.clients.claude_code.install import project_settings_path, user_settings_path

    project = [project_settings_path(context.project_folder.root)] if context.project_folder else []
    if here:
        return project
    recorded = [Path(path) for path, each in installed.items() if each.places is None]
    return list(dict.fromkeys([*recorded, *project, user_settings_path(context.environ)]))


def _server_paths(context: CliContext, installed: "Mapping[str, InstallRecord]") -> list[Path]:
    from ai_smartness.clients.claude_code.register import servers_file

    recorded = [Path(path) for path, each in installed.items() if each.places is not None]
    return list(dict.fromkeys([*recorded, servers_file(context.environ)]))


def _print_dry_run(planned: UninstallPlan) -> None:
    click.echo("dry run: nothing was changed.")
    lines = [line for edit in planned.edits for line in edit.diff_lines]
    lines += [line for each in planned.removals for line in each.diff_lines]
    for line in lines:
        click.echo(safe_text(line))


def _is_agreed(planned: UninstallPlan, *, yes: bool) -> bool:
    if planned.is_empty:
        click.echo("hooks   in no settings that are known")
    if yes or planned.is_empty:
        return True
    if not sys.stdin.isatty():
        msg = "cannot ask whether to take the hooks out: the input is not a terminal. Give --yes."
        raise RefusedError(msg)
    for edit in planned.edits:
        click.echo(f"hooks   in {safe_text(str(edit.file.path))}")
    for each in planned.removals:
        click.echo(f"tools   in {safe_text(str(each.path))}")
    return click.confirm("Take them out?", default=True)


def _carry_out(context: CliContext, planned: UninstallPlan) -> None:
    from ai_smartness.clients.claude_code.install import disconnect_client, drop_records
    from ai_smartness.clients.claude_code.register import unregister_server

    home = context.places.home
    drop_records(home, planned.clean)
    for edit in planned.edits:
        disconnect_client(home, edit)
        gone = FILE_GONE_NOTE if edit.after is None else ""
        click.echo(f"hooks   taken out of {safe_text(str(edit.file.path))}{gone}")
    for each in planned.removals:
        gone = FILE_GONE_NOTE if unregister_server(home, each) else ""
        click.echo(f"tools   taken out of {safe_text(str(each.path))}{gone}")


def _is_data_unwanted(context: CliContext, *, yes: bool) -> bool:
    """Ask whether the memory is to go, too."""
    if yes or not sys.stdin.isatty() or not any(_data_paths(context.places.home)):
        return False
    question = f"Delete the memory in {safe_text(str(context.places.home))} for good, too?"
    return click.confirm(question, default=False)


def _stop_and_delete(context: CliContext, *, delete: bool) -> None:
    from ai_smartness.entrypoints.cli.daemon import stop_and_wait

    home = context.places.home
    stop_and_wait(home)
    if not delete:
        if any(_data_paths(home)):
            click.echo(f"memory  {safe_text(str(home))}, kept")
        return
    for path in list(_data_paths(home)):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    with suppress(OSError):
        home.rmdir()
    click.echo(f"memory  {safe_text(str(home))}, deleted")
    click.echo(f"models  {safe_text(str(context.places.cache / 'models'))}, kept")


def _data_paths(home: Path) -> Iterator[Path]:
    for pattern in DATA_PATTERNS:
        yield from home.glob(pattern)

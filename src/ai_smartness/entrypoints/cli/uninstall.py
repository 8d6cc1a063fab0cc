"""`ais uninstall`: remove from the client's settings exactly what `ais init` added.

You are asked whether to keep the memory; it is kept unless you say otherwise.
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
    from ai_smartness.clients.claude_code.install import InstallRecord, SettingsEdit
    from ai_smartness.clients.claude_code.register import ServerRemoval

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
"""Everything that we keep in a memory's home, except the settings, which are yours."""

FILE_DELETED_NOTE = " and the file deleted, which we had created"


@click.command(epilog="Example: ais uninstall --dry-run")
@click.option("--here", is_flag=True, help="Only this project's settings; keep the memory.")
@click.option("--delete-data", is_flag=True, help="Delete the memory too, without asking again.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing, and keep the memory.")
@click.pass_context
def uninstall(
    ctx: click.Context, *, here: bool, delete_data: bool, dry_run: bool, yes: bool
) -> None:
    """This covers every file of Claude Code that `ais init` changed.

    A file that is still as `ais init` left it is restored byte for byte; from a file that was
    changed since, only our entries are removed. The memory is kept unless you say otherwise.
    """
    context = ctx.ensure_object(CliContext)
    if here and delete_data:
        msg = "give --here or --delete-data: other projects use the memory too."
        raise click.UsageError(msg, ctx)
    plan = _uninstall_plan(context, here=here)
    for refusal in plan.refusals:
        click.echo(f"warning: {safe_text(refusal)}", err=True)
    if dry_run:
        _print_dry_run(plan)
    elif _is_agreed(plan, yes=yes or delete_data):
        _remove_entries(context, plan)
        if not here:
            _stop_and_delete(context, delete=delete_data or _is_data_unwanted(context, yes=yes))
    if plan.refusals:
        ctx.exit(1)


class UninstallPlan(NamedTuple):
    """The changes to make, the files without anything of ours, and the files we cannot change."""

    edits: list["SettingsEdit"]
    removals: list["ServerRemoval"]
    clean: list[Path]
    refusals: list[str]

    @property
    def is_empty(self) -> bool:
        """Whether no file has anything of ours."""
        return not self.edits and not self.removals


def _uninstall_plan(context: CliContext, *, here: bool) -> UninstallPlan:
    """Work out every change; a file that cannot be changed does not block the others."""
    from ai_smartness.clients.claude_code.install import disconnecting_edit, load_records
    from ai_smartness.clients.claude_code.settings_json import read_file

    records = load_records(context.places.home)
    plan = UninstallPlan([], [], [], [])
    for path in _settings_paths(context, records, here=here):
        with _refusals_noted(plan):
            edit = disconnecting_edit(read_file(path), records.get(str(path)))
            if edit is None:
                plan.clean.append(path)
            else:
                plan.edits.append(edit)
    for path in _server_paths(context, records):
        with _refusals_noted(plan):
            removal = _server_removal(context, path, records, here=here)
            if removal is not None:
                plan.removals.append(removal)
            elif not here:
                plan.clean.append(path)
    return plan


@contextmanager
def _refusals_noted(plan: UninstallPlan) -> Iterator[None]:
    try:
        yield
    except AisError as error:
        plan.refusals.append(str(error))


def _server_removal(
    context: CliContext, path: Path, records: "Mapping[str, InstallRecord]", *, here: bool
) -> "ServerRemoval | None":
    from ai_smartness.clients.claude_code.register import planned_removal

    project = [context.project_folder.name] if context.project_folder else []
    if here:
        return planned_removal(path, project)
    record = records.get(str(path))
    places = record.places if record and record.places else {}
    return planned_removal(path, [*(place or None for place in places), *project, None])


def _settings_paths(
    context: CliContext, records: "Mapping[str, InstallRecord]", *, here: bool
) -> list[Path]:
    from ai_smartness.clients.claude_code.settings_json import (
        project_settings_path,
        user_settings_path,
    )

    project = [project_settings_path(context.project_folder.root)] if context.project_folder else []
    if here:
        return project
    recorded = [Path(path) for path, record in records.items() if record.places is None]
    return list(dict.fromkeys([*recorded, *project, user_settings_path(context.environ)]))


def _server_paths(context: CliContext, records: "Mapping[str, InstallRecord]") -> list[Path]:
    from ai_smartness.clients.claude_code.register import servers_file

    recorded = [Path(path) for path, record in records.items() if record.places is not None]
    return list(dict.fromkeys([*recorded, servers_file(context.environ)]))


def _print_dry_run(plan: UninstallPlan) -> None:
    click.echo("dry run: nothing was changed.")
    lines = [line for edit in plan.edits for line in edit.diff_lines]
    lines += [line for removal in plan.removals for line in removal.diff_lines]
    for line in lines:
        click.echo(safe_text(line))


def _is_agreed(plan: UninstallPlan, *, yes: bool) -> bool:
    if plan.is_empty:
        click.echo("hooks   not found in any known settings")
    if yes or plan.is_empty:
        return True
    if not sys.stdin.isatty():
        msg = "cannot ask whether to remove the hooks: the input is not a terminal. Give --yes."
        raise RefusedError(msg)
    for edit in plan.edits:
        click.echo(f"hooks   in {safe_text(str(edit.file.path))}")
    for removal in plan.removals:
        click.echo(f"tools   in {safe_text(str(removal.path))}")
    return click.confirm("Remove them?", default=True)


def _remove_entries(context: CliContext, plan: UninstallPlan) -> None:
    from ai_smartness.clients.claude_code.install import disconnect_client, drop_records
    from ai_smartness.clients.claude_code.register import unregister_server

    home = context.places.home
    drop_records(home, plan.clean)
    for edit in plan.edits:
        disconnect_client(home, edit)
        deleted = FILE_DELETED_NOTE if edit.after is None else ""
        click.echo(f"hooks   removed from {safe_text(str(edit.file.path))}{deleted}")
    for removal in plan.removals:
        deleted = FILE_DELETED_NOTE if unregister_server(home, removal) else ""
        click.echo(f"tools   removed from {safe_text(str(removal.path))}{deleted}")


def _is_data_unwanted(context: CliContext, *, yes: bool) -> bool:
    """Ask whether to delete the memory, too."""
    if yes or not sys.stdin.isatty() or not any(_data_paths(context.places.home)):
        return False
    question = f"Also delete the memory in {safe_text(str(context.places.home))} permanently?"
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

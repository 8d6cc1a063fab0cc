"""Connect Claude Code to a memory, and disconnect it: the plans of `ais init` and `ais uninstall`.

A plan is worked out first and shown as a diff; then it is carried out as shown, or not at all. A
settings file that is still as we left it is restored byte for byte; from any other file only our
entries are removed.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ai_smartness.clients.claude_code.detect import InstalledClient, find_client
from ai_smartness.clients.claude_code.git_exclude import (
    EXCLUDED_PATH,
    add_exclusion,
    added_exclusion_diff,
    is_git_ignored,
    remove_exclusion,
    removed_exclusion_diff,
)
from ai_smartness.clients.claude_code.hooks import (
    is_permitted,
    our_hooks,
    refuse_odd_settings,
    settings_with_permission,
    settings_without_permission,
)
from ai_smartness.clients.claude_code.register import (
    ServerRegistration,
    ServerRemoval,
    our_server,
    planned_registration,
    planned_removal,
    register_server,
    servers_file,
    unregister_server,
)
from ai_smartness.clients.client import InstallTarget, PlannedFile
from ai_smartness.clients.client_files import (
    InstallRecord,
    dumped_like,
    load_records,
    parsed_json,
    project_settings_path,
    user_settings_path,
)
from ai_smartness.clients.connected_file import (
    FILE_DELETED_NOTE,
    ConnectedFile,
    FileEdit,
    connect_file,
    connecting_edit,
    disconnect_file,
    disconnecting_edit,
    drop_records,
    removal_line,
)
from ai_smartness.clients.hook_event import CLAUDE_CODE
from ai_smartness.clients.hook_groups import (
    HookGroups,
    has_exactly_our_hooks,
    has_our_hooks,
    settings_with_hooks,
    settings_without_hooks,
)
from ai_smartness.model.errors import AisError, RefusedError

__all__ = ["InstallPlan", "UninstallPlan", "plan_install", "plan_uninstall"]


class SettingsEntries:
    """Our hooks and the permission for our tools, in a settings file."""

    def __init__(self, ours: HookGroups) -> None:
        self._ours = ours

    def text_with_ours(self, text: str) -> str:
        """Return the settings with our hooks and permission."""
        settings = parsed_json(text)
        refuse_odd_settings(settings, self._ours)
        if has_exactly_our_hooks(settings, self._ours) and is_permitted(settings):
            return text
        wanted = settings_with_permission(settings_with_hooks(settings, self._ours))
        return dumped_like(wanted, text)

    def text_without_ours(self, text: str, before: str | None) -> str:
        """Return the settings without our hooks and permission."""
        settings = parsed_json(text)
        if not isinstance(settings, dict):
            return text
        settings_before = parsed_json(before or "")
        left = settings_without_hooks(settings, settings_before)
        # If neither a record nor a hook says that we were here, the permission is not ours.
        if before is not None or has_our_hooks(settings):
            left = settings_without_permission(left, settings_before)
        if left == settings:
            return text
        return dumped_like(left, text) if left or before is None else ""


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """Our hooks go into a settings file, and our tools into the file of MCP servers."""

    home: Path
    client: InstalledClient
    settings: Path
    edit: FileEdit | None
    servers: Path
    registration: ServerRegistration | None
    refusals: tuple[str, ...] = ()
    start_command = "claude"

    @property
    def title(self) -> str:
        """Name the client and its version."""
        return str(self.client)

    @property
    def files(self) -> list[PlannedFile]:
        """The settings file and the file of MCP servers."""
        return [
            PlannedFile("hooks", self.settings, self.edit is not None),
            PlannedFile("tools", self.servers, self.registration is not None),
        ]

    def diff_lines(self) -> Iterator[str]:
        """Yield the change as a diff."""
        yield from self.edit.diff_lines if self.edit else ()
        yield from self.registration.diff_lines if self.registration else ()
        yield from added_exclusion_diff(self.settings) if self.committable else ()

    @property
    def committable(self) -> str:
        """The settings file, if git would commit it."""
        is_local = self.settings.name == Path(EXCLUDED_PATH).name
        is_seen = is_local and is_git_ignored(self.settings) is False
        return EXCLUDED_PATH if is_seen else ""

    def exclude_from_git(self) -> Path | None:
        """Keep the settings file out of git in this clone; return the file that says so."""
        return add_exclusion(self.settings)

    def apply(self) -> Iterator[tuple[str, str]]:
        """Make the changes, and yield a label and a line for each."""
        backup = connect_file(self.home, self.edit) if self.edit else None
        yield "hooks", f"{'in' if self.edit else 'already in'} {self.settings}"
        if backup:
            yield "backup", str(backup)
        if self.registration:
            register_server(self.home, self.registration)
        yield "tools", f"{'in' if self.registration else 'already in'} {self.servers}"
        if self.client.version_warning:
            yield "note", self.client.version_warning


@dataclass(frozen=True, slots=True)
class UninstallPlan:
    """Our entries go from every file; `clean` files have none, and others cannot be changed."""

    home: Path
    title: str
    edits: list[FileEdit] = field(default_factory=list)
    removals: list[ServerRemoval] = field(default_factory=list)
    clean: list[Path] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    committable = ""
    start_command = ""

    def exclude_from_git(self) -> None:
        """Leave git alone: nothing of ours stays."""

    @property
    def files(self) -> list[PlannedFile]:
        """The files with entries of ours."""
        settings = [PlannedFile("hooks", edit.file.path, is_changed=True) for edit in self.edits]
        servers = [PlannedFile("tools", item.path, is_changed=True) for item in self.removals]
        return [*settings, *servers]

    def diff_lines(self) -> Iterator[str]:
        """Yield the change as a diff."""
        for edit in self.edits:
            yield from edit.diff_lines
        for removal in self.removals:
            yield from removal.diff_lines
        for path in self._settings_files:
            yield from removed_exclusion_diff(path)

    def apply(self) -> Iterator[tuple[str, str]]:
        """Make the changes, and yield a label and a line for each."""
        drop_records(self.home, self.clean)
        for path in self._settings_files:
            if exclude := remove_exclusion(path):
                yield "git", f"our lines removed from {exclude}"
        for edit in self.edits:
            disconnect_file(self.home, edit)
            yield "hooks", removal_line(edit)
        for removal in self.removals:
            deleted = FILE_DELETED_NOTE if unregister_server(self.home, removal) else ""
            yield "tools", f"removed from {removal.path}{deleted}"

    @property
    def _settings_files(self) -> tuple[Path, ...]:
        return (*self.clean, *(edit.file.path for edit in self.edits))


def plan_install(target: InstallTarget) -> InstallPlan:
    """Plan to connect the client to a memory, in one project or in all."""
    client, root = find_client(target.environ), target.project_root
    _refuse_invalid_name(root)
    settings = project_settings_path(root) if root else user_settings_path(target.environ)
    ours = our_hooks(target.home, client.assumed_version)
    edit = connecting_edit(target.home, CLAUDE_CODE, _settings_file(settings, ours), root)
    servers = servers_file(target.environ)
    # By the repository, as the client does: all its worktrees have the same servers.
    place = target.project_name if root else None
    registration = planned_registration(servers, place, our_server(target.home))
    return InstallPlan(target.home, client, settings, edit, servers, registration)


def plan_uninstall(target: InstallTarget, *, everywhere: bool) -> UninstallPlan:
    """Plan to remove our entries, from the project's files or from all that we know of.

    A file that cannot be changed does not block the others.
    """
    every = load_records(target.home)
    records = {path: record for path, record in every.items() if record.client == CLAUDE_CODE}
    plan = UninstallPlan(target.home, "Claude Code")
    for path in _settings_paths(target, records, everywhere=everywhere):
        with _refusals_noted(plan):
            edit = disconnecting_edit(target.home, _settings_file(path, {}))
            if edit is None:
                plan.clean.append(path)
            else:
                plan.edits.append(edit)
    recorded = [Path(path) for path, record in records.items() if record.places is not None]
    for path in dict.fromkeys([*recorded, servers_file(target.environ)]):
        with _refusals_noted(plan):
            removal = _server_removal(target, path, records, everywhere=everywhere)
            if removal is not None:
                plan.removals.append(removal)
            elif everywhere:
                plan.clean.append(path)
    return plan


def _settings_file(path: Path, ours: HookGroups) -> ConnectedFile:
    return ConnectedFile("hooks", path, SettingsEntries(ours))


@contextmanager
def _refusals_noted(plan: UninstallPlan) -> Iterator[None]:
    try:
        yield
    except AisError as error:
        plan.refusals.append(str(error))


def _settings_paths(
    target: InstallTarget, records: Mapping[str, InstallRecord], *, everywhere: bool
) -> Iterable[Path]:
    project = [project_settings_path(target.project_root)] if target.project_root else []
    if not everywhere:
        return project
    recorded = [Path(path) for path, record in records.items() if record.places is None]
    return dict.fromkeys([*recorded, *project, user_settings_path(target.environ)])


def _server_removal(
    target: InstallTarget, path: Path, records: Mapping[str, InstallRecord], *, everywhere: bool
) -> ServerRemoval | None:
    project = [target.project_name] if target.project_root else []
    if not everywhere:
        return planned_removal(path, project)
    record = records.get(str(path))
    places = record.places if record and record.places else {}
    return planned_removal(path, [*(place or None for place in places), *project, None])


def _refuse_invalid_name(root: Path | None) -> None:
    """Refuse a folder that no JSON can name: the client itself could not find it there."""
    try:
        str(root).encode()
    except UnicodeEncodeError as error:
        msg = (
            f"cannot register the tools for the project {str(root)!r}: its name is not valid "
            "text. Connect all projects with `ais init --user`, or none with --no-hooks."
        )
        raise RefusedError(msg) from error

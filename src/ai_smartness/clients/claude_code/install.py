"""Put our hooks into a file of the client's settings, with the permission to call our tools.

And take both out again. What is to be done is worked out first and shown as a difference; it
is then done as shown, or not at all. A file that is still as we left it goes back to what it
was, byte for byte.

The coding agent's client on this machine: which it is, and where its settings are.
"""

import dataclasses
import difflib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ai_smartness.clients.claude_code import register as permission
from ai_smartness.clients.claude_code import settings_json as client_record
from ai_smartness.clients.claude_code import settings_json as client_settings
from ai_smartness.clients.claude_code.hooks import (
    NEWEST_TESTED,
    VIRTUAL_READS_SINCE,
    ClientVersion,
    HookGroups,
    HookProgram,
    Step,
    config_folder,
    has_exactly_our_hooks,
    has_our_hooks,
    hook_groups,
    hook_removal_steps,
    hook_steps,
    refuse_odd_hooks,
)
from ai_smartness.clients.claude_code.register import ServerEntry, server_entry
from ai_smartness.clients.claude_code.settings_json import (
    ClientSettingsFile,
    InstallRecord,
    edited_json,
    text_digest,
)
from ai_smartness.clients.claude_code.settings_json import parsed_json as read_json
from ai_smartness.model.errors import RefusedError

__all__ = [
    "InstalledClient",
    "SettingsEdit",
    "connect_client",
    "connecting_edit",
    "disconnect_client",
    "disconnecting_edit",
    "drop_records",
    "find_client",
    "our_hooks",
    "our_server",
    "project_settings_path",
    "shared_settings_path",
    "user_settings_path",
]


BACKUP_FOLDER = "backups"


@dataclass(frozen=True, slots=True)
class SettingsEdit:
    """A change of one file: what it says now, what it said without us, what it will say.

    None stands for no file.
    """

    file: ClientSettingsFile
    before: str | None
    after: str | None

    @property
    def diff_lines(self) -> Iterator[str]:
        """The difference, line by line."""
        name = str(self.file.path)
        old, new = (
            [line.rstrip("\r") for line in (text or "").split("\n")]
            for text in (self.file.text, self.after)
        )
        return difflib.unified_diff(old, new, f"{name} (now)", f"{name} (then)", lineterm="")


def connecting_edit(
    file: ClientSettingsFile,
    installed: InstallRecord | None,
    ours: HookGroups,
) -> SettingsEdit | None:
    """Work out the change that puts our hooks in; nothing if they are in."""
    value = file.json_value
    try:
        refuse_odd_hooks(value, ours)
        permission.refuse_odd_permissions(value if isinstance(value, dict) else {})
    except RefusedError as odd:
        raise file.refusal_error(str(odd)) from odd
    if (
        isinstance(value, dict)
        and has_exactly_our_hooks(value, ours)
        and permission.is_permitted(value)
    ):
        return None
    client_settings.refuse_read_only(file)
    before = _text_without_ours(file, installed)
    said = read_json(before or "")
    steps = [*hook_steps(said, ours), *permission.permission_steps(said)]
    return SettingsEdit(file, before, edited_json(before or "", steps))


def disconnecting_edit(
    file: ClientSettingsFile,
    installed: InstallRecord | None,
) -> SettingsEdit | None:
    """Work out the change that takes our hooks out; nothing if none is in."""
    before = _text_without_ours(file, installed)
    if before == file.text:
        return None
    client_settings.refuse_read_only(file)
    return SettingsEdit(file, before, before)


def connect_client(home: Path, edit: SettingsEdit) -> Path | None:
    """Make the change, remember what it was before, and return the copy that was kept of it."""
    key = str(edit.file.path)
    backup = _saved_copy(home, edit.file)
    with client_record.locked_records(home) as installed:
        made = installed[key].made if key in installed else ()
        entry = InstallRecord(edit.before, text_digest(edit.after or ""), made, backup)
        # Remembered first: if we are stopped between the two, no hook of ours is unaccounted for.
        client_record.save_records(home, {**installed, key: entry})
        folders = client_settings.replace_settings_file(edit.file, edit.after or "")
        installed[key] = dataclasses.replace(entry, made=(*made, *map(str, folders)))
    return Path(backup) if backup else None


def disconnect_client(home: Path, edit: SettingsEdit) -> None:
    """Make the change, and forget about the file."""
    key = str(edit.file.path)
    with client_record.locked_records(home) as installed:
        made = [Path(each) for each in installed[key].made] if key in installed else []
        if edit.after is None:
            client_settings.delete_settings_file(edit.file, made)
        else:
            client_settings.replace_settings_file(edit.file, edit.after)
        installed.pop(key, None)


def drop_records(home: Path, paths: Iterable[Path]) -> None:
    """Strike files off the record that hold nothing of ours any more."""
    with client_record.locked_records(home) as installed:
        for path in paths:
            installed.pop(str(path), None)


def _text_without_ours(file: ClientSettingsFile, installed: InstallRecord | None) -> str | None:
    """Return what the file said before us, or says beside us if it was changed since."""
    if file.text is None:
        return None
    if installed and text_digest(file.text) == installed.written:
        return installed.before
    value = file.json_value
    before = read_json(installed.before or "") if installed else {}
    steps = _removal_steps(value, before, known=bool(installed)) if isinstance(value, dict) else []
    text = edited_json(file.text, steps) if steps else file.text
    nothing_left = steps and installed and installed.before is None and read_json(text) == {}
    return None if nothing_left else text


def _removal_steps(
    value: Mapping[str, Any],
    before: Mapping[str, Any],
    *,
    known: bool,
) -> list[Step]:
    # Where neither a record nor a hook says that we were here, the permission is somebody's own.
    ours = known or has_our_hooks(value)
    return [
        *hook_removal_steps(value, before),
        *(permission.permission_removal_steps(value, before) if ours else []),
    ]


def _saved_copy(home: Path, file: ClientSettingsFile) -> str | None:
    if file.text is None:
        return None
    folder = home / BACKUP_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    copy = folder / f"{moment}-{file.path.name}"
    handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out_file:
        out_file.write(file.text.encode())
    return str(copy)


VERSION_TIMEOUT_SECONDS = 20
"""Some versions are started by Node, on a cold disk."""

EXTRA_BIN_FOLDERS = ("~/.local/bin", "~/.claude/local")
"""Where the client installs itself, and a shell finds it by an alias."""

HOOK_MAIN = Path(__file__).parents[2] / "entrypoints" / "hooks" / "main.py"


@dataclass(frozen=True, slots=True)
class InstalledClient:
    """A client that was found, or none: then the newest is provided for."""

    path: str | None
    version: ClientVersion | None
    trouble: str = ""

    @property
    def assumed_version(self) -> ClientVersion:
        """Return the version to write settings for."""
        return self.version or NEWEST_TESTED

    def __str__(self) -> str:
        if self.path is None:
            return f"no Claude Code found; provided for {NEWEST_TESTED} and later"
        if self.version is None:
            return f"{self.path}: {self.trouble}; provided for {NEWEST_TESTED} and later"
        return f"Claude Code {self.version}, {self.path}"

    @property
    def version_warning(self) -> str:
        """Say what a client of this age cannot do; nothing if it can do all."""
        if self.assumed_version >= VIRTUAL_READS_SINCE:
            return ""
        return (
            f"Claude Code {self.version} cannot answer reads of .ai/…: {VIRTUAL_READS_SINCE} is needed. "
            "Update it, then run `ais init` again."
        )


def find_client(environ: Mapping[str, str]) -> InstalledClient:
    """Find the client: the one on the PATH, or what AIS_CLAUDE names (nothing: none)."""
    named = environ.get("AIS_CLAUDE")
    if named is None:
        ways = [environ.get("PATH"), *map(os.path.expanduser, EXTRA_BIN_FOLDERS)]
        paths = [found for way in ways if (found := shutil.which("claude", path=way))]
        return _queried_client(paths[:1]) if paths else InstalledClient(None, None)
    return _queried_client(shlex.split(named)) if named.strip() else InstalledClient(None, None)


def _queried_client(command: list[str]) -> InstalledClient:
    try:
        done = subprocess.run(  # noqa: S603 - the client that the user starts by this name
            [*command, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_TIMEOUT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as mute:
        return InstalledClient(shlex.join(command), None, f"it did not start ({mute})")
    version = ClientVersion.read(done.stdout)
    trouble = "" if version else "it does not say which version it is"
    return InstalledClient(shlex.join(command), version, trouble)


def our_hooks(home: Path, version: ClientVersion) -> HookGroups:
    """Return the hooks of this installation for a memory, for a client of this version."""
    return hook_groups(HookProgram(sys.executable, str(HOOK_MAIN), str(home)), version)


def our_server(home: Path) -> ServerEntry:
    """Return the server of this installation for a memory, as a client registers it."""
    return server_entry(HookProgram(sys.executable, str(HOOK_MAIN), str(home)))


def project_settings_path(root: Path) -> Path:
    """Name the file of the project that is never committed: our hooks name folders of yours."""
    return root / ".claude" / "settings.local.json"


def shared_settings_path(root: Path) -> Path:
    """Name the file of the project that is committed, which we read and never write."""
    return root / ".claude" / "settings.json"


def user_settings_path(environ: Mapping[str, str]) -> Path:
    """Name the file that holds for all projects."""
    return config_folder(environ) / "settings.json"


def is_git_ignored(path: Path) -> bool | None:
    """Say whether git leaves a file alone; None where there is no git to ask."""
    try:
        asked = ["git", "-C", str(path.parent.parent), "check-ignore", "-q", str(path)]
        done = subprocess.run(asked, capture_output=True, check=False, env=_environ_without_git())  # noqa: S603 - a path of ours
    except OSError:
        return None
    return {0: True, 1: False}.get(done.returncode)


def _environ_without_git() -> dict[str, str]:
    # In a git hook these would name another repository than the one the path is in.
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}

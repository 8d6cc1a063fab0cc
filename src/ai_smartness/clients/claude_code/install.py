"""Connect Claude Code to a memory through its settings, and disconnect it again.

A change is worked out first and shown as a diff; then it is made as shown, or not at all. The
memory's home has a record of every file that we changed. A file that is still as we left it is
restored byte for byte; from any other file only our entries are removed.
"""

import difflib
import fcntl
import hashlib
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ai_smartness.clients.claude_code.hooks import (
    NEWEST_TESTED,
    VIRTUAL_READS_SINCE,
    ClientVersion,
    HookGroups,
    has_exactly_our_hooks,
    has_our_hooks,
    is_permitted,
    refuse_odd_settings,
    settings_with_hooks,
    settings_with_permission,
    settings_without_hooks,
    settings_without_permission,
)
from ai_smartness.clients.claude_code.settings_json import (
    ClientFile,
    delete_file,
    dumped_like,
    parsed_json,
    refuse_read_only,
    replace_file,
    write_atomically,
)
from ai_smartness.model.errors import RefusedError, StoreError

__all__ = [
    "InstallRecord",
    "InstalledClient",
    "SettingsEdit",
    "connect_client",
    "connecting_edit",
    "disconnect_client",
    "disconnecting_edit",
    "drop_records",
    "find_client",
    "load_records",
    "locked_records",
    "save_records",
]

VERSION_TIMEOUT_SECONDS = 20
"""Some versions are started by Node, on a cold disk."""

EXTRA_BIN_FOLDERS = ("~/.local/bin", "~/.claude/local")
"""The client installs itself there, where a shell finds it by an alias."""

RECORD_FILE = "installed.json"
RECORD_FORMAT = 1
BACKUP_FOLDER = "backups"


@dataclass(frozen=True, slots=True)
class InstalledClient:
    """The client on this machine; without one, the newest version is assumed."""

    path: str | None
    version: ClientVersion | None
    trouble: str = ""

    @property
    def assumed_version(self) -> ClientVersion:
        """Return the version to write settings for."""
        return self.version or NEWEST_TESTED

    def __str__(self) -> str:
        if self.path is None:
            return f"no Claude Code found; set up for {NEWEST_TESTED} and later"
        if self.version is None:
            return f"{self.path}: {self.trouble}; set up for {NEWEST_TESTED} and later"
        return f"Claude Code {self.version}, {self.path}"

    @property
    def version_warning(self) -> str:
        """Say what a client of this version cannot do; empty if it can do everything."""
        if self.assumed_version >= VIRTUAL_READS_SINCE:
            return ""
        return (
            f"Claude Code {self.version} cannot answer reads of .ai/…: {VIRTUAL_READS_SINCE} is "
            "needed. Update it, then run `ais init` again."
        )


@dataclass(frozen=True, slots=True)
class InstallRecord:
    """A file that we changed: its text before us (None: no file), and a digest of what we wrote.

    For the file of MCP servers only `places` is recorded: where our server is registered, and
    how many containers we created for it. Settings files have no places.
    """

    before: str | None
    written: str
    made: tuple[str, ...] = ()
    backup: str | None = None
    places: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class SettingsEdit:
    """A change of one settings file: its text without us, and its new text (None: no file)."""

    file: ClientFile
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


def find_client(environ: Mapping[str, str]) -> InstalledClient:
    """Find the client on the PATH, or the one that AIS_CLAUDE names (if empty: none)."""
    command = environ.get("AIS_CLAUDE")
    if command is not None:
        words = shlex.split(command)
        return _queried_client(words) if words else InstalledClient(None, None)
    for folders in (environ.get("PATH"), *map(os.path.expanduser, EXTRA_BIN_FOLDERS)):
        path = shutil.which("claude", path=folders)
        if path:
            return _queried_client([path])
    return InstalledClient(None, None)


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
    except (OSError, subprocess.TimeoutExpired) as error:
        return InstalledClient(shlex.join(command), None, f"it did not start ({error})")
    version = ClientVersion.read(done.stdout)
    trouble = "" if version else "it does not say which version it is"
    return InstalledClient(shlex.join(command), version, trouble)


def connecting_edit(
    file: ClientFile, record: InstallRecord | None, ours: HookGroups
) -> SettingsEdit | None:
    """Work out the change that adds our hooks and permission; None if both are there."""
    settings = file.json_value
    try:
        refuse_odd_settings(settings, ours)
    except RefusedError as error:
        raise file.refusal_error(str(error)) from error
    if has_exactly_our_hooks(settings, ours) and is_permitted(settings):
        return None
    refuse_read_only(file)
    before = _text_without_ours(file, record)
    wanted = settings_with_permission(settings_with_hooks(parsed_json(before or ""), ours))
    return SettingsEdit(file, before, dumped_like(wanted, before or ""))


def disconnecting_edit(file: ClientFile, record: InstallRecord | None) -> SettingsEdit | None:
    """Work out the change that removes our hooks and permission; None if there are none."""
    before = _text_without_ours(file, record)
    if before == file.text:
        return None
    refuse_read_only(file)
    return SettingsEdit(file, before, before)


def connect_client(home: Path, edit: SettingsEdit) -> Path | None:
    """Make the change and record it; return the backup copy of the file."""
    key = str(edit.file.path)
    backup = _saved_copy(home, edit.file)
    with locked_records(home) as records:
        made = records[key].made if key in records else ()
        record = InstallRecord(edit.before, _digest(edit.after or ""), made, backup)
        # Recorded first: if we are stopped between the two, no hook of ours is unaccounted for.
        save_records(home, {**records, key: record})
        folders = replace_file(edit.file, edit.after or "")
        records[key] = replace(record, made=(*made, *map(str, folders)))
    return Path(backup) if backup else None


def disconnect_client(home: Path, edit: SettingsEdit) -> None:
    """Make the change, and drop the record of the file."""
    key = str(edit.file.path)
    with locked_records(home) as records:
        if edit.after is None:
            made = records[key].made if key in records else ()
            delete_file(edit.file, map(Path, made))
        else:
            replace_file(edit.file, edit.after)
        records.pop(key, None)


def drop_records(home: Path, paths: Iterable[Path]) -> None:
    """Drop the records of files without anything of ours."""
    with locked_records(home) as records:
        for path in paths:
            records.pop(str(path), None)


def load_records(home: Path) -> dict[str, InstallRecord]:
    """Read the records, by the path of the file."""
    path = home / RECORD_FILE
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return {name: _parsed_record(entry) for name, entry in stored["files"].items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{path} cannot be read ({error}). Move it away: our hooks are then found by "
            "their names, and the rest of each file is left as it is."
        )
        raise StoreError(msg) from error


@contextmanager
def locked_records(home: Path) -> Iterator[dict[str, InstallRecord]]:
    """Give the records to be changed, and save them on leaving; nobody else can change them."""
    if not home.is_dir():
        yield {}
        return
    handle = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        records = load_records(home)
        before = dict(records)
        yield records
        if records != before:
            save_records(home, records)
    finally:
        os.close(handle)


def save_records(home: Path, records: Mapping[str, InstallRecord]) -> None:
    """Write the records, readable only by their owner: settings can hold secrets."""
    path = home / RECORD_FILE
    if not records:
        path.unlink(missing_ok=True)
        return
    stored = {"v": RECORD_FORMAT, "files": {name: asdict(each) for name, each in records.items()}}
    write_atomically(path, json.dumps(stored, indent=2).encode())


def _parsed_record(entry: Mapping[str, Any]) -> InstallRecord:
    return InstallRecord(
        before=entry["before"],
        written=entry["written"],
        made=tuple(entry["made"]),
        backup=entry["backup"],
        places=entry.get("places"),
    )


def _text_without_ours(file: ClientFile, record: InstallRecord | None) -> str | None:
    """Return the text from before us, or the current one without our entries."""
    if file.text is None:
        return None
    if record and _digest(file.text) == record.written:
        return record.before
    settings = file.json_value
    if not isinstance(settings, dict):
        return file.text
    before = parsed_json(record.before or "") if record else {}
    left = settings_without_hooks(settings, before)
    # Where neither a record nor a hook says that we were here, the permission is somebody's own.
    if record or has_our_hooks(settings):
        left = settings_without_permission(left, before)
    if left == settings:
        return file.text
    if not left and record and record.before is None:
        return None
    return dumped_like(left, file.text)


def _saved_copy(home: Path, file: ClientFile) -> str | None:
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


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

"""Put our hooks into a file of the client's settings, with the permission to call our tools.

And take both out again. What is to be done is worked out first and shown as a difference; it
is then done as shown, or not at all. A file that is still as we left it goes back to what it
was, byte for byte.
"""

import dataclasses
import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ai_smartness.entrypoints.cli import client_record, client_settings
from ai_smartness.entrypoints.cli.client_record import Installed, digest
from ai_smartness.entrypoints.cli.client_settings import SettingsFile
from ai_smartness.entrypoints.installing import permission
from ai_smartness.entrypoints.installing.entries import Groups
from ai_smartness.entrypoints.installing.json_text import edited
from ai_smartness.entrypoints.installing.json_text import read as read_json
from ai_smartness.entrypoints.installing.plan import (
    Step,
    are_in,
    has_ours,
    refuse_odd,
    steps_in,
    steps_out,
)
from ai_smartness.model.errors import RefusedError

__all__ = ["Edit", "connect", "connecting", "disconnect", "disconnecting", "forget"]

BACKUPS = "backups"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one file: what it says now, what it said without us, what it will say.

    None stands for no file.
    """

    file: SettingsFile
    before: str | None
    after: str | None

    @property
    def diff(self) -> Iterator[str]:
        """The difference, line by line."""
        name = str(self.file.path)
        old, new = (
            [line.rstrip("\r") for line in (text or "").split("\n")]
            for text in (self.file.text, self.after)
        )
        return difflib.unified_diff(old, new, f"{name} (now)", f"{name} (then)", lineterm="")


def connecting(file: SettingsFile, installed: Installed | None, ours: Groups) -> Edit | None:
    """Work out the change that puts our hooks in; nothing if they are in."""
    value = file.value
    try:
        refuse_odd(value, ours)
        permission.refuse_odd(value if isinstance(value, dict) else {})
    except RefusedError as odd:
        raise file.refusal(str(odd)) from odd
    if isinstance(value, dict) and are_in(value, ours) and permission.is_in(value):
        return None
    client_settings.refuse_read_only(file)
    before = _without_ours(file, installed)
    said = read_json(before or "")
    steps = [*steps_in(said, ours), *permission.steps_in(said)]
    return Edit(file, before, edited(before or "", steps))


def disconnecting(file: SettingsFile, installed: Installed | None) -> Edit | None:
    """Work out the change that takes our hooks out; nothing if none is in."""
    before = _without_ours(file, installed)
    if before == file.text:
        return None
    client_settings.refuse_read_only(file)
    return Edit(file, before, before)


def connect(home: Path, edit: Edit) -> Path | None:
    """Make the change, remember what it was before, and return the copy that was kept of it."""
    key = str(edit.file.path)
    backup = _backed_up(home, edit.file)
    with client_record.changing(home) as installed:
        made = installed[key].made if key in installed else ()
        entry = Installed(edit.before, digest(edit.after or ""), made, backup)
        # Remembered first: if we are stopped between the two, no hook of ours is unaccounted for.
        client_record.save(home, {**installed, key: entry})
        folders = client_settings.replace(edit.file, edit.after or "")
        installed[key] = dataclasses.replace(entry, made=(*made, *map(str, folders)))
    return Path(backup) if backup else None


def disconnect(home: Path, edit: Edit) -> None:
    """Make the change, and forget about the file."""
    key = str(edit.file.path)
    with client_record.changing(home) as installed:
        made = [Path(each) for each in installed[key].made] if key in installed else []
        if edit.after is None:
            client_settings.delete(edit.file, made)
        else:
            client_settings.replace(edit.file, edit.after)
        installed.pop(key, None)


def forget(home: Path, paths: Iterable[Path]) -> None:
    """Strike files off the record that hold nothing of ours any more."""
    with client_record.changing(home) as installed:
        for path in paths:
            installed.pop(str(path), None)


def _without_ours(file: SettingsFile, installed: Installed | None) -> str | None:
    """Return what the file said before us, or says beside us if it was changed since."""
    if file.text is None:
        return None
    if installed and digest(file.text) == installed.written:
        return installed.before
    value = file.value
    before = read_json(installed.before or "") if installed else {}
    steps = _steps_out(value, before, known=bool(installed)) if isinstance(value, dict) else []
    text = edited(file.text, steps) if steps else file.text
    nothing_left = steps and installed and installed.before is None and read_json(text) == {}
    return None if nothing_left else text


def _steps_out(value: Mapping[str, Any], before: Mapping[str, Any], *, known: bool) -> list[Step]:
    # Where neither a record nor a hook says that we were here, the permission is somebody's own.
    ours = known or has_ours(value)
    return [*steps_out(value, before), *(permission.steps_out(value, before) if ours else [])]


def _backed_up(home: Path, file: SettingsFile) -> str | None:
    if file.text is None:
        return None
    folder = home / BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    copy = folder / f"{moment}-{file.path.name}"
    handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out_file:
        out_file.write(file.text.encode())
    return str(copy)

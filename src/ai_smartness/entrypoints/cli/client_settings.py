"""A client's file of settings: read as it is, replaced in one step or not at all.

It may be linked to from elsewhere and keeps its mode; one that is not to be written to, or that
somebody else changes meanwhile, is refused.
"""

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ai_smartness.entrypoints.installing.json_text import read as read_json
from ai_smartness.model.errors import RefusedError, StoreError

__all__ = ["SettingsFile", "delete", "leave", "read", "refuse_read_only", "replace"]

NEW_FILE_MODE = 0o600
NEW_FOLDER_MODE = 0o700


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of settings and what it said when it was read; None if there was none."""

    path: Path
    target: Path
    text: str | None

    @property
    def value(self) -> object:
        """What it says; refuse what is not JSON."""
        try:
            return read_json(self.text or "")
        except RefusedError as wrong:
            raise self.refusal(str(wrong)) from wrong

    def refusal(self, why: str) -> RefusedError:
        """Say why it is left as it is."""
        return RefusedError(
            f"cannot change {self.path}: {why}. Mend it by hand, then run this again."
        )


def read(path: Path, within: Path | None = None) -> SettingsFile:
    """Read the file; one that has to be within a folder is not followed out of it by a link."""
    try:
        target = path.resolve()
        if within is not None and not target.is_relative_to(within.resolve()):
            msg = (
                f"cannot change {path}: it is a link to {target}, outside the project. "
                "Replace the link by a file, or use `ais init --user`."
            )
            raise RefusedError(msg)
        return SettingsFile(path, target, _text(path, target))
    except (OSError, RuntimeError) as barred:
        msg = f"cannot read {path}: {_why(barred)}. Nothing has changed."
        raise StoreError(msg) from barred


def replace(file: SettingsFile, text: str) -> list[Path]:
    """Put a new text in place of the one that was read; return the folders made for it."""
    _refuse_changed(file)
    refuse_read_only(file)
    try:
        made = _folders_made(file.target.parent)
        _put(file.target, text.encode())
    except OSError as refused:
        msg = f"cannot write {file.path}: {_why(refused)}. It is as it was."
        raise StoreError(msg) from refused
    return made


def delete(file: SettingsFile, made: list[Path]) -> None:
    """Delete the file, and the folders made for it if nothing else is in them."""
    _refuse_changed(file)
    try:
        file.target.unlink(missing_ok=True)
        leave(made)
    except OSError as refused:
        msg = f"cannot delete {file.path}: {_why(refused)}. It is as it was."
        raise StoreError(msg) from refused


def leave(made: list[Path]) -> None:
    """Delete folders that were made for a file, if nothing else is in them."""
    with suppress(OSError):
        for folder in reversed(made):
            folder.rmdir()


def refuse_read_only(file: SettingsFile) -> None:
    """Refuse a file that is not to be written to.

    Replacing it would work, but whoever made it so did not want that.
    """
    if file.text is None:
        return
    if not file.target.stat().st_mode & stat.S_IWUSR or not os.access(file.target, os.W_OK):
        msg = f"cannot change {file.path}: it is read-only. Run `chmod u+w {file.path}` first."
        raise RefusedError(msg)


def _text(path: Path, target: Path) -> str | None:
    try:
        return target.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as wrong:
        msg = f"cannot change {path}: it is not UTF-8 ({wrong.reason}). Mend it by hand."
        raise RefusedError(msg) from wrong


def _refuse_changed(file: SettingsFile) -> None:
    if _text(file.path, file.target) != file.text:
        msg = f"{file.path} was changed by somebody else meanwhile. Run this again."
        raise RefusedError(msg)


def _folders_made(folder: Path) -> list[Path]:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=NEW_FOLDER_MODE)
    return missing[::-1]


def _put(target: Path, contents: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
            file.flush()
            _as_before(target, handle)
            os.fsync(handle)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _as_before(target: Path, handle: int) -> None:
    """Give the new file the mode and the owner of the old one."""
    try:
        old = target.stat()
    except FileNotFoundError:
        os.fchmod(handle, NEW_FILE_MODE)
        return
    with suppress(PermissionError):
        os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)

"""The files of a client: read one, replace it in one step, and record our change.

A file may be a link and keeps its mode. A file that is read-only, or that somebody else changes
meanwhile, is refused. Changed JSON is written in the layout of the text that it replaces. The
records stand in the memory's home.
"""

import fcntl
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from ai_smartness.clients.hook_event import CLAUDE_CODE
from ai_smartness.model.errors import RefusedError, StoreError

__all__ = [
    "ClientFile",
    "InstallRecord",
    "config_folder",
    "delete_file",
    "dumped_like",
    "load_records",
    "locked_records",
    "parsed_json",
    "project_settings_path",
    "read_file",
    "refuse_read_only",
    "remove_empty_folders",
    "replace_file",
    "save_records",
    "shared_settings_path",
    "user_settings_path",
]

RECORD_FILE = "installed.json"
RECORD_FORMAT = 1

NEW_FILE_MODE = 0o600
NEW_FOLDER_MODE = 0o700

BOM = "\ufeff"
BLANKS = " \t\r\n"
INDENT = re.compile(r"[\[{]\r?\n([ \t]+)")
ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u")
"""A text with escapes is written with escapes again: half of a surrogate pair needs one."""
DEFAULT_INDENT = "  "  # the client itself writes its settings like that


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file and its text when it was read; None if there was no file."""

    path: Path
    target: Path
    text: str | None

    @property
    def json_value(self) -> Any:  # noqa: ANN401 - any JSON
        """The parsed text; refuse a file that is not JSON."""
        try:
            return parsed_json(self.text or "")
        except RefusedError as error:
            raise self.refusal_error(str(error)) from error

    def refusal_error(self, reason: str) -> RefusedError:
        """Return the error that says why the file is left alone."""
        return RefusedError(
            f"cannot change {self.path}: {reason}. Fix it by hand, then run this again."
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
    client: str = CLAUDE_CODE


def project_settings_path(root: Path) -> Path:
    """Name the project's settings that are never committed: our hooks name folders of yours."""
    return root / ".claude" / "settings.local.json"


def shared_settings_path(root: Path) -> Path:
    """Name the project's settings that are committed, which we read and never write."""
    return root / ".claude" / "settings.json"


def user_settings_path(environ: Mapping[str, str]) -> Path:
    """Name the user's settings for all projects."""
    return config_folder(environ) / "settings.json"


def config_folder(environ: Mapping[str, str]) -> Path:
    """Name the client's configuration folder."""
    folder = environ.get("CLAUDE_CONFIG_DIR")
    try:
        return (Path(folder) if folder else Path("~/.claude")).expanduser().absolute()
    except RuntimeError as error:
        msg = "cannot find ~/.claude: you have no home folder here. Set CLAUDE_CONFIG_DIR."
        raise RefusedError(msg) from error


def parsed_json(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Parse a JSON text; an empty one counts as an empty object."""
    body = text.removeprefix(BOM)
    if not body.strip():
        return {}
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except RecursionError as error:
        msg = "it is nested too deep"
        raise RefusedError(msg) from error
    except ValueError as error:
        msg = f"it is not JSON: {error}"
        raise RefusedError(msg) from error


def dumped_like(value: object, text: str) -> str:
    """Write a value as JSON in the layout of a text: indentation, line ends, blanks at the end."""
    body = text.removeprefix(BOM).strip(BLANKS)
    end = text[len(text.rstrip(BLANKS)) :] if body else "\n"
    is_ascii = ESCAPE.search(body) is not None
    indent: str | None = DEFAULT_INDENT
    separators = None
    if "\n" in body:
        indented = INDENT.search(body)
        indent = indented[1] if indented else DEFAULT_INDENT
    elif parsed_json(body):
        tight = json.dumps(parsed_json(body), separators=(",", ":"), ensure_ascii=is_ascii)
        indent, separators = None, (",", ":") if body == tight else None
    written = json.dumps(value, indent=indent, separators=separators, ensure_ascii=is_ascii)
    if "\r\n" in text:
        written = written.replace("\n", "\r\n")
    return (BOM if text.startswith(BOM) else "") + written + end


def read_file(path: Path, within: Path | None = None) -> ClientFile:
    """Read a file; with a folder to stay within, refuse a link that leads out of it."""
    try:
        target = path.resolve()
        if within is not None and not target.is_relative_to(within.resolve()):
            msg = (
                f"cannot change {path}: it is a link to {target}, outside the project. "
                "Replace the link by a file, or use `ais init --user`."
            )
            raise RefusedError(msg)
        return ClientFile(path, target, _file_text(path, target))
    except (OSError, RuntimeError) as error:
        msg = f"cannot read {path}: {_reason(error)}. Nothing has changed."
        raise StoreError(msg) from error


def replace_file(file: ClientFile, text: str) -> list[Path]:
    """Replace the text that was read by a new one; return the folders created for the file."""
    _refuse_changed(file)
    refuse_read_only(file)
    try:
        created = _create_folders(file.target.parent)
        _write_atomically(file.target, text.encode())
    except OSError as error:
        msg = f"cannot write {file.path}: {_reason(error)}. It is unchanged."
        raise StoreError(msg) from error
    return created


def delete_file(file: ClientFile, folders: Iterable[Path] = ()) -> None:
    """Delete the file, and those of the folders that are then empty."""
    _refuse_changed(file)
    try:
        file.target.unlink(missing_ok=True)
    except OSError as error:
        msg = f"cannot delete {file.path}: {_reason(error)}. It is unchanged."
        raise StoreError(msg) from error
    remove_empty_folders(folders)


def remove_empty_folders(folders: Iterable[Path]) -> None:
    """Remove folders, the innermost first, as long as they are empty."""
    with suppress(OSError):
        for folder in reversed([*folders]):
            folder.rmdir()


def refuse_read_only(file: ClientFile) -> None:
    """Refuse a read-only file.

    Replacing it would work, but whoever made it read-only did not want that.
    """
    if file.text is None:
        return
    if not file.target.stat().st_mode & stat.S_IWUSR or not os.access(file.target, os.W_OK):
        msg = f"cannot change {file.path}: it is read-only. Run `chmod u+w {file.path}` first."
        raise RefusedError(msg)


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
    _write_atomically(path, json.dumps(stored, indent=2).encode())


def _parsed_record(entry: Mapping[str, Any]) -> InstallRecord:
    return InstallRecord(
        before=entry["before"],
        written=entry["written"],
        made=tuple(entry["made"]),
        backup=entry["backup"],
        places=entry.get("places"),
        client=entry.get("client", CLAUDE_CODE),
    )


def _write_atomically(target: Path, content: bytes) -> None:
    """Write a file that takes its name when all of it is there, with the mode of the old one."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            _copy_mode(target, handle)
            os.fsync(handle)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _file_text(path: Path, target: Path) -> str | None:
    try:
        return target.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        msg = f"cannot change {path}: it is not UTF-8 ({error.reason}). Fix it by hand."
        raise RefusedError(msg) from error


def _refuse_changed(file: ClientFile) -> None:
    if _file_text(file.path, file.target) != file.text:
        msg = f"{file.path} was changed by somebody else meanwhile. Run this again."
        raise RefusedError(msg)


def _create_folders(folder: Path) -> list[Path]:
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()][::-1]
    for parent in missing:
        parent.mkdir(mode=NEW_FOLDER_MODE)
    return missing


def _copy_mode(target: Path, handle: int) -> None:
    """Give the new file the mode and the owner of the old one."""
    try:
        old = target.stat()
    except FileNotFoundError:
        os.fchmod(handle, NEW_FILE_MODE)
        return
    with suppress(PermissionError):
        os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _refuse_constant(constant: str) -> NoReturn:
    msg = f"{constant} is no number"
    raise ValueError(msg)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)

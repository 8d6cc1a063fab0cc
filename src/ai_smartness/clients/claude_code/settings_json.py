"""A client's file of settings: read as it is, replaced in one step or not at all.

It may be linked to from elsewhere and keeps its mode; one that is not to be written to, or that
somebody else changes meanwhile, is refused.

What was put into which file of settings, so that it can be taken out without a trace.

Kept in the memory's home, for its owner alone: settings can hold secrets.

Change a JSON text step by step, and nothing else in it.

Indentation, line ends, spacing and the order of the rest stay. What was added in a place of
its own and is removed again leaves the text as it was, byte for byte.
"""

import fcntl
import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn, assert_never

from ai_smartness.clients.claude_code.hooks import (
    Append,
    JsonPath,
    Put,
    Remove,
    Step,
    applied_steps,
)
from ai_smartness.model.errors import RefusedError, StoreError

__all__ = [
    "ClientSettingsFile",
    "InstallRecord",
    "delete_settings_file",
    "edited_json",
    "load_records",
    "locked_records",
    "parsed_json",
    "read_settings_file",
    "refuse_read_only",
    "remove_empty_folders",
    "replace_settings_file",
    "save_records",
    "text_digest",
]


NEW_FILE_MODE = 0o600
NEW_FOLDER_MODE = 0o700


@dataclass(frozen=True, slots=True)
class ClientSettingsFile:
    """A file of settings and what it said when it was read; None if there was none."""

    path: Path
    target: Path
    text: str | None

    @property
    def json_value(self) -> object:
        """What it says; refuse what is not JSON."""
        try:
            return parsed_json(self.text or "")
        except RefusedError as wrong:
            raise self.refusal_error(str(wrong)) from wrong

    def refusal_error(self, why: str) -> RefusedError:
        """Say why it is left as it is."""
        return RefusedError(
            f"cannot change {self.path}: {why}. Mend it by hand, then run this again.",
        )


def read_settings_file(path: Path, within: Path | None = None) -> ClientSettingsFile:
    """Read the file; one that has to be within a folder is not followed out of it by a link."""
    try:
        target = path.resolve()
        if within is not None and not target.is_relative_to(within.resolve()):
            msg = (
                f"cannot change {path}: it is a link to {target}, outside the project. "
                "Replace the link by a file, or use `ais init --user`."
            )
            raise RefusedError(msg)
        return ClientSettingsFile(path, target, _file_text(path, target))
    except (OSError, RuntimeError) as barred:
        msg = f"cannot read {path}: {_error_text(barred)}. Nothing has changed."
        raise StoreError(msg) from barred


def replace_settings_file(file: ClientSettingsFile, text: str) -> list[Path]:
    """Put a new text in place of the one that was read; return the folders made for it."""
    _refuse_changed(file)
    refuse_read_only(file)
    try:
        made = _created_folders(file.target.parent)
        _write_atomically(file.target, text.encode())
    except OSError as refused:
        msg = f"cannot write {file.path}: {_error_text(refused)}. It is as it was."
        raise StoreError(msg) from refused
    return made


def delete_settings_file(file: ClientSettingsFile, made: list[Path]) -> None:
    """Delete the file, and the folders made for it if nothing else is in them."""
    _refuse_changed(file)
    try:
        file.target.unlink(missing_ok=True)
        remove_empty_folders(made)
    except OSError as refused:
        msg = f"cannot delete {file.path}: {_error_text(refused)}. It is as it was."
        raise StoreError(msg) from refused


def remove_empty_folders(made: list[Path]) -> None:
    """Delete folders that were made for a file, if nothing else is in them."""
    with suppress(OSError):
        for folder in reversed(made):
            folder.rmdir()


def refuse_read_only(file: ClientSettingsFile) -> None:
    """Refuse a file that is not to be written to.

    Replacing it would work, but whoever made it so did not want that.
    """
    if file.text is None:
        return
    if not file.target.stat().st_mode & stat.S_IWUSR or not os.access(file.target, os.W_OK):
        msg = f"cannot change {file.path}: it is read-only. Run `chmod u+w {file.path}` first."
        raise RefusedError(msg)


def _file_text(path: Path, target: Path) -> str | None:
    try:
        return target.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as wrong:
        msg = f"cannot change {path}: it is not UTF-8 ({wrong.reason}). Mend it by hand."
        raise RefusedError(msg) from wrong


def _refuse_changed(file: ClientSettingsFile) -> None:
    if _file_text(file.path, file.target) != file.text:
        msg = f"{file.path} was changed by somebody else meanwhile. Run this again."
        raise RefusedError(msg)


def _created_folders(folder: Path) -> list[Path]:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=NEW_FOLDER_MODE)
    return missing[::-1]


def _write_atomically(target: Path, contents: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
            file.flush()
            _copy_mode(target, handle)
            os.fsync(handle)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


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


def _error_text(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


RECORD_FILE = "installed.json"
RECORD_FORMAT = 1


@dataclass(frozen=True, slots=True)
class InstallRecord:
    """A file of settings: what it said before us (None: there was none), and what we wrote.

    Of the file of servers it is only known where our server is registered, and how much was
    made for it: `places`, of which a file of settings has none.
    """

    before: str | None
    written: str
    made: tuple[str, ...] = ()
    backup: str | None = None
    places: Mapping[str, int] | None = None


def text_digest(text: str) -> str:
    """Return the checksum by which a text of ours is known again."""
    return hashlib.sha256(text.encode()).hexdigest()


def load_records(home: Path) -> dict[str, InstallRecord]:
    """Read what was installed, by the path of the settings."""
    try:
        said = json.loads((home / RECORD_FILE).read_text(encoding="utf-8"))
        return {path: _parsed_record(entry) for path, entry in said["files"].items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        msg = (
            f"{home / RECORD_FILE} cannot be read ({wrong}). Move it away: our hooks are then found by "
            "their names, and the rest of each file is left as it is."
        )
        raise StoreError(msg) from wrong


@contextmanager
def locked_records(home: Path) -> Iterator[dict[str, InstallRecord]]:
    """Read what is installed and save what was made of it, while nobody else does the same."""
    if not home.is_dir():
        yield {}
        return
    handle = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        installed = load_records(home)
        before = dict(installed)
        yield installed
        if installed != before:
            save_records(home, installed)
    finally:
        os.close(handle)


def save_records(home: Path, installed: Mapping[str, InstallRecord]) -> None:
    """Write what is installed; where nothing is, no file is left."""
    path = home / RECORD_FILE
    if not installed:
        path.unlink(missing_ok=True)
        return
    said = {"v": RECORD_FORMAT, "files": {name: asdict(each) for name, each in installed.items()}}
    handle, name = tempfile.mkstemp(dir=home, prefix=f".{RECORD_FILE}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(said, file, indent=2)
            file.flush()
            os.fsync(handle)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _parsed_record(entry: Mapping[str, Any]) -> InstallRecord:
    return InstallRecord(
        before=entry["before"],
        written=entry["written"],
        made=tuple(entry["made"]),
        backup=entry["backup"],
        places=entry.get("places"),
    )


BOM = "\ufeff"
SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
SCALAR = re.compile(r"[^\s,\]}]+")
INDENT = re.compile(r"[\[{]\r?\n([ \t]+)")
DEFAULT_INDENT = "  "
"""As the client itself writes its settings."""


@dataclass(slots=True)
class JsonNode:
    """A value in the text: where it stands, and what it holds."""

    start: int
    end: int = 0
    names: list[str] = field(default_factory=list)
    children: list["JsonNode"] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Where each child begins: at its name, if it has one."""

    def child_index(self, step: str | int) -> int:
        """Return which child is meant; of two with one name the later, as for whoever reads it."""
        if isinstance(step, int):
            return step
        return len(self.names) - 1 - self.names[::-1].index(step)


def parsed_json(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Return what the text says; an empty one says nothing, as an empty object does."""
    body = text.removeprefix(BOM)
    if not body.strip():
        return {}
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except RecursionError as deep:
        msg = "it is nested too deep"
        raise RefusedError(msg) from deep
    except ValueError as wrong:
        msg = f"it is not JSON: {wrong}"
        raise RefusedError(msg) from wrong


def edited_json(text: str, steps: Sequence[Step]) -> str:
    """Return the text after the steps."""
    wanted = applied_steps(parsed_json(text), steps)
    changed = text if text.removeprefix(BOM).strip() else "{}\n"
    style = _detected_style(changed)
    for step in steps:
        changed = _edited_step(changed, step, style)
    # Two members of one name can make a step miss: see that the new text says what was meant.
    if parsed_json(changed) != wanted:
        return style.dumped_value(wanted, ascii_only=True) + style.line_end
    return changed


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """How a text is laid out; without an indentation all of it is on one line."""

    indent: str
    line_end: str

    def dumped_value(self, value: object, outer: str = "", *, ascii_only: bool = False) -> str:
        """Write a value that begins on a line of this indentation."""
        text = json.dumps(value, indent=self.indent or None, ensure_ascii=ascii_only)
        return text.replace("\n", self.line_end + outer)


def _detected_style(text: str) -> JsonStyle:
    line_end = "\r\n" if "\r\n" in text else "\n"
    body = text.removeprefix(BOM).strip()
    if "\n" not in body and body != "{}":
        return JsonStyle("", line_end)
    indented = INDENT.search(text)
    return JsonStyle(indented[1] if indented else DEFAULT_INDENT, line_end)


def _edited_step(text: str, step: Step, style: JsonStyle) -> str:
    match step:
        case Remove(path):
            return _text_without(text, _node_at(text, path[:-1]), path[-1])
        case Put(path, name, value):
            return _text_with(text, _node_at(text, path), (f"{json.dumps(name)}: ", value), style)
        case Append(path, value):
            return _text_with(text, _node_at(text, path), ("", value), style)
        case _:
            assert_never(step)


def _text_with(text: str, node: JsonNode, added: tuple[str, object], style: JsonStyle) -> str:
    name, value = added
    if not style.indent:
        glue = ", " if node.children else ""
        place = node.children[-1].end if node.children else node.start + 1
        return f"{text[:place]}{glue}{name}{style.dumped_value(value)}{text[place:]}"
    if node.children:
        indent = _indent_of(text, node.starts[-1])
        place = node.children[-1].end
        new = f",{style.line_end}{indent}{name}{style.dumped_value(value, indent)}"
        return f"{text[:place]}{new}{text[place:]}"
    outer = _indent_of(text, node.start)
    indent = outer + style.indent
    new = (
        f"{style.line_end}{indent}{name}{style.dumped_value(value, indent)}{style.line_end}{outer}"
    )
    # Behind it stays whatever blanks were between the brackets: they are there when it has gone.
    return f"{text[: node.start + 1]}{new}{text[node.start + 1 :]}"


def _text_without(text: str, node: JsonNode, step: str | int) -> str:
    at = node.child_index(step)
    if len(node.children) == 1:
        return text[: node.start + 1] + _blanks_left(text, node) + text[node.end - 1 :]
    if at == 0:
        return text[: node.starts[0]] + text[node.starts[1] :]
    return text[: node.children[at - 1].end] + text[node.children[at].end :]


def _blanks_left(text: str, node: JsonNode) -> str:
    """Return what is between the brackets without the only child and the lines it stood on."""
    before = text[node.start + 1 : node.starts[0]]
    after = text[node.children[0].end : node.end - 1]
    if "\n" not in before:
        return after
    closing = re.match(r"\r?\n" + re.escape(_indent_of(text, node.start)), after)
    return after[closing.end() :] if closing else ""


def _indent_of(text: str, place: int) -> str:
    """Return the white space that the line of this place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _node_at(text: str, path: JsonPath) -> JsonNode:
    node = _scanned_node(text, _match_end(SPACE, text, len(BOM) if text.startswith(BOM) else 0))
    for step in path:
        node = node.children[node.child_index(step)]
    return node


def _scanned_node(text: str, start: int) -> JsonNode:
    """Scan the value that starts here, of a text that is known to be JSON."""
    if text[start] == '"':
        return JsonNode(start, _match_end(STRING, text, start))
    if text[start] not in "{[":
        return JsonNode(start, _match_end(SCALAR, text, start))
    node = JsonNode(start)
    place = _match_end(SPACE, text, start + 1)
    while text[place] not in "}]":
        place = _match_end(SPACE, text, place + 1) if text[place] == "," else place
        node.starts.append(place)
        if text[start] == "{":
            end = _match_end(STRING, text, place)
            node.names.append(json.loads(text[place:end]))
            place = _match_end(SPACE, text, _match_end(SPACE, text, end) + 1)
        node.children.append(_scanned_node(text, place))
        place = _match_end(SPACE, text, node.children[-1].end)
    node.end = place + 1
    return node


def _match_end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _refuse_constant(constant: str) -> NoReturn:
    msg = f"{constant} is no number"
    raise ValueError(msg)

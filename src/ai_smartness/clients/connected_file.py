"""Connect a client through its own files: add our entries to each file, and remove them again.

A plan is worked out first and shown as a diff; then it is carried out as shown, or not at all. A
file that is still as we left it is restored byte for byte; from any other file only our entries
are removed.
"""

import difflib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from ai_smartness.clients.client import InstallTarget, PlannedFile
from ai_smartness.clients.client_files import (
    ClientFile,
    InstallRecord,
    delete_file,
    load_records,
    locked_records,
    read_file,
    refuse_read_only,
    replace_file,
    save_records,
)
from ai_smartness.model.errors import AisError, RefusedError

__all__ = [
    "ConnectedFile",
    "FileConnectPlan",
    "FileDisconnectPlan",
    "FileEdit",
    "OwnEntries",
    "connect_file",
    "connecting_edit",
    "disconnect_file",
    "disconnecting_edit",
    "drop_records",
    "note_text_as_ours",
    "plan_connect",
    "plan_disconnect",
    "removal_line",
]

BACKUP_FOLDER = "backups"
FILE_DELETED_NOTE = " and the file deleted, which we had created"


class OwnEntries(Protocol):
    """Our entries in one kind of file, as functions of its text."""

    def text_with_ours(self, text: str) -> str:
        """Return the text with our entries, in place of older ones of ours.

        Refuse a text of an unexpected shape, which we could only break further.
        """
        ...

    def text_without_ours(self, text: str, before: str | None) -> str:
        """Return the text without our entries; empty if the file is then not needed.

        `before` is the text from before us, empty if there was no file, None if nobody knows.
        """
        ...


@dataclass(frozen=True, slots=True)
class ConnectedFile:
    """A file of the client that holds entries of ours: `hooks` or `tools`."""

    label: str
    path: Path
    entries: OwnEntries


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A change of one file: its text without us, and its new text (None: no file)."""

    file: ClientFile
    before: str | None
    after: str | None
    label: str = "hooks"
    client: str = ""

    @property
    def diff_lines(self) -> Iterator[str]:
        """The difference, line by line."""
        name = str(self.file.path)
        old, new = (
            [line.rstrip("\r") for line in (text or "").split("\n")]
            for text in (self.file.text, self.after)
        )
        return difflib.unified_diff(old, new, f"{name} (now)", f"{name} (then)", lineterm="")


@dataclass(frozen=True, slots=True)
class FileConnectPlan:
    """Our entries go into every file of a client that does not have them yet.

    `finish` takes the steps that come after the files, such as asking the program to trust us.
    """

    home: Path
    title: str
    start_command: str
    connected: Sequence[ConnectedFile]
    edits: Sequence[FileEdit]
    note: str = ""
    refusals: Sequence[str] = ()
    finish: Callable[[], Iterator[tuple[str, str]]] | None = None
    committable = ""

    def exclude_from_git(self) -> None:
        """Leave git alone: the files are the user's own, outside any project."""

    @property
    def files(self) -> list[PlannedFile]:
        """The files that hold our entries, or will."""
        changed = {edit.file.path for edit in self.edits}
        return [PlannedFile(file.label, file.path, file.path in changed) for file in self.connected]

    def diff_lines(self) -> Iterator[str]:
        """Yield the change as a diff."""
        for edit in self.edits:
            yield from edit.diff_lines

    def apply(self) -> Iterator[tuple[str, str]]:
        """Make the changes, and yield a label and a line for each."""
        changed = {edit.file.path: edit for edit in self.edits}
        for file in self.connected:
            edit = changed.get(file.path)
            backup = connect_file(self.home, edit) if edit else None
            yield file.label, f"{'in' if edit else 'already in'} {file.path}"
            if backup:
                yield "backup", str(backup)
        if self.finish is not None:
            yield from self.finish()
        if self.note:
            yield "note", self.note


@dataclass(frozen=True, slots=True)
class FileDisconnectPlan:
    """Our entries go from every file; `clean` files have none, and others cannot be changed."""

    home: Path
    title: str
    edits: list[FileEdit] = field(default_factory=list)
    clean: list[Path] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    committable = ""
    start_command = ""

    def exclude_from_git(self) -> None:
        """Leave git alone: nothing of ours stays."""

    @property
    def files(self) -> list[PlannedFile]:
        """The files with entries of ours."""
        return [PlannedFile(edit.label, edit.file.path, is_changed=True) for edit in self.edits]

    def diff_lines(self) -> Iterator[str]:
        """Yield the change as a diff."""
        for edit in self.edits:
            yield from edit.diff_lines

    def apply(self) -> Iterator[tuple[str, str]]:
        """Make the changes, and yield a label and a line for each."""
        drop_records(self.home, self.clean)
        for edit in self.edits:
            disconnect_file(self.home, edit)
            yield edit.label, removal_line(edit)


def plan_connect(
    target: InstallTarget, client: str, files: Sequence[ConnectedFile]
) -> list[FileEdit]:
    """Work out the changes that add our entries to a client's files."""
    edits = (connecting_edit(target.home, client, file) for file in files)
    return [edit for edit in edits if edit is not None]


def plan_disconnect(
    target: InstallTarget, title: str, files: Iterable[ConnectedFile]
) -> FileDisconnectPlan:
    """Work out the changes that remove our entries from a client's files.

    A file that cannot be changed does not block the others.
    """
    plan = FileDisconnectPlan(target.home, title)
    for connected in files:
        try:
            edit = disconnecting_edit(target.home, connected)
        except AisError as error:
            plan.refusals.append(str(error))
            continue
        if edit is None:
            plan.clean.append(connected.path)
        else:
            plan.edits.append(edit)
    return plan


def connecting_edit(
    home: Path, client: str, connected: ConnectedFile, within: Path | None = None
) -> FileEdit | None:
    """Work out the change that adds our entries to a file; None if they are there.

    With a folder to stay within, a link that leads out of it is refused.
    """
    file = read_file(connected.path, within)
    entries, record = connected.entries, load_records(home).get(str(connected.path))
    with _named_refusals(file):
        if file.text is not None and entries.text_with_ours(file.text) == file.text:
            return None
        before = _text_before(file, record, entries)
        after = entries.text_with_ours(before or "")
    refuse_read_only(file)
    return FileEdit(file, before, after, connected.label, client)


def disconnecting_edit(home: Path, connected: ConnectedFile) -> FileEdit | None:
    """Work out the change that removes our entries from a file; None if there are none."""
    file, record = read_file(connected.path), load_records(home).get(str(connected.path))
    with _named_refusals(file):
        before = _text_before(file, record, connected.entries)
    if before == file.text:
        return None
    refuse_read_only(file)
    return FileEdit(file, before, before, connected.label)


def connect_file(home: Path, edit: FileEdit) -> Path | None:
    """Make the change and record it; return the backup copy of the file."""
    key = str(edit.file.path)
    backup = _saved_copy(home, edit.file)
    with locked_records(home) as records:
        made = records[key].made if key in records else ()
        record = InstallRecord(
            edit.before, _digest(edit.after or ""), made, backup, client=edit.client
        )
        # Recorded first: if we are stopped between the two, no entry of ours is unaccounted for.
        save_records(home, {**records, key: record})
        folders = replace_file(edit.file, edit.after or "")
        records[key] = replace(record, made=(*made, *map(str, folders)))
    return Path(backup) if backup else None


def disconnect_file(home: Path, edit: FileEdit) -> None:
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


def note_text_as_ours(home: Path, path: Path) -> None:
    """Record a file's present text as written by us: its client changed it on our behalf."""
    file = read_file(path)
    with locked_records(home) as records:
        record = records.get(str(path))
        if record is not None and file.text is not None:
            records[str(path)] = replace(record, written=_digest(file.text))


def removal_line(edit: FileEdit) -> str:
    """Say from which file our entries were removed."""
    deleted = FILE_DELETED_NOTE if edit.after is None else ""
    return f"removed from {edit.file.path}{deleted}"


@contextmanager
def _named_refusals(file: ClientFile) -> Iterator[None]:
    """Let a refusal of our entries name the file."""
    try:
        yield
    except RefusedError as error:
        raise file.refusal_error(str(error)) from error


def _text_before(file: ClientFile, record: InstallRecord | None, entries: OwnEntries) -> str | None:
    """Return the text from before us, or the current one without our entries."""
    if file.text is None:
        return None
    if record and _digest(file.text) == record.written:
        return record.before
    text = entries.text_without_ours(file.text, (record.before or "") if record else None)
    is_unneeded = not text.strip() and text != file.text
    return None if is_unneeded and (record is None or record.before is None) else text


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

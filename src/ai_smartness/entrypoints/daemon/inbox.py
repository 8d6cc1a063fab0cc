"""The inbox: records that hooks have captured and the daemon has not stored yet.

Hooks append to one file of JSON lines; the daemon takes that file away whole. A record is on disk
when `append_record` returns, and nothing in the inbox is ever lost. Records of a project that
cannot be used wait in a file of their own. Standard library only: a hook imports this at every
event.
"""

import fcntl
import os
import time

from ai_smartness.clients.fast_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "append_record",
    "count_lost_event",
    "count_records",
    "file_records",
    "has_records",
    "has_waiting_file",
    "keep_waiting",
    "lost_events",
    "peek_records",
    "remove_file",
    "taken_files",
    "waiting_files",
]

OPEN_FILE = "events.jsonl"
TAKEN_PREFIX = "taken-"

LOST_FILE = "lost-events"
TOLD_SECONDS = 3_600.0
WAITING_PREFIX = "waiting-"


def append_record(folder: str, record: "dict[str, object]") -> None:
    """Append a record, durably."""
    # A writer that was killed may have left half a line: ours starts on a new one.
    line = b"\n" + dumps(record).encode() + b"\n"
    while not _append_line(f"{folder}/{OPEN_FILE}", line):
        pass


def _append_line(path: str, line: bytes) -> bool:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not _is_same_file(path, handle):
            # The daemon took it away between our opening and our turn.
            return False
        _write_whole(handle, line)
        os.fsync(handle)
    finally:
        os.close(handle)
    return True


def _write_whole(handle: int, line: bytes) -> None:
    """Write a line, or on a full disk nothing of it."""
    size = os.fstat(handle).st_size
    try:
        while line:
            line = line[os.write(handle, line) :]
    except OSError:
        os.ftruncate(handle, size)
        raise


def count_lost_event(folder: str, *, can_tell: bool) -> bool:
    """Count an event that could not be kept; say whether the person is to be told now.

    The count is the length of a file without content, for which a full disk has room. They are
    told once, and again if an hour without such an event has passed.
    """
    handle = os.open(f"{folder}/{LOST_FILE}", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        before = os.fstat(handle)
        os.ftruncate(handle, before.st_size + 1)
        is_news = not before.st_size or time.time() - before.st_mtime > TOLD_SECONDS
        if is_news and not can_tell:
            os.utime(handle, (0, 0))
    finally:
        os.close(handle)
    return is_news and can_tell


def lost_events(folder: str) -> "tuple[int, float]":
    """Return how many events could not be kept, and when the person was last told or could be."""
    try:
        status = os.stat(f"{folder}/{LOST_FILE}")
    except OSError:
        return 0, 0.0
    return status.st_size, status.st_mtime


def _is_same_file(path: str, handle: int) -> bool:
    try:
        present, opened = os.stat(path), os.fstat(handle)
    except FileNotFoundError:
        return False
    return (present.st_dev, present.st_ino) == (opened.st_dev, opened.st_ino)


def taken_files(folder: str) -> "Iterator[tuple[str, list[dict[str, object]], list[bytes]]]":
    """Take the open file; yield each taken one's name, records and broken lines, oldest first.

    A file stays on disk until `remove_file` is called with its name.
    """
    _take_open_file(folder)
    for name in _taken_names(folder):
        lines = [(line, _parsed_line(line)) for line in _file_lines(f"{folder}/{name}")]
        records = [record for _, record in lines if record is not None]
        yield name, records, [line for line, record in lines if record is None]


def remove_file(folder: str, name: str) -> None:
    """Remove a taken file, whose records are all in the store."""
    os.unlink(f"{folder}/{name}")


def waiting_files(folder: str) -> "list[tuple[str, str]]":
    """Return the name of each file of a project that waits, and a folder of that project."""
    files = list[tuple[str, str]]()
    for name in _waiting_names(folder):
        with open(f"{folder}/{name}", "rb") as file:
            lines = (line for line in file if line.strip())
            record = _parsed_line(next(lines, b"")) or {}
        files.append((name, str(record.get("cwd") or "")))
    return files


def file_records(folder: str, name: str) -> "list[dict[str, object]]":
    """Return the records of one file."""
    records = map(_parsed_line, _file_lines(f"{folder}/{name}"))
    return [record for record in records if record is not None]


def has_waiting_file(folder: str, project_root: str) -> bool:
    """Say whether records of a project wait."""
    return os.path.exists(f"{folder}/{_waiting_name(project_root)}")


def keep_waiting(folder: str, project_root: str, records: "Iterable[dict[str, object]]") -> None:
    """Append records to the file of a project that cannot be used at present, durably."""
    lines = b"".join(b"\n" + dumps(record).encode() + b"\n" for record in records)
    while not _append_line(f"{folder}/{_waiting_name(project_root)}", lines):
        pass


def peek_records(folder: str) -> "list[dict[str, object]]":
    """Return the waiting records, oldest first, without taking them."""
    records = (_parsed_line(line) for line in _waiting_lines(folder))
    return [record for record in records if record is not None]


def count_records(folder: str) -> int:
    """Count the waiting records."""
    return len(_waiting_lines(folder))


def has_records(folder: str) -> bool:
    """Say whether any record can be stored; those of a project that waits do not count."""
    return bool(_taken_names(folder)) or os.path.exists(f"{folder}/{OPEN_FILE}")


def _waiting_lines(folder: str) -> "list[bytes]":
    lines = list[bytes]()
    for name in [*_waiting_names(folder), *_taken_names(folder), OPEN_FILE]:
        try:
            lines += _file_lines(f"{folder}/{name}")
        except FileNotFoundError:
            # Drained meanwhile.
            continue
    return lines


def _file_lines(path: str) -> "list[bytes]":
    with open(path, "rb") as file:
        return [line for line in file.read().split(b"\n") if line.strip()]


def _taken_names(folder: str) -> "list[str]":
    """Return the taken files in the order of their numbers; other files are none of ours."""
    try:
        names = [name for name in os.listdir(folder) if name.startswith(TAKEN_PREFIX)]
    except FileNotFoundError:
        return []
    return sorted((name for name in names if _suffix(name).isdecimal()), key=_file_number)


def _waiting_names(folder: str) -> "list[str]":
    try:
        return sorted(name for name in os.listdir(folder) if name.startswith(WAITING_PREFIX))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _waiting_name(project_root: str) -> str:
    from _blake2 import blake2s

    digest = blake2s(project_root.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{WAITING_PREFIX}{digest}"


def _take_open_file(folder: str) -> None:
    """Rename the open file to the next number, once nobody writes to it."""
    try:
        handle = os.open(f"{folder}/{OPEN_FILE}", os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        number = max(map(_file_number, _taken_names(folder)), default=0) + 1
        os.rename(f"{folder}/{OPEN_FILE}", f"{folder}/{TAKEN_PREFIX}{number:012}")
    finally:
        os.close(handle)


def _file_number(name: str) -> int:
    return int(_suffix(name))


def _suffix(name: str) -> str:
    return name[len(TAKEN_PREFIX) :]


def _parsed_line(line: bytes) -> "dict[str, object] | None":
    try:
        record = loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None

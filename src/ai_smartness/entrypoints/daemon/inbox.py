"""The inbox: captured, not yet placed; nothing in it is ever lost.

One file of lines that hooks append to and the daemon takes away whole. A record
is a JSON object on a line of its own, on disk when `append` returns. Standard
library only: a hook imports this at every event.
"""

import fcntl
import os

from ai_smartness.clients.fast_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "append_record",
    "count_records",
    "has_records",
    "peek_records",
    "remove_file",
    "taken_files",
]

OPEN_FILE = "events.jsonl"
TAKEN_PREFIX = "taken-"


def append_record(folder: str, record: "dict[str, object]") -> None:
    """Add a record, durably."""
    # A writer that was killed may have left half a line: ours begins on its own.
    line = b"\n" + dumps(record).encode() + b"\n"
    while not _append_line(_path_in(folder, OPEN_FILE), line):
        pass


def _append_line(path: str, line: bytes) -> bool:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not _is_same_file(path, handle):
            # Taken away between our opening it and our turn.
            return False
        while line:
            line = line[os.write(handle, line) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    return True


def _is_same_file(path: str, handle: int) -> bool:
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    ours = os.fstat(handle)
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def taken_files(folder: str) -> "Iterator[tuple[str, list[dict[str, object]], list[bytes]]]":
    """Yield what waits, the oldest first: a file's name, its records, and lines that are none.

    What is yielded stays on disk until `finished` is called with its name.
    """
    _take_open_file(folder)
    for _, name in sorted(_taken_names(folder)):
        with open(_path_in(folder, name), "rb") as file:
            lines = [line for line in file.read().split(b"\n") if line.strip()]
        read = [(line, _parsed_line(line)) for line in lines]
        records = [record for _, record in read if record is not None]
        yield name, records, [line for line, record in read if record is None]


def peek_records(folder: str) -> "list[dict[str, object]]":
    """Return the records that wait, the oldest first, and leave all as it is."""
    try:
        names = [*(name for _, name in sorted(_taken_names(folder))), OPEN_FILE]
    except FileNotFoundError:
        return []
    lines = list[bytes]()
    for name in names:
        try:
            with open(_path_in(folder, name), "rb") as file:
                lines += file.read().split(b"\n")
        except FileNotFoundError:
            # Drained meanwhile.
            continue
    read = (_parsed_line(line) for line in lines if line.strip())
    return [record for record in read if record is not None]


def remove_file(folder: str, name: str) -> None:
    """Let go of a file whose records are all in the store."""
    os.unlink(_path_in(folder, name))


def has_records(folder: str) -> bool:
    """Say whether anything waits."""
    try:
        return bool(_taken_names(folder)) or os.path.exists(_path_in(folder, OPEN_FILE))
    except FileNotFoundError:
        return False


def count_records(folder: str) -> int:
    """Count the records that wait."""
    count = 0
    try:
        names = [OPEN_FILE, *(name for _, name in _taken_names(folder))]
    except FileNotFoundError:
        return 0
    for name in names:
        try:
            with open(_path_in(folder, name), "rb") as file:
                count += sum(1 for line in file if line.strip())
        except FileNotFoundError:
            # Drained meanwhile.
            continue
    return count


def _taken_names(folder: str) -> "list[tuple[int, str]]":
    """Return the files that were taken, each with its number; what others left there is none."""
    names = [each for each in os.listdir(folder) if each.startswith(TAKEN_PREFIX)]
    return [
        (int(each[len(TAKEN_PREFIX) :]), each)
        for each in names
        if each[len(TAKEN_PREFIX) :].isdecimal()
    ]


def _take_open_file(folder: str) -> None:
    """Put the open file aside under the next number, once nobody writes to it."""
    try:
        handle = os.open(_path_in(folder, OPEN_FILE), os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        number = max((number for number, _ in _taken_names(folder)), default=0) + 1
        os.rename(_path_in(folder, OPEN_FILE), _path_in(folder, f"{TAKEN_PREFIX}{number:012}"))
    finally:
        os.close(handle)


def _parsed_line(line: bytes) -> "dict[str, object] | None":
    try:
        record = loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _path_in(folder: str, name: str) -> str:
    return os.path.join(folder, name)

"""The inbox: captured, not yet placed; nothing in it is ever lost.

One file of lines that hooks append to and the daemon takes away whole. A record
is a JSON object on a line of its own, on disk when `append` returns. Standard
library only: a hook imports this at every event.
"""

import fcntl
import os

from ai_smartness.watch.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["append", "batches", "finished", "left", "looked_at", "waiting"]

OPEN = "events.jsonl"
TAKEN = "taken-"


def append(folder: str, record: "dict[str, object]") -> None:
    """Add a record, durably."""
    # A writer that was killed may have left half a line: ours begins on its own.
    line = b"\n" + dumps(record).encode() + b"\n"
    while not _appended(_in(folder, OPEN), line):
        pass


def _appended(path: str, line: bytes) -> bool:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not _is_at(path, handle):
            # Taken away between our opening it and our turn.
            return False
        while line:
            line = line[os.write(handle, line) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    return True


def _is_at(path: str, handle: int) -> bool:
    try:
        there = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return False
    ours = os.fstat(handle)
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def batches(folder: str) -> "Iterator[tuple[str, list[dict[str, object]], list[bytes]]]":
    """Yield what waits, the oldest first: a file's name, its records, and lines that are none.

    What is yielded stays on disk until `finished` is called with its name.
    """
    _take(folder)
    for _, name in sorted(_taken(folder)):
        with open(_in(folder, name), "rb") as file:  # noqa: PTH123
            lines = [line for line in file.read().split(b"\n") if line.strip()]
        read = [(line, _record(line)) for line in lines]
        records = [record for _, record in read if record is not None]
        yield name, records, [line for line, record in read if record is None]


def looked_at(folder: str) -> "list[dict[str, object]]":
    """Return the records that wait, the oldest first, and leave all as it is."""
    try:
        names = [*(name for _, name in sorted(_taken(folder))), OPEN]
    except FileNotFoundError:
        return []
    lines = list[bytes]()
    for name in names:
        try:
            with open(_in(folder, name), "rb") as file:  # noqa: PTH123
                lines += file.read().split(b"\n")
        except FileNotFoundError:
            # Drained meanwhile.
            continue
    read = (_record(line) for line in lines if line.strip())
    return [record for record in read if record is not None]


def finished(folder: str, name: str) -> None:
    """Let go of a file whose records are all in the store."""
    os.unlink(_in(folder, name))  # noqa: PTH108


def waiting(folder: str) -> bool:
    """Say whether anything waits."""
    try:
        return bool(_taken(folder)) or os.path.exists(_in(folder, OPEN))  # noqa: PTH110
    except FileNotFoundError:
        return False


def left(folder: str) -> int:
    """Count the records that wait."""
    count = 0
    try:
        names = [OPEN, *(name for _, name in _taken(folder))]
    except FileNotFoundError:
        return 0
    for name in names:
        try:
            with open(_in(folder, name), "rb") as file:  # noqa: PTH123
                count += sum(1 for line in file if line.strip())
        except FileNotFoundError:
            # Drained meanwhile.
            continue
    return count


def _taken(folder: str) -> "list[tuple[int, str]]":
    """Return the files that were taken, each with its number; what others left there is none."""
    names = [each for each in os.listdir(folder) if each.startswith(TAKEN)]  # noqa: PTH208
    return [(int(each[len(TAKEN) :]), each) for each in names if each[len(TAKEN) :].isdecimal()]


def _take(folder: str) -> None:
    """Put the open file aside under the next number, once nobody writes to it."""
    try:
        handle = os.open(_in(folder, OPEN), os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        number = max((number for number, _ in _taken(folder)), default=0) + 1
        os.rename(_in(folder, OPEN), _in(folder, f"{TAKEN}{number:012}"))  # noqa: PTH104
    finally:
        os.close(handle)


def _record(line: bytes) -> "dict[str, object] | None":
    try:
        record = loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _in(folder: str, name: str) -> str:
    return os.path.join(folder, name)  # noqa: PTH118 - pathlib costs ten milliseconds

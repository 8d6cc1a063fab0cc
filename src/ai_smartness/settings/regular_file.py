"""Read a file that a stranger may have placed: only a regular file, and only so many bytes.

A pipe never answers, a device never ends, and a link can lead to anybody's file. The hook imports
this at every event: standard library only.
"""

import os
from errno import EFBIG, EINVAL
from stat import S_ISREG

__all__ = ["UnusableFileError", "read_regular_file"]


class UnusableFileError(OSError):
    """There is something at this path that is not read: no regular file, too large, elsewhere."""


def read_regular_file(path: str, max_bytes: int, *, within: str = "") -> bytes:
    """Return the contents of a regular file.

    With `within`, a path or link that leads out of that folder is refused. A missing file raises
    `FileNotFoundError`, as usual.
    """
    real = os.path.realpath(path)
    if within and not real.startswith(os.path.realpath(within).rstrip("/") + "/"):
        raise UnusableFileError(EINVAL, "it is not in the project", path)
    # Before it is opened: opening a device can already do something.
    _check_status(path, os.stat(real), max_bytes)
    # Not blocking, for the case that it became a pipe in between.
    handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _check_status(path, os.fstat(handle), max_bytes)
        return _read_bytes(handle, path, max_bytes)
    finally:
        os.close(handle)


def _check_status(path: str, status: os.stat_result, max_bytes: int) -> None:
    if not S_ISREG(status.st_mode):
        raise UnusableFileError(EINVAL, "it is not a regular file", path)
    if status.st_size > max_bytes:
        raise UnusableFileError(EFBIG, f"it is larger than {max_bytes:,} bytes", path)


def _read_bytes(handle: int, path: str, max_bytes: int) -> bytes:
    # Some files of the kernel say that they have no size.
    pieces, left = [], max_bytes + 1
    while left > 0 and (piece := os.read(handle, left)):
        pieces.append(piece)
        left -= len(piece)
    if left <= 0:
        raise UnusableFileError(EFBIG, f"it is larger than {max_bytes:,} bytes", path)
    return b"".join(pieces)

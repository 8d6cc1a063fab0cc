"""Where the daemon, the hooks and the inbox of one memory meet.

Standard library only: a hook imports this before each prompt.
"""

import os

__all__ = ["HomePaths", "make_private_folder"]

MAX_SOCKET_PATH_BYTES = 100
"""A Unix socket's path is cut at 108 bytes; a longer home meets in the user's own temporary one."""


class HomePaths:
    """The files of one memory's daemon, by the memory's home."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.database = os.path.join(home, "memory.db")
        self.inbox = os.path.join(home, "inbox")
        self.recalls = os.path.join(home, "recalls")
        self.logs = os.path.join(home, "logs")
        self.run = os.path.join(home, "run")
        self.lock = os.path.join(self.run, "daemon.lock")
        self.process_file = os.path.join(self.run, "daemon.json")

    @property
    def socket(self) -> str:
        """Name the socket, in a folder that only its owner enters."""
        near = os.path.join(self.run, "daemon.sock")
        if len(os.fsencode(near)) <= MAX_SOCKET_PATH_BYTES:
            return near
        import hashlib

        tail = hashlib.blake2s(os.fsencode(self.home), digest_size=8).hexdigest()
        return f"/tmp/ais-{os.getuid()}-{tail}/daemon.sock"  # noqa: S108 - 0700, and checked to be ours


def make_private_folder(path: str) -> None:
    """Make a folder for its owner alone; refuse one that is somebody else's."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    found = os.lstat(path)
    if found.st_uid != os.getuid():
        raise PermissionError(path)
    if found.st_mode & 0o077:
        os.chmod(path, 0o700)

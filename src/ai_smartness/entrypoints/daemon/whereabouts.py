"""Where the daemon, the hooks and the inbox of one memory meet.

Standard library only: a hook imports this before each prompt.
"""

import os

__all__ = ["Whereabouts", "private_folder"]

LONGEST_SOCKET_PATH = 100
"""A Unix socket's path is cut at 108 bytes; a longer home meets in the user's own temporary one."""


class Whereabouts:
    """The files of one memory's daemon, by the memory's home."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.database = os.path.join(home, "memory.db")  # noqa: PTH118 - pathlib costs ten milliseconds
        self.inbox = os.path.join(home, "inbox")  # noqa: PTH118
        self.recalls = os.path.join(home, "recalls")  # noqa: PTH118
        self.logs = os.path.join(home, "logs")  # noqa: PTH118
        self.run = os.path.join(home, "run")  # noqa: PTH118
        self.lock = os.path.join(self.run, "daemon.lock")  # noqa: PTH118
        self.about = os.path.join(self.run, "daemon.json")  # noqa: PTH118

    @property
    def socket(self) -> str:
        """Name the socket, in a folder that only its owner enters."""
        near = os.path.join(self.run, "daemon.sock")  # noqa: PTH118
        if len(os.fsencode(near)) <= LONGEST_SOCKET_PATH:
            return near
        import hashlib  # noqa: PLC0415 - only for a long path

        tail = hashlib.blake2s(os.fsencode(self.home), digest_size=8).hexdigest()
        return f"/tmp/ais-{os.getuid()}-{tail}/daemon.sock"  # noqa: S108 - 0700, and checked to be ours


def private_folder(path: str) -> None:
    """Make a folder for its owner alone; refuse one that is somebody else's."""
    os.makedirs(path, mode=0o700, exist_ok=True)  # noqa: PTH103
    found = os.lstat(path)
    if found.st_uid != os.getuid():
        raise PermissionError(path)
    if found.st_mode & 0o077:
        os.chmod(path, 0o700)  # noqa: PTH101

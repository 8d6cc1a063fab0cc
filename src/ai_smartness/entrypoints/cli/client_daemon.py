"""Ask the daemon of a memory from the command line: whether it is there, and to leave."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask, start
from ai_smartness.entrypoints.daemon.lock import Lock
from ai_smartness.entrypoints.daemon.starting import end
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts, private_folder
from ai_smartness.model.errors import StoreError

__all__ = ["asked", "is_held", "stop", "without_daemon"]

PATIENCE_SECONDS = 3.0
END_SECONDS = 30.0
ATTEMPTS = 5
"""A hook may start a daemon between the end of one and our turn."""


def asked(home: Path, verb: str) -> dict[str, object] | None:
    """Return the daemon's answer; None where no daemon is. A mute one is an error."""
    where = Whereabouts(str(home))
    try:
        return ask(where, verb, until=time.monotonic() + PATIENCE_SECONDS)
    except NoDaemonError:
        return None
    except NoAnswerError as mute:
        msg = (
            f"the daemon at {where.socket} gives no answer ({mute}). "
            "Run `ais daemon stop`; a hook starts the next."
        )
        raise StoreError(msg) from mute


def is_held(home: Path) -> bool:
    """Say whether a daemon holds the memory's lock, listening or not."""
    try:
        handle = os.open(Whereabouts(str(home)).lock, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def stop(home: Path) -> None:
    """Have the daemon leave, if there is one, and wait until it has."""
    where = Whereabouts(str(home))
    if is_held(home) and not end(where, END_SECONDS):
        msg = f"the daemon does not end. Its process is named in {where.about}; end it with `kill`."
        raise StoreError(msg)


@contextmanager
def without_daemon(home: Path) -> Iterator[None]:
    """Have no daemon while inside, and the one that ran started again after it.

    Hooks go on putting what they capture into the inbox.
    """
    where = Whereabouts(str(home))
    for folder in (where.home, where.run):
        private_folder(folder)
    ran, lock = is_held(home), Lock(where.lock)
    for _ in range(ATTEMPTS):
        stop(home)
        if lock.take():
            break
    else:
        msg = "a daemon is started again and again. Nothing was changed; end the agent, try again."
        raise StoreError(msg)
    try:
        yield
    finally:
        lock.let_go()
        if ran:
            start(where)

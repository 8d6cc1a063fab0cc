"""Ask the daemon of a memory from the command line: whether it is there, and to leave."""

import fcntl
import os
import time
from pathlib import Path

from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask
from ai_smartness.entrypoints.daemon.starting import end
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts
from ai_smartness.model.errors import StoreError

__all__ = ["asked", "is_held", "stop"]

PATIENCE_SECONDS = 3.0
END_SECONDS = 30.0


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

"""Keep the daemon away for a while: a deletion or a restore needs the memory for itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ai_smartness.entrypoints.daemon.spawn import (
    DaemonLock,
    is_lock_held,
    spawn_daemon,
    stop_daemon,
)
from ai_smartness.model.errors import StoreError
from ai_smartness.settings.paths import HomePaths, make_private_folder

__all__ = ["stop_and_wait", "without_daemon"]

STOP_SECONDS = 30.0
STOP_ATTEMPTS = 5  # a hook may start a new daemon between the end of the old one and our lock


def stop_and_wait(home: Path) -> None:
    """Stop the daemon, if there is one, and wait until it has ended."""
    paths = HomePaths(str(home))
    if is_lock_held(paths) and not stop_daemon(paths, STOP_SECONDS):
        process = f"Its process is named in {paths.process_file}"
        msg = f"the daemon does not stop. {process}; end it with `kill`."
        raise StoreError(msg)


@contextmanager
def without_daemon(home: Path, *, restart: bool = True) -> Iterator[None]:
    """Keep every daemon away, and then restart the one that ran.

    Hooks go on writing their events into the inbox.
    """
    paths = HomePaths(str(home))
    for folder in (paths.home, paths.run):
        make_private_folder(folder)
    ran, lock = is_lock_held(paths), DaemonLock(paths.lock)
    for _ in range(STOP_ATTEMPTS):
        stop_and_wait(home)
        if lock.try_acquire():
            break
    else:
        msg = "a daemon keeps starting. Nothing was changed; close the agent and try again."
        raise StoreError(msg)
    try:
        yield
    finally:
        lock.release()
        if ran and restart:
            spawn_daemon(paths)

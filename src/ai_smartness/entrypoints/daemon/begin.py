"""Become the daemon of a home, unless there is one.

Nothing large is loaded before that is decided: twenty may be started at once.
"""

import os
from datetime import timedelta

from ai_smartness.entrypoints.daemon.lock import Lock
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts, private_folder

__all__ = ["IDLE_MINUTES", "begin"]

IDLE_MINUTES = 30.0
"""Without a request or a record: a pause, not the end of the day."""


def begin(home: str, *, idle_minutes: float = IDLE_MINUTES, ready: int | None = None) -> None:
    """Be the daemon until it ends, or return at once if there is one.

    `ready` is the number of an open pipe that is written to when it answers.
    """
    os.umask(0o077)
    where = Whereabouts(os.path.abspath(home))  # noqa: PTH100 - as the hooks name it, links and all
    for folder in (where.home, where.run, where.inbox, where.logs):
        private_folder(folder)
    lock = Lock(where.lock)
    if not lock.take():
        return
    os.chdir("/")
    from ai_smartness.entrypoints.daemon.run import run  # noqa: PLC0415 - loads a lot

    run(where, lock, idle=timedelta(minutes=idle_minutes), ready=ready)

"""Notices that a teammate has shared, taken back or disputed something (LISTEN and NOTIFY).

A notice is a hint and says nothing else: whoever gets one looks at once instead of later. It may
be lost, and behind a pooler none arrives. So everything also works without them.
"""

from typing import TYPE_CHECKING

import psycopg

from ai_smartness.adapters.postgres.connections import new_connection

if TYPE_CHECKING:
    from ai_smartness.adapters.postgres.query import Connection

__all__ = ["SEND_NOTICE", "TeamNotices"]

_CHANNEL = "ais_team"
SEND_NOTICE = f"SELECT pg_notify('{_CHANNEL}', '')"


class TeamNotices:
    """A connection of its own that listens; it is opened again after it was lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None

    def wait(self, seconds: float) -> bool:
        """Wait for a notice, for so long at most; raise OSError if the server cannot be reached."""
        try:
            if self._connection is None:
                self._connection = new_connection(self._url)
                self._connection.execute(f"LISTEN {_CHANNEL}")
            return bool(list(self._connection.notifies(timeout=seconds, stop_after=1)))
        except psycopg.Error as error:
            self.close()
            raise ConnectionError(str(error)) from error

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

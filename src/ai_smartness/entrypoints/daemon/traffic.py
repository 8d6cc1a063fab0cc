"""How many requests are being answered, so that work in the background can step aside."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Traffic"]


class Traffic:
    """Counts those that somebody waits for."""

    def __init__(self) -> None:
        self._quiet = threading.Condition()
        self._under_way = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count a request while inside."""
        with self._quiet:
            self._under_way += 1
        try:
            yield
        finally:
            with self._quiet:
                self._under_way -= 1
                self._quiet.notify_all()

    def wait_for_quiet(self, seconds: float) -> bool:
        """Wait until nobody waits, for so long at most."""
        with self._quiet:
            return self._quiet.wait_for(lambda: not self._under_way, seconds)

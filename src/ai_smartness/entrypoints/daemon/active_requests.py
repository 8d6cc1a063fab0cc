"""Count the requests that are being answered, so that background work can wait for them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

__all__ = ["ActiveRequests"]

MAX_PAUSE_SECONDS = 1.0
"""As long as a hook waits for the answer to its prompt. After such a pause, background work goes on
for as long: prompts without end must not keep messages from being stored."""


class ActiveRequests:
    """Counts requests, and apart from them the prompts.

    `on_busy` is called when there is a request, and `on_idle` when there is none any more.
    """

    def __init__(
        self,
        on_busy: Callable[[], None] = lambda: None,
        on_idle: Callable[[], None] = lambda: None,
        max_pause: float = MAX_PAUSE_SECONDS,
    ) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._prompts = 0
        self._on_busy = on_busy
        self._on_idle = on_idle
        self._max_pause = max_pause
        self._pause_from = 0.0

    @contextmanager
    def track_request(self) -> Iterator[None]:
        """Count a request while inside."""
        with self._changed:
            self._count += 1
            if self._count == 1:
                self._on_busy()
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                if not self._count:
                    self._on_idle()
                self._changed.notify_all()

    def begin_prompt(self) -> None:
        """Count a prompt, or a caller that may bring one."""
        with self._changed:
            self._prompts += 1

    def end_prompt(self) -> None:
        """Count it no more."""
        with self._changed:
            self._prompts -= 1
            self._changed.notify_all()

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until no request is being answered, for so long at most."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._count, seconds)

    def give_way(self) -> None:
        """Wait while a prompt is being answered; called thousands of times a second."""
        if not self._prompts or monotonic() < self._pause_from:
            return
        with self._changed:
            is_over = self._changed.wait_for(lambda: not self._prompts, self._max_pause)
        if not is_over:
            self._pause_from = monotonic() + self._max_pause

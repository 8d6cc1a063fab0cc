"""See how full an agent's window is, once it has answered: long threads are condensed in time.

The hook only says where the client's transcript is; its end is read here, in the background.
"""

import logging
from pathlib import Path

from ai_smartness.entrypoints.daemon.opened import Memories, Work
from ai_smartness.entrypoints.daemon.records import Record
from ai_smartness.wiring import last_usage

__all__ = ["Pressing"]

_LOG = logging.getLogger(__name__)


class Pressing:
    """The sessions that have answered since, each with its transcript."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._answered: dict[tuple[str, str], str] = {}

    def note(self, record: Record) -> None:
        """Take note that a session has answered, if its client says where it writes that down."""
        if record.session and record.transcript.startswith("/"):
            self._answered[record.cwd, record.session] = record.transcript

    def look(self) -> None:
        """See how full the windows are of those that have answered, and do what is due."""
        while self._answered:
            (cwd, session), transcript = self._answered.popitem()
            usage = last_usage(Path(transcript))
            if usage is None:
                continue
            with self._memories.of(cwd, Work.DRAIN) as memory:
                window = usage.window(memory.window_tokens)
                found = memory.pressure(session, usage.tokens, window)
            if found.crossed is not None:
                done = len(found.condensed)
                _LOG.info(
                    "%.0f %% of the window of %s: %d condensed", 100 * found.share, session, done
                )

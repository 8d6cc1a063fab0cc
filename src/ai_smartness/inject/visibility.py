"""What is in the agent's sight already, by what was shown to its session.

A thread that was shown is left out while the turn that showed it is near, unless
it has changed since. A context compaction takes everything out of sight.
"""

from collections.abc import Callable, Sequence

from ai_smartness.model.session import LedgerEntry, Session
from ai_smartness.model.thread import Thread

__all__ = ["LINES_ONLY_REVISION", "ShownThreads", "is_out_of_sight"]

LINES_ONLY_REVISION = -1
"""The revision of a thread of which only lines were shown: the rest of it is not in sight."""


def is_out_of_sight(entry: LedgerEntry, session: Session, depth: int) -> bool:
    """Say whether what was shown is too long ago to be in sight, or of an earlier epoch."""
    return entry.epoch != session.epoch or entry.turn < session.turn - depth


class ShownThreads:
    """The threads a session has in sight, each as it was last shown."""

    def __init__(
        self,
        shown: Sequence[LedgerEntry],
        session: Session,
        depth: int,
        own_since: Callable[[str, int], int],
    ) -> None:
        """Take what was shown, the newest first.

        `own_since` counts the messages that the session itself has put on a thread
        after a number: what it said it knows, so they are no change to it.
        """
        near = [entry for entry in shown if not is_out_of_sight(entry, session, depth)]
        whole = [entry for entry in near if entry.revision != LINES_ONLY_REVISION]
        self._latest = {entry.thread_id: entry for entry in reversed(whole)}
        self._own_messages_since = own_since
        self.seqs = tuple(dict.fromkeys(seq for entry in near for seq in entry.seqs))

    def last_shown(self, thread: Thread) -> LedgerEntry | None:
        """Return how a thread was last shown, if that is in sight."""
        return self._latest.get(thread.id)

    def has_changed(self, thread: Thread) -> bool:
        """Say whether a thread that is in sight has changed since, but for what we said."""
        entry = self._latest[thread.id]
        if thread.revision == entry.revision:
            return False
        return thread.revision - entry.revision != self._own_messages_since(
            thread.id,
            entry.through,
        )

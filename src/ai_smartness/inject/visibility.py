"""Track in the ledger what a session was shown, and what its agent can still see of it.

A thread is not shown again for some turns unless it has changed. After a context
compaction the agent sees nothing of what it was shown before.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from ai_smartness.model.injection import Injection
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = ["LINES_ONLY_REVISION", "ShownThreads", "is_out_of_sight", "record_injection"]

LINES_ONLY_REVISION = -1
"""The revision of a thread of which only some lines were shown: the rest is not visible."""


def is_out_of_sight(entry: LedgerEntry, session: Session, depth: int) -> bool:
    """Say whether an entry was shown too many turns ago, or before a context compaction."""
    return entry.epoch != session.epoch or entry.turn < session.turn - depth


class ShownThreads:
    """The threads a session can still see, each as it was last shown."""

    def __init__(
        self,
        entries: Sequence[LedgerEntry],
        session: Session,
        depth: int,
        own_messages_since: Callable[[str, int], int],
    ) -> None:
        """Take the ledger's entries, newest first.

        `own_messages_since` counts the messages that the session itself put on a thread
        after a number: it knows them, so they are no change to it.
        """
        visible = [entry for entry in entries if not is_out_of_sight(entry, session, depth)]
        whole = [entry for entry in visible if entry.revision != LINES_ONLY_REVISION]
        self._latest = {entry.thread_id: entry for entry in reversed(whole)}
        self._own_messages_since = own_messages_since
        self.seqs = tuple(dict.fromkeys(seq for entry in visible for seq in entry.seqs))

    def last_shown(self, thread: Thread) -> LedgerEntry | None:
        """Return the entry of a visible thread."""
        return self._latest.get(thread.id)

    def has_changed(self, thread: Thread) -> bool:
        """Say whether others have changed a visible thread since it was shown."""
        entry = self._latest[thread.id]
        changes = thread.revision - entry.revision
        return bool(changes) and changes != self._own_messages_since(thread.id, entry.through)


def record_injection(
    store: ThreadStore, injection: Injection, session: Session, now: datetime
) -> None:
    """Write the ledger page of a turn: only entries that survived the last cut were seen."""
    through = store.events.last_seq(session.project)
    entries = tuple(
        LedgerEntry(
            session=session.id,
            epoch=session.epoch,
            turn=session.turn,
            thread_id=entry.thread.id,
            revision=entry.thread.revision,
            tokens=entry.tokens,
            score=entry.priority,
            why=entry.why,
            seqs=tuple(line.seq for line in entry.lines),
            through=through,
        )
        for entry in injection.entries
    )
    page = LedgerPage(
        project=session.project,
        session=session.id,
        epoch=session.epoch,
        turn=session.turn,
        at=now,
        took_ms=round(injection.took * 1000, 3),
        shown=entries,
        skipped=injection.skipped,
    )
    with store.unit():
        store.threads.save_session(session)
        store.ledger.write(page)

"""Find the session whose handoff somebody is to have.

After a compaction it is the agent's own. Who begins gets the one that spoke last before
it, also when it is resumed, so that it is told the same again. Who asks gets its own if
some of that is out of its sight, and else the last.
"""

from ai_smartness.compact.handoff import Length, handoff_of
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.session import Session
from ai_smartness.ports import ThreadStore

__all__ = ["asked_handoff", "last_handoff"]

LATEST_SESSIONS = 200
"""Looked at for the one that spoke last: what is imported late was said early."""


def asked_handoff(store: ThreadStore, asker: Session, length: Length) -> Handoff | None:
    """Return what the agent of a session wants that asks where things stood."""
    begun = store.events.session_begins(asker.project, asker.id) if asker.id else 0
    own = handoff_of(store, asker.project, asker.id, length) if begun else None
    if own is not None and begun <= asker.epoch_seq:
        return own
    return last_handoff(store, asker, length) or own


def last_handoff(store: ThreadStore, asker: Session, length: Length) -> Handoff | None:
    """Return where the session stood that spoke last before another one began."""
    begun = store.events.session_begins(asker.project, asker.id) if asker.id else 0
    ends = {
        seq: session
        for session, seq in store.events.session_ends(asker.project).items()
        if session != asker.id and not 0 < begun < seq
    }
    latest = store.events.by_seq(sorted(ends)[-LATEST_SESSIONS:]).values()
    in_order = sorted(latest, key=lambda event: (event.at, event.seq), reverse=True)
    found = (handoff_of(store, asker.project, ends[each.seq], length) for each in in_order)
    return next((each for each in found if each is not None), None)

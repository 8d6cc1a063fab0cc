"""Answer a question with threads: ranked, with the messages that matched and what they link to.

Suspended and archived threads are looked at too. What is asked for by its id is
given as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.model.found import Hit
from ai_smartness.model.recalled import RecallBridge, Recalled, RecalledThread
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore, Worktree
from ai_smartness.retrieve.freshness import changed_since
from ai_smartness.retrieve.hit import hit_of
from ai_smartness.retrieve.rank import Ranked, ranked
from ai_smartness.retrieve.topics import nearest_topics
from ai_smartness.threads.bridges import faded
from ai_smartness.threads.decay import decayed
from ai_smartness.threads.history import said_on
from ai_smartness.threads.plan import followed
from ai_smartness.threads.thread_id import names_a_thread

__all__ = ["RecallRules", "names_a_thread", "recalled_by_id", "recalled_by_words"]

SHOWN_MESSAGES = 3
"""Of a thread, those that match best."""

SHOWN_BRIDGES = 10

WHOLE_MESSAGES = 40
"""Of a thread that is asked for by its id, the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRules:
    """From where on a thread is an answer, and when it is."""

    floor: float = 0.1
    now: datetime
    half_life_days: float


def recalled_by_id(
    store: ThreadStore, query: str, rules: RecallRules, worktree: Worktree | None
) -> Recalled:
    """Return the thread with this id; one that was merged gives the survivor."""
    stored = followed(store, store.threads.get(query.strip()))
    thread = decayed(stored, rules.now, rules.half_life_days)
    events = said_on(store, thread.id)
    stale = changed_since(store.notes.of(event.seq for event in events).values(), worktree)
    found = RecalledThread(
        thread=thread,
        messages=tuple(hit_of(event) for event in events[-WHOLE_MESSAGES:]),
        relevance=1.0,
        score=1.0,
        changed_files=stale,
    )
    bridges = _bridges(store, [found], rules)
    return Recalled(query=query, at=rules.now, threads=(found,), bridges=bridges)


def recalled_by_words(
    store: ThreadStore,
    project: str,
    asked: tuple[str, Sequence[Hit]],
    limit: int,
    rules: RecallRules,
    worktree: Worktree | None,
) -> Recalled:
    """Return the threads of the messages that answer, or the nearest topics where none does."""
    query, hits = asked

    def stale(_thread: Thread, messages: Sequence[Hit]) -> tuple[str, ...]:
        return changed_since(store.notes.of(hit.seq for hit in messages).values(), worktree)

    def present(id_: str) -> Thread:
        return decayed(store.threads.get(id_), rules.now, rules.half_life_days)

    order = ranked(hits, present, stale)
    found = [_found(each) for each in order if each.relevance >= rules.floor][:limit]
    if not found:
        weak = [each.thread for each in order[:3]]
        topics = nearest_topics(query, weak, store.threads.all(project))
        return Recalled(query=query, at=rules.now, threads=(), bridges=(), topics=topics)
    bridges = _bridges(store, found, rules)
    return Recalled(query=query, at=rules.now, threads=tuple(found), bridges=bridges)


def _found(each: Ranked) -> RecalledThread:
    return RecalledThread(
        thread=each.thread,
        messages=each.messages[:SHOWN_MESSAGES],
        relevance=each.relevance,
        score=each.score,
        changed_files=each.changed_files,
    )


def _bridges(
    store: ThreadStore, found: Sequence[RecalledThread], rules: RecallRules
) -> tuple[RecallBridge, ...]:
    """Return the bridges of the threads, first those between two of them, then the heaviest."""
    ids = {each.thread.id for each in found}
    known = {bridge.id: bridge for each in found for bridge in store.bridges.of(each.thread.id)}
    weighed = [
        replace(bridge, weight=faded(bridge, rules.now, rules.half_life_days))
        for bridge in known.values()
    ]
    weighed.sort(key=lambda b: (not {b.source, b.target} <= ids, -b.weight, b.id))
    return tuple(
        RecallBridge(b, store.threads.get(b.source).title, store.threads.get(b.target).title)
        for b in weighed[:SHOWN_BRIDGES]
    )

"""The topics nearest to a question that nothing answers: where to look instead.

Answer a question with threads: ranked, with the messages that matched and what they link to.

Suspended and archived threads are looked at too. What is asked for by its id is
given as it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.model.search import Hit, RecalledBridge, RecalledThread, RecallResult
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore, Worktree
from ai_smartness.search.freshness import changed_files_since
from ai_smartness.search.rank import RankedThread, hit_from_event, ranked_threads
from ai_smartness.threads.change_plan import surviving_thread
from ai_smartness.threads.decay import decayed_thread
from ai_smartness.threads.ids import is_thread_id_start
from ai_smartness.threads.links import faded_bridge_weight
from ai_smartness.threads.message_order import ordered_messages

__all__ = [
    "RecallRules",
    "is_thread_id_start",
    "nearest_topics",
    "recalled_by_id",
    "recalled_by_words",
]


LEAST_TRIPLE_SIMILARITY = 0.2
"""Of the letter triples of two words, what they share: under it they look alike by chance."""


def nearest_topics(query: str, weak: Iterable[Thread], others: Iterable[Thread]) -> tuple[str, ...]:
    """Name up to five topics: those written most like the query, then those of weak matches."""
    wanted = _letter_triples(query)
    likeness = {
        topic: _triple_similarity(wanted, _letter_triples(topic))
        for thread in others
        for topic in thread.topics
    }
    alike = sorted(
        (topic for topic, value in likeness.items() if value >= LEAST_TRIPLE_SIMILARITY),
        key=lambda topic: (-likeness[topic], topic),
    )
    by_meaning = [topic for thread in weak for topic in thread.topics[:2]]
    return tuple(dict.fromkeys([*alike[:3], *by_meaning, *alike[3:]]))[:5]


def _letter_triples(text: str) -> set[str]:
    words = text.casefold().split()
    return {f" {word} "[n : n + 3] for word in words for n in range(len(word))}


def _triple_similarity(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


SHOWN_MESSAGES = 3
"""Of a thread, those that match best."""

SHOWN_BRIDGES = 10

BY_ID_MESSAGES = 40
"""Of a thread that is asked for by its id, the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRules:
    """From where on a thread is an answer, and when it is."""

    floor: float = 0.1
    now: datetime
    half_life_days: float


def recalled_by_id(
    store: ThreadStore, query: str, rules: RecallRules, worktree: Worktree | None
) -> RecallResult:
    """Return the thread with this id; one that was merged gives the survivor."""
    stored = surviving_thread(store, store.threads.get(query.strip()))
    thread = decayed_thread(stored, rules.now, rules.half_life_days)
    events = ordered_messages(store, thread.id)
    stale = changed_files_since(
        store.annotations.of(event.seq for event in events).values(), worktree
    )
    found = RecalledThread(
        thread=thread,
        messages=tuple(hit_from_event(event) for event in events[-BY_ID_MESSAGES:]),
        relevance=1.0,
        score=1.0,
        changed_files=stale,
    )
    bridges = _recalled_bridges(store, [found], rules)
    return RecallResult(query=query, at=rules.now, threads=(found,), bridges=bridges)


def recalled_by_words(
    store: ThreadStore,
    project: str,
    asked: tuple[str, Sequence[Hit]],
    limit: int,
    rules: RecallRules,
    worktree: Worktree | None,
) -> RecallResult:
    """Return the threads of the messages that answer, or the nearest topics where none does."""
    query, hits = asked

    def changed_files(_thread: Thread, messages: Sequence[Hit]) -> tuple[str, ...]:
        return changed_files_since(
            store.annotations.of(hit.seq for hit in messages).values(), worktree
        )

    def current_thread(id_: str) -> Thread:
        return decayed_thread(store.threads.get(id_), rules.now, rules.half_life_days)

    order = ranked_threads(hits, current_thread, changed_files)
    found = [_recalled_thread(each) for each in order if each.relevance >= rules.floor][:limit]
    if not found:
        weak = [each.thread for each in order[:3]]
        topics = nearest_topics(query, weak, store.threads.all(project))
        return RecallResult(query=query, at=rules.now, threads=(), bridges=(), topics=topics)
    bridges = _recalled_bridges(store, found, rules)
    return RecallResult(query=query, at=rules.now, threads=tuple(found), bridges=bridges)


def _recalled_thread(each: RankedThread) -> RecalledThread:
    return RecalledThread(
        thread=each.thread,
        messages=each.messages[:SHOWN_MESSAGES],
        relevance=each.relevance,
        score=each.score,
        changed_files=each.changed_files,
    )


def _recalled_bridges(
    store: ThreadStore, found: Sequence[RecalledThread], rules: RecallRules
) -> tuple[RecalledBridge, ...]:
    """Return the bridges of the threads, first those between two of them, then the heaviest."""
    ids = {each.thread.id for each in found}
    known = {bridge.id: bridge for each in found for bridge in store.bridges.of(each.thread.id)}
    weighed = [
        replace(bridge, weight=faded_bridge_weight(bridge, rules.now, rules.half_life_days))
        for bridge in known.values()
    ]
    weighed.sort(key=lambda b: (not {b.source, b.target} <= ids, -b.weight, b.id))
    return tuple(
        RecalledBridge(b, store.threads.get(b.source).title, store.threads.get(b.target).title)
        for b in weighed[:SHOWN_BRIDGES]
    )

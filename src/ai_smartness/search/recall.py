"""Answer a question with lines and their threads: ranked, with the threads' bridges.

Suspended and archived threads are searched too. If nothing answers well, the nearest lines are
returned as weak ones, with the nearest topics.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from ai_smartness.model.search import (
    Hit,
    RecalledBridge,
    RecalledLine,
    RecalledThread,
    RecallResult,
    SearchScope,
)
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder, ThreadStore, Worktree
from ai_smartness.search.passages import AnswerReads, answering_lines
from ai_smartness.search.rank import (
    RankedThread,
    changed_files_since,
    hit_from_event,
    rank_factor,
    ranked_threads,
)
from ai_smartness.search.report_orders import seqs_before, with_orders
from ai_smartness.threads.change_plan import surviving_thread
from ai_smartness.threads.decay import decayed_thread
from ai_smartness.threads.link import faded_bridge_weight
from ai_smartness.threads.message_order import ordered_messages

__all__ = [
    "RECALLED_STATEMENTS",
    "RecallRules",
    "nearest_topics",
    "recalled_by_id",
    "recalled_by_words",
]

SHOWN_MESSAGES = 3  # the best messages of a thread
SHOWN_BRIDGES = 10
MOST_LINES = 36  # more than a page has room for
RECALLED_STATEMENTS = 120  # the nearest by meaning; a prompt has no time for so many

WEAK_THREADS = 3  # weak threads whose topics are offered
BY_ID_MESSAGES = 40  # the latest messages of a thread that is recalled by its id
MIN_TRIPLE_SIMILARITY = 0.2
"""The least share of letter triples of two similar words; below it they match by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRules:
    """The relevance below which an answer is weak, the time, and the half-life of weights."""

    floor: float = 0.1
    now: datetime
    half_life_days: float


def recalled_by_id(
    store: ThreadStore, query: str, rules: RecallRules, worktree: Worktree | None
) -> RecallResult:
    """Return the thread with this id, or the survivor if it was merged."""
    stored = surviving_thread(store, store.threads.get(query.strip()))
    events = ordered_messages(store, stored.id)
    mentions = store.annotations.mentions(event.seq for event in events)
    recalled = RecalledThread(
        thread=decayed_thread(stored, rules.now, rules.half_life_days),
        messages=tuple(hit_from_event(event) for event in events[-BY_ID_MESSAGES:]),
        relevance=1.0,
        score=1.0,
        changed_files=changed_files_since(mentions, worktree),
    )
    bridges = _recalled_bridges(store, [recalled], rules)
    return RecallResult(query=query, at=rules.now, threads=(recalled,), bridges=bridges)


def recalled_by_words(
    store: ThreadStore,
    project: str,
    search: tuple[str, Sequence[Hit]],
    limit: int,
    rules: RecallRules,
    services: tuple[Embedder | None, Worktree | None],
) -> RecallResult:
    """Return the lines that answer a query and their threads; the nearest topics if weak."""
    query, hits = search
    embedder, worktree = services

    def changed_files(_thread: Thread, messages: Sequence[Hit]) -> tuple[str, ...]:
        if worktree is None:
            return ()
        mentions = store.annotations.mentions(hit.seq for hit in messages)
        return changed_files_since(mentions, worktree)

    def further_reads(seqs: list[int], thread_ids: list[str]) -> Iterator[Callable[[], object]]:
        yield partial(store.bridges.of_threads, thread_ids)
        yield partial(store.events.by_seq, seqs_before(seqs))
        if worktree is not None:
            yield partial(store.annotations.mentions, seqs)

    def current_thread(id_: str) -> Thread:
        return decayed_thread(store.threads.get(id_), rules.now, rules.half_life_days)

    projects = SearchScope(project=project).projects
    is_weak = max((hit.relevance for hit in hits), default=0.0) < rules.floor
    answering, *threads = store.read_together(
        partial(
            answering_lines,
            *(store, embedder, projects, query, hits),
            AnswerReads(further_reads, RECALLED_STATEMENTS),
        ),
        *([partial(store.threads.all, project)] if is_weak else []),
    )
    # What was not read with the answers: threads of lines that hold now in place of others.
    quoted = sorted({hit.thread_id for hit in answering.hits})
    store.read_together(
        partial(store.threads.by_id, quoted),
        *further_reads(sorted({hit.seq for hit in answering.hits}), quoted),
    )
    ranked = ranked_threads(answering.hits, current_thread, changed_files)
    lines, ids = _lines_of_threads(answering.lines, ranked, limit)
    recalled = [
        RecalledThread(
            thread=match.thread,
            messages=match.messages[:SHOWN_MESSAGES],
            relevance=match.relevance,
            score=match.score,
            changed_files=match.changed_files,
        )
        for match in ranked
        if match.thread.id in ids
    ]
    weak_threads = [match.thread for match in ranked[:WEAK_THREADS]]
    return RecallResult(
        query=query,
        at=rules.now,
        threads=tuple(recalled),
        bridges=_recalled_bridges(store, recalled, rules),
        lines=with_orders(store, projects, lines),
        is_weak=is_weak,
        topics=nearest_topics(query, weak_threads, threads[0]) if is_weak else (),
    )


def _lines_of_threads(
    lines: Sequence[RecalledLine], ranked: Sequence[RankedThread], limit: int
) -> tuple[tuple[RecalledLine, ...], set[str]]:
    """Return the lines of the first threads, ordered by the best line and what is known of it."""
    factors = {
        match.thread.id: rank_factor(match.thread, stale=bool(match.changed_files))
        for match in ranked
    }
    ordered = sorted(lines, key=lambda line: -line.score * factors.get(line.thread_id, 1.0))
    ordered = ordered[:MOST_LINES]
    ids = set(list(dict.fromkeys(line.thread_id for line in ordered))[:limit])
    return tuple(line for line in ordered if line.thread_id in ids), ids


def nearest_topics(
    query: str, weak_matches: Iterable[Thread], others: Iterable[Thread]
) -> tuple[str, ...]:
    """Name up to five topics: those spelled most like the query, then those of weak matches."""
    triples = _letter_triples(query)
    similarity = {
        topic: _triple_similarity(triples, _letter_triples(topic))
        for thread in others
        for topic in thread.topics
    }
    similar = sorted(
        (topic for topic, value in similarity.items() if value >= MIN_TRIPLE_SIMILARITY),
        key=lambda topic: (-similarity[topic], topic),
    )
    by_meaning = [topic for thread in weak_matches for topic in thread.topics[:2]]
    return tuple(dict.fromkeys([*similar[:3], *by_meaning, *similar[3:]]))[:5]


def _letter_triples(text: str) -> set[str]:
    words = text.casefold().split()
    return {f" {word} "[n : n + 3] for word in words for n in range(len(word))}


def _triple_similarity(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _recalled_bridges(
    store: ThreadStore, recalled: Sequence[RecalledThread], rules: RecallRules
) -> tuple[RecalledBridge, ...]:
    """Return the threads' bridges: first those between two of them, then the heaviest."""
    ids = {match.thread.id for match in recalled}
    weighed = [
        replace(bridge, weight=faded_bridge_weight(bridge, rules.now, rules.half_life_days))
        for bridge in store.bridges.of_threads(sorted(ids))
    ]
    weighed.sort(key=lambda b: (not {b.source, b.target} <= ids, -b.weight, b.id))
    shown = weighed[:SHOWN_BRIDGES]
    threads = store.threads.by_id(end for b in shown for end in (b.source, b.target))
    return tuple(RecalledBridge(b, threads[b.source].title, threads[b.target].title) for b in shown)

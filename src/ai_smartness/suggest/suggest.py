"""Suggest merges, splits, recalls, conflicts to settle and pins to review, and report health.

Nothing is changed. The reads are bounded, so that an answer takes about as long as finding
the similar threads, in a project of any size.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from ai_smartness.inject.dedupe import is_out_of_sight
from ai_smartness.model.event import Event
from ai_smartness.model.search import Hit
from ai_smartness.model.session import LedgerPage, Session
from ai_smartness.model.suggestion import (
    HIGH_PRESSURE,
    Conflict,
    ForgottenPin,
    Health,
    MergeCandidate,
    RecallHint,
    SplitCandidate,
    Suggestions,
)
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import Embedder, ThreadStore, Worktree
from ai_smartness.search.rank import RankedThread, ranked_threads
from ai_smartness.suggest.merge_candidates import merge_candidates
from ai_smartness.suggest.recall_hints import (
    FittingThread,
    SessionTimeline,
    recall_hints,
    sessions_since,
)
from ai_smartness.suggest.split_candidates import (
    ThreadMessages,
    can_be_split,
    largest_threads,
    split_candidate,
)
from ai_smartness.suggest.stale_threads import PinUse, forgotten_pins, thread_conflicts
from ai_smartness.threads.decay import decayed_thread, decayed_weight_and_status
from ai_smartness.threads.focus import foci_of_all_sessions, focus_boost
from ai_smartness.threads.merge_groups import mergeable_threads
from ai_smartness.threads.message_order import in_conversation_order

__all__ = ["InjectionUsage", "SuggestRequest", "SuggestionCounts", "memory_health", "suggest"]

MOST_MERGES = 10
MOST_SPLITS = 3
MOST_HINTS = 5
MOST_CONFLICTS = 10
MOST_PINS = 5  # how many of each kind somebody can review at once
MOST_ACTIVE_THREADS = 200  # the most recently active ones are counted for a split
READ_THREADS = 10  # how many of these, the largest, are read for other subjects
READ_MESSAGES = 200  # a subject left longer ago is history
READ_CONFLICTS = 200
LATEST_TURNS = 10
FULL_WEIGHT = 10.0  # the total weight of active threads at which the pressure is 1
LEAST_HIT_RATE = 0.05
JUDGED_ENTRIES = 50  # how many entries must have been shown before a low hit rate means anything

HEALTHY = "Healthy state, no action needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestRequest:
    """Who asks, when, and the limits."""

    project: str
    now: datetime
    half_life_days: float
    session: Session | None
    embedder: Embedder | None
    worktree: Worktree | None
    floor: float
    depth_turns: int
    token_budget: int
    allowed_threads: int
    merge_threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionCounts:
    """How many suggestions there are of each kind."""

    merges: int = 0
    splits: int = 0
    conflicts: int = 0
    pins: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionUsage:
    """The latest turns' injections, and how many entries were ever injected and used."""

    pages: Sequence[LedgerPage]
    injected: int
    used: int
    token_budget: int

    @property
    def mean_tokens(self) -> int:
        """The mean number of tokens injected into a prompt."""
        tokens = sum(entry.tokens for page in self.pages for entry in page.shown)
        return round(tokens / len(self.pages)) if self.pages else 0

    @property
    def hit_rate(self) -> float | None:
        """The share of entries that agents used."""
        return self.used / self.injected if self.injected else None


def suggest(store: ThreadStore, hits: Sequence[Hit], request: SuggestRequest) -> Suggestions:
    """Return all suggestions for a project; `hits` are the messages that fit the context."""
    return _ProjectLook(store, request).all_suggestions(hits)


class _ProjectLook:
    """One look at all threads of a project."""

    def __init__(self, store: ThreadStore, request: SuggestRequest) -> None:
        self._store = store
        self._request = request
        # As stored: most threads need only their present weight, which is quick to compute.
        self._stored = {thread.id: thread for thread in store.threads.all(request.project)}
        session = request.session.id if request.session else None
        ends = store.events.last_seqs_by_session(request.project)
        self._timeline = SessionTimeline(at=request.now, session=session, ends=ends)

    def all_suggestions(self, hits: Sequence[Hit]) -> Suggestions:
        merges, more = self._merge_candidates()
        splits = tuple(islice(self._split_candidates(), MOST_SPLITS))
        conflicts = self._thread_conflicts()
        pins = self._forgotten_pins(conflicts)
        counts = SuggestionCounts(
            merges=len(merges), splits=len(splits), conflicts=len(conflicts), pins=len(pins)
        )
        allowed = self._request.allowed_threads
        return Suggestions(
            merge_candidates=merges,
            split_candidates=splits,
            recall_hints=self._recall_hints(hits),
            conflicts=conflicts[:MOST_CONFLICTS],
            forgotten_pins=pins[:MOST_PINS],
            health=memory_health(self._active_weights(), allowed, self._injection_usage(), counts),
            more_merges=more,
        )

    def _merge_candidates(self) -> tuple[tuple[MergeCandidate, ...], int]:
        from ai_smartness.threads.similar_threads import centre_matrix, similar_pairs

        project, embedder = self._request.project, self._request.embedder
        if embedder is None:
            return (), 0
        mergeable = mergeable_threads(map(self._present_thread, self._stored))
        centres = centre_matrix(
            self._store, project, embedder.space, [thread.id for thread in mergeable]
        )
        apart = self._store.bridges.kept_apart(project)
        similar = similar_pairs(centres, self._request.merge_threshold)
        pairs = [pair for pair in similar if frozenset((pair.a, pair.b)) not in apart]
        foci = foci_of_all_sessions(self._store, project, self._request.now)
        focused = {thread.id for thread in mergeable if focus_boost(thread, foci) > 0}
        return merge_candidates(mergeable, focused, pairs, MOST_MERGES)

    def _split_candidates(self) -> Iterator[SplitCandidate]:
        """Yield the largest threads in use that drifted."""
        from ai_smartness.threads.split_proposal import proposed_parts

        embedder = self._request.embedder
        if embedder is None:
            return
        active = [thread for thread in self._stored.values() if can_be_split(thread)]
        active = active[:MOST_ACTIVE_THREADS]
        counts = self._store.events.counts_by_thread([thread.id for thread in active])
        titles = {thread.title for thread in self._stored.values()}
        unrelated = embedder.unrelated_cosine
        for thread in largest_threads(active, counts, READ_THREADS):
            messages = self._messages_of(thread, embedder)
            parts = proposed_parts(messages.events, messages.vectors, unrelated, titles)
            candidate = split_candidate(thread, messages, parts, unrelated)
            if candidate:
                yield candidate

    def _messages_of(self, thread: Thread, embedder: Embedder) -> ThreadMessages:
        latest = self._store.events.latest_of_thread(thread.id, READ_MESSAGES)
        events = in_conversation_order(latest)
        seqs = [event.seq for event in events]
        vectors = self._store.vector_index.event_centres(thread.project, embedder.space, seqs)
        return ThreadMessages(events, [vectors.get(seq) for seq in seqs])

    def _thread_conflicts(self) -> tuple[Conflict, ...]:
        bridges = self._store.bridges.of_change(self._request.project, READ_CONFLICTS)
        ends = (id_ for bridge in bridges for id_ in (bridge.source, bridge.target))
        return thread_conflicts(bridges, self._present_threads(ends))

    def _forgotten_pins(self, conflicts: Sequence[Conflict]) -> tuple[ForgottenPin, ...]:
        project = self._request.project
        always_shown = self._store.threads.always_shown(project)
        pins = self._present_threads(thread.id for thread in always_shown)
        counts = self._store.ledger.usage_counts_by_thread(project, list(pins))
        uses = {
            id_: PinUse(*counts.get(id_, (0, 0)), self._sessions_without(pin))
            for id_, pin in pins.items()
        }
        return forgotten_pins(pins.values(), uses, conflicts, self._request.now)

    def _sessions_without(self, thread: Thread) -> int:
        last = self._last_event(thread)
        return sessions_since(last, self._timeline) if last else 0

    def _recall_hints(self, hits: Sequence[Hit]) -> tuple[RecallHint, ...]:
        visible = self._visible_threads()
        ranked = ranked_threads(hits, self._present_thread, lambda _thread, _messages: ())
        fitting = [
            FittingThread(
                match.thread,
                self._last_event(match.thread),
                match.messages[0].text,
                self._gone_files(match.thread),
            )
            for match in ranked
            if self._is_news(match, visible)
        ]
        return recall_hints(fitting, self._timeline, MOST_HINTS)

    def _gone_files(self, thread: Thread) -> tuple[str, ...]:
        """Name the project files in a thread's topics or title that are no longer there."""
        worktree = self._request.worktree
        if worktree is None:
            return ()
        names = " ".join((thread.title, *thread.topics))
        relative = (file for file in thread.files if not file.startswith(("/", "~")))
        named = (file for file in relative if file.rsplit("/", 1)[-1] in names)
        return tuple(file for file in named if worktree.file_digest(file) is None)

    def _present_thread(self, thread_id: str) -> Thread:
        """Return a thread with its present weight; a hit may be of the user's own project."""
        thread = self._stored.get(thread_id) or self._store.threads.get(thread_id)
        return decayed_thread(thread, self._request.now, self._request.half_life_days)

    def _present_threads(self, ids: Iterable[str]) -> dict[str, Thread]:
        """Return those of the threads that belong to the project, with their present weight."""
        return {id_: self._present_thread(id_) for id_ in dict.fromkeys(ids) if id_ in self._stored}

    def _active_weights(self) -> list[float]:
        now, days = self._request.now, self._request.half_life_days
        decayed = (decayed_weight_and_status(thread, now, days) for thread in self._stored.values())
        return [weight for weight, status in decayed if status is Status.ACTIVE]

    def _is_news(self, match: RankedThread, visible: Collection[str]) -> bool:
        thread, session = match.thread, self._request.session
        fits = match.relevance >= self._request.floor and thread.status is not Status.ARCHIVED
        if not fits or thread.id in visible:
            return False
        return session is None or not self._store.events.count_on_thread(thread.id, session.id, 0)

    def _visible_threads(self) -> set[str]:
        session = self._request.session
        if session is None:
            return set()
        entries = self._store.ledger.shown_entries(self._request.project, session.id)
        depth = self._request.depth_turns
        return {entry.thread_id for entry in entries if not is_out_of_sight(entry, session, depth)}

    def _last_event(self, thread: Thread) -> Event | None:
        return next(iter(self._store.events.latest_of_thread(thread.id, 1)), None)

    def _injection_usage(self) -> InjectionUsage:
        ledger, project, session = self._store.ledger, self._request.project, self._request.session
        pages = ledger.latest_pages(project, session.id, LATEST_TURNS) if session else []
        injected, used = ledger.usage_counts(project)
        return InjectionUsage(
            pages=pages or ledger.latest_pages(project, None, LATEST_TURNS),
            injected=injected,
            used=used,
            token_budget=self._request.token_budget,
        )


def memory_health(
    weights: Sequence[float], allowed: int, usage: InjectionUsage, counts: SuggestionCounts
) -> Health:
    """Measure the memory by the present weights of its active threads."""
    pressure = min(1.0, sum(weights) / FULL_WEIGHT)
    return Health(
        active_threads=len(weights),
        allowed_threads=allowed,
        context_pressure=pressure,
        tokens_injected=usage.mean_tokens,
        token_budget=usage.token_budget,
        hit_rate=usage.hit_rate,
        recommendation=_recommended_step(len(weights) - allowed, pressure, usage, counts)
        or _state_text(len(weights), pressure),
    )


def _state_text(active: int, pressure: float) -> str:
    """Say how the memory is if there is nothing to do."""
    if pressure < HIGH_PRESSURE:
        return HEALTHY
    threads = "1 active thread" if active == 1 else f"{active:,} active threads"
    return f"Much is in recent use: {threads}. No action needed: unused ones fade by themselves"


def _recommended_step(
    too_many: int, pressure: float, usage: InjectionUsage, counts: SuggestionCounts
) -> str:
    """Recommend the most useful step: a smaller memory, then a correct one, then a tidy one.

    It is empty if there is nothing to do.
    """
    is_full = too_many > 0 or pressure >= HIGH_PRESSURE
    rate = usage.hit_rate
    is_noise = rate is not None and rate < LEAST_HIT_RATE and usage.injected >= JUDGED_ENTRIES
    steps = (
        (is_full and counts.merges, "merging similar threads to reduce pressure"),
        (too_many > 0, f"compacting: {too_many:,} more active threads than should be"),
        (counts.conflicts, "archiving what newer threads contradict or replace"),
        (counts.splits, "splitting threads that drifted"),
        (counts.pins, "archiving pins that are of no use"),
        (is_noise, "rating what is shown: little of it is of use"),
    )
    return next((f"Consider {step}" for is_needed, step in steps if is_needed), "")

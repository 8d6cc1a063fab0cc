"""How full the memory is, how well it is used, and the one thing to do about it.

Say what could be done: merge, split, recall, settle, let go; and how the memory is.

Nothing is changed. What is looked at is bounded, so that the answer takes about
as long as finding the threads that are alike, however many threads there are.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from ai_smartness.inject.visibility import is_out_of_sight
from ai_smartness.model.event import Event
from ai_smartness.model.search import Hit
from ai_smartness.model.session import LedgerPage, Session
from ai_smartness.model.suggestion import (
    Conflict,
    ForgottenPin,
    Health,
    MergeCandidate,
    RecallHint,
    SplitCandidate,
    Suggestions,
)
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.search.rank import RankedThread, ranked_threads
from ai_smartness.suggest.merge_candidates import can_be_merged, merge_candidates
from ai_smartness.suggest.recall_hints import (
    FittingThread,
    SessionEnds,
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
from ai_smartness.threads.message_order import in_conversation_order
from ai_smartness.threads.similar_threads import centre_matrix, similar_pairs
from ai_smartness.threads.split_proposal import proposed_parts

__all__ = [
    "InjectionUsage",
    "SuggestRequest",
    "SuggestionCounts",
    "memory_health",
    "recommended_step",
    "suggest",
]


FULL_WEIGHT = 10.0
"""What active threads weigh together when the pressure is 1."""

HIGH_PRESSURE = 0.7

LEAST_HIT_RATE = 0.05
JUDGED_ENTRIES = 50
"""Entries that were shown, before it says anything how few of them were of use."""

HEALTHY = "Healthy state, no action needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionCounts:
    """How many suggestions there are of each sort."""

    merges: int = 0
    splits: int = 0
    conflicts: int = 0
    pins: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionUsage:
    """What was shown to agents: the latest turns, and in all how much, and how much was of use."""

    pages: Sequence[LedgerPage]
    injected: int
    used: int
    token_budget: int

    @property
    def mean_tokens(self) -> int:
        """What a prompt was given on average."""
        given = sum(entry.tokens for page in self.pages for entry in page.shown)
        return round(given / len(self.pages)) if self.pages else 0

    @property
    def hit_rate(self) -> float | None:
        """The share that came back in what agents did."""
        return self.used / self.injected if self.injected else None


def memory_health(
    weights: Sequence[float], allowed: int, shown: InjectionUsage, found: SuggestionCounts
) -> Health:
    """Measure the memory by what its active threads weigh now."""
    pressure = min(1.0, sum(weights) / FULL_WEIGHT)
    return Health(
        active_threads=len(weights),
        allowed_threads=allowed,
        context_pressure=pressure,
        tokens_injected=shown.mean_tokens,
        token_budget=shown.token_budget,
        hit_rate=shown.hit_rate,
        recommendation=recommended_step(len(weights) - allowed, pressure, shown, found),
    )


def recommended_step(
    too_many: int, pressure: float, shown: InjectionUsage, found: SuggestionCounts
) -> str:
    """Say what helps most: less to carry, then what is true, then what is in its place."""
    pressing = too_many > 0 or pressure >= HIGH_PRESSURE
    steps = (
        (pressing and found.merges, "merging similar threads to reduce pressure"),
        (too_many > 0, f"compacting: {too_many:,} more active threads than should be"),
        (found.conflicts, "archiving what newer threads contradict or replace"),
        (found.splits, "splitting threads that drifted"),
        (found.pins, "archiving pins that are of no use"),
        (_is_noise(shown), "rating what is shown: little of it is of use"),
    )
    return next((f"Consider {step}" for needed, step in steps if needed), HEALTHY)


def _is_noise(shown: InjectionUsage) -> bool:
    rate = shown.hit_rate
    return rate is not None and rate < LEAST_HIT_RATE and shown.injected >= JUDGED_ENTRIES


MERGE_SIMILARITY = 0.85
"""From this similarity on two threads seem to be about one subject."""

MOST_MERGES = 10
MOST_SPLITS = 3
MOST_HINTS = 5
MOST_CONFLICTS = 10
MOST_PINS = 5
"""Of each sort, what somebody can look at at once."""

MOST_ACTIVE_THREADS = 200
"""Threads whose messages are counted, the most recently active: a split is for what is in use."""

READ_THREADS = 10
"""Threads that are read for other subjects, the largest of those."""

READ_MESSAGES = 200
"""Of such a thread, the latest: a subject that was left longer ago is history."""

READ_CONFLICTS = 200
LATEST_TURNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestRequest:
    """Who asks, when, and the numbers it goes by."""

    project: str
    now: datetime
    half_life_days: float
    session: Session | None
    embedder: Embedder | None
    floor: float
    depth_turns: int
    token_budget: int
    allowed_threads: int


def suggest(store: ThreadStore, hits: Sequence[Hit], request: SuggestRequest) -> Suggestions:
    """Return everything that could be done for a project; `hits` are what fits the context."""
    return _ProjectLook(store, request).all_suggestions(hits)


class _ProjectLook:
    """One look at all the threads of a project."""

    def __init__(self, store: ThreadStore, asked: SuggestRequest) -> None:
        self._store = store
        self._request = asked
        # As they are stored: of most only the weight is asked for, and that is quick to tell.
        self._stored = {thread.id: thread for thread in store.threads.all(asked.project)}
        session = asked.session.id if asked.session else None
        ends = store.events.last_seqs_by_session(asked.project)
        self._session_ends = SessionEnds(at=asked.now, session=session, ends=ends)

    def all_suggestions(self, hits: Sequence[Hit]) -> Suggestions:
        merges, more = self._merge_candidates()
        splits = tuple(islice(self._split_candidates(), MOST_SPLITS))
        against = self._thread_conflicts()
        pins = self._forgotten_pins(against)
        found = SuggestionCounts(
            merges=len(merges), splits=len(splits), conflicts=len(against), pins=len(pins)
        )
        return Suggestions(
            merge_candidates=merges,
            split_candidates=splits,
            recall_hints=self._recall_hints(hits),
            conflicts=against[:MOST_CONFLICTS],
            forgotten_pins=pins[:MOST_PINS],
            health=memory_health(
                self._active_weights(),
                self._request.allowed_threads,
                self._injection_usage(),
                found,
            ),
            more_merges=more,
        )

    def _merge_candidates(self) -> tuple[tuple[MergeCandidate, ...], int]:
        asked = self._request
        if asked.embedder is None:
            return (), 0
        fit = [thread.id for thread in self._stored.values() if can_be_merged(thread)]
        pairs = similar_pairs(
            centre_matrix(self._store, asked.project, asked.embedder.space, fit), MERGE_SIMILARITY
        )
        threads = self._present_threads(id_ for pair in pairs for id_ in (pair.a, pair.b))
        return merge_candidates(pairs, threads, MOST_MERGES)

    def _split_candidates(self) -> Iterator[SplitCandidate]:
        """Yield what drifted, of the largest threads in use."""
        embedder = self._request.embedder
        if embedder is None:
            return
        lately = [thread for thread in self._stored.values() if can_be_split(thread)]
        lately = lately[:MOST_ACTIVE_THREADS]
        counts = self._store.events.counts_by_thread([thread.id for thread in lately])
        taken = {thread.title for thread in self._stored.values()}
        for thread in largest_threads(lately, counts, READ_THREADS):
            said = self._messages_of(thread, embedder)
            parts = proposed_parts(said.events, said.vectors, embedder.unrelated_cosine, taken)
            candidate = split_candidate(thread, said, parts, embedder.unrelated_cosine)
            if candidate:
                yield candidate

    def _messages_of(self, thread: Thread, embedder: Embedder) -> ThreadMessages:
        events = in_conversation_order(
            self._store.events.latest_of_thread(thread.id, READ_MESSAGES)
        )
        seqs = [event.seq for event in events]
        known = self._store.vector_index.event_centres(thread.project, embedder.space, seqs)
        return ThreadMessages(events, [known.get(seq) for seq in seqs])

    def _thread_conflicts(self) -> tuple[Conflict, ...]:
        bridges = self._store.bridges.of_change(self._request.project, READ_CONFLICTS)
        return thread_conflicts(
            bridges, self._present_threads(id_ for b in bridges for id_ in (b.source, b.target))
        )

    def _forgotten_pins(self, against: Sequence[Conflict]) -> tuple[ForgottenPin, ...]:
        always_shown = self._store.threads.always_shown(self._request.project)
        pins = list(self._present_threads(thread.id for thread in always_shown).values())
        shown = self._store.ledger.usage_counts_by_thread(
            self._request.project, [pin.id for pin in pins]
        )
        uses = {
            pin.id: PinUse(*shown.get(pin.id, (0, 0)), self._sessions_without(pin)) for pin in pins
        }
        return forgotten_pins(pins, uses, against, self._request.now)

    def _sessions_without(self, thread: Thread) -> int:
        last = self._last_event(thread)
        return sessions_since(last, self._session_ends) if last else 0

    def _recall_hints(self, hits: Sequence[Hit]) -> tuple[RecallHint, ...]:
        in_sight = self._visible_threads()
        found = ranked_threads(hits, self._present_thread, lambda _thread, _messages: ())
        mentions = [
            FittingThread(each.thread, self._last_event(each.thread), each.messages[0].text)
            for each in found
            if self._is_news(each, in_sight)
        ]
        return recall_hints(mentions, self._session_ends, MOST_HINTS)

    def _present_thread(self, thread_id: str) -> Thread:
        """Return a thread as it stands; what was found may be of the user's own project."""
        thread = self._stored.get(thread_id) or self._store.threads.get(thread_id)
        return decayed_thread(thread, self._request.now, self._request.half_life_days)

    def _present_threads(self, ids: Iterable[str]) -> dict[str, Thread]:
        """Return those of these threads that are the project's, as they stand."""
        return {id_: self._present_thread(id_) for id_ in dict.fromkeys(ids) if id_ in self._stored}

    def _active_weights(self) -> list[float]:
        """Return what each active thread weighs now."""
        now, days = self._request.now, self._request.half_life_days
        stand = (decayed_weight_and_status(thread, now, days) for thread in self._stored.values())
        return [weight for weight, status in stand if status is Status.ACTIVE]

    def _is_news(self, found: RankedThread, in_sight: Collection[str]) -> bool:
        thread, session = found.thread, self._request.session
        fits = found.relevance >= self._request.floor and thread.status is not Status.ARCHIVED
        if not fits or thread.id in in_sight:
            return False
        return session is None or not self._store.events.count_on_thread(thread.id, session.id, 0)

    def _visible_threads(self) -> set[str]:
        session = self._request.session
        if session is None:
            return set()
        shown = self._store.ledger.shown_entries(self._request.project, session.id)
        depth = self._request.depth_turns
        return {each.thread_id for each in shown if not is_out_of_sight(each, session, depth)}

    def _last_event(self, thread: Thread) -> Event | None:
        return next(iter(self._store.events.latest_of_thread(thread.id, 1)), None)

    def _injection_usage(self) -> InjectionUsage:
        ledger, asked = self._store.ledger, self._request
        pages = (
            ledger.latest_pages(asked.project, asked.session.id, LATEST_TURNS)
            if asked.session
            else []
        )
        injected, used = ledger.usage_counts(asked.project)
        return InjectionUsage(
            pages=pages or ledger.latest_pages(asked.project, None, LATEST_TURNS),
            injected=injected,
            used=used,
            token_budget=asked.token_budget,
        )

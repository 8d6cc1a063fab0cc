"""Say what could be done: merge, split, recall, settle, let go; and how the memory is.

Nothing is changed. What is looked at is bounded, so that the answer takes about
as long as finding the threads that are alike, however many threads there are.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from ai_smartness.inject.ledger import out_of_sight
from ai_smartness.model.event import Event
from ai_smartness.model.found import Hit
from ai_smartness.model.session import Session
from ai_smartness.model.suggestion import (
    Conflict,
    ForgottenPin,
    MergeCandidate,
    RecallHint,
    SplitCandidate,
    Suggestions,
)
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.retrieve.rank import Ranked, ranked
from ai_smartness.suggest.conflicts import conflicts
from ai_smartness.suggest.health import Found, Shown, health
from ai_smartness.suggest.hints import Mention, Now, recall_hints, sessions_since
from ai_smartness.suggest.merges import can_be_merged, merge_candidates
from ai_smartness.suggest.pins import PinUse, forgotten_pins
from ai_smartness.suggest.splits import Said, can_be_split, largest, split_candidate
from ai_smartness.threads.centres import centres
from ai_smartness.threads.decay import decayed, standing
from ai_smartness.threads.order import in_said_order
from ai_smartness.threads.pairs import alike
from ai_smartness.threads.proposal import proposed

__all__ = ["Asked", "suggest"]

ALIKE = 0.85
"""From this similarity on two threads seem to be about one subject."""

MOST_MERGES = 10
MOST_SPLITS = 3
MOST_HINTS = 5
MOST_CONFLICTS = 10
MOST_PINS = 5
"""Of each sort, what somebody can look at at once."""

LATELY_ACTIVE = 200
"""Threads whose messages are counted, the most recently active: a split is for what is in use."""

READ_THREADS = 10
"""Threads that are read for other subjects, the largest of those."""

READ_MESSAGES = 200
"""Of such a thread, the latest: a subject that was left longer ago is history."""

READ_CONFLICTS = 200
LATEST_TURNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
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


def suggest(store: ThreadStore, hits: Sequence[Hit], asked: Asked) -> Suggestions:
    """Return everything that could be done for a project; `hits` are what fits the context."""
    return _Look(store, asked).suggestions(hits)


class _Look:
    """One look at all the threads of a project."""

    def __init__(self, store: ThreadStore, asked: Asked) -> None:
        self._store = store
        self._asked = asked
        # As they are stored: of most only the weight is asked for, and that is quick to tell.
        self._stored = {thread.id: thread for thread in store.threads.all(asked.project)}
        session = asked.session.id if asked.session else None
        ends = store.events.session_ends(asked.project)
        self._now = Now(at=asked.now, session=session, ends=ends)

    def suggestions(self, hits: Sequence[Hit]) -> Suggestions:
        merges, more = self._merges()
        splits = tuple(islice(self._splits(), MOST_SPLITS))
        against = self._conflicts()
        pins = self._pins(against)
        found = Found(
            merges=len(merges), splits=len(splits), conflicts=len(against), pins=len(pins)
        )
        return Suggestions(
            merge_candidates=merges,
            split_candidates=splits,
            recall_hints=self._hints(hits),
            conflicts=against[:MOST_CONFLICTS],
            forgotten_pins=pins[:MOST_PINS],
            health=health(self._weights(), self._asked.allowed_threads, self._shown(), found),
            more_merges=more,
        )

    def _merges(self) -> tuple[tuple[MergeCandidate, ...], int]:
        asked = self._asked
        if asked.embedder is None:
            return (), 0
        fit = [thread.id for thread in self._stored.values() if can_be_merged(thread)]
        pairs = alike(centres(self._store, asked.project, asked.embedder.space, fit), ALIKE)
        threads = self._now_of(id_ for pair in pairs for id_ in (pair.a, pair.b))
        return merge_candidates(pairs, threads, MOST_MERGES)

    def _splits(self) -> Iterator[SplitCandidate]:
        """Yield what drifted, of the largest threads in use."""
        embedder = self._asked.embedder
        if embedder is None:
            return
        lately = [thread for thread in self._stored.values() if can_be_split(thread)]
        lately = lately[:LATELY_ACTIVE]
        counts = self._store.events.counts([thread.id for thread in lately])
        taken = {thread.title for thread in self._stored.values()}
        for thread in largest(lately, counts, READ_THREADS):
            said = self._said_on(thread, embedder)
            parts = proposed(said.events, said.vectors, embedder.strangers, taken)
            candidate = split_candidate(thread, said, parts, embedder.strangers)
            if candidate:
                yield candidate

    def _said_on(self, thread: Thread, embedder: Embedder) -> Said:
        events = in_said_order(self._store.events.latest_on(thread.id, READ_MESSAGES))
        seqs = [event.seq for event in events]
        known = self._store.vectors.of_events(thread.project, embedder.space, seqs)
        return Said(events, [known.get(seq) for seq in seqs])

    def _conflicts(self) -> tuple[Conflict, ...]:
        bridges = self._store.bridges.of_change(self._asked.project, READ_CONFLICTS)
        return conflicts(
            bridges, self._now_of(id_ for b in bridges for id_ in (b.source, b.target))
        )

    def _pins(self, against: Sequence[Conflict]) -> tuple[ForgottenPin, ...]:
        always_shown = self._store.threads.standing(self._asked.project)
        pins = list(self._now_of(thread.id for thread in always_shown).values())
        shown = self._store.ledger.counts_of(self._asked.project, [pin.id for pin in pins])
        uses = {pin.id: PinUse(*shown.get(pin.id, (0, 0)), self._sessions(pin)) for pin in pins}
        return forgotten_pins(pins, uses, against, self._asked.now)

    def _sessions(self, thread: Thread) -> int:
        last = self._last_on(thread)
        return sessions_since(last, self._now) if last else 0

    def _hints(self, hits: Sequence[Hit]) -> tuple[RecallHint, ...]:
        in_sight = self._in_sight()
        found = ranked(hits, self._present, lambda _thread, _messages: ())
        mentions = [
            Mention(each.thread, self._last_on(each.thread), each.messages[0].text)
            for each in found
            if self._is_news(each, in_sight)
        ]
        return recall_hints(mentions, self._now, MOST_HINTS)

    def _present(self, thread_id: str) -> Thread:
        """Return a thread as it stands; what was found may be of the user's own project."""
        thread = self._stored.get(thread_id) or self._store.threads.get(thread_id)
        return decayed(thread, self._asked.now, self._asked.half_life_days)

    def _now_of(self, ids: Iterable[str]) -> dict[str, Thread]:
        """Return those of these threads that are the project's, as they stand."""
        return {id_: self._present(id_) for id_ in dict.fromkeys(ids) if id_ in self._stored}

    def _weights(self) -> list[float]:
        """Return what each active thread weighs now."""
        now, days = self._asked.now, self._asked.half_life_days
        stand = (standing(thread, now, days) for thread in self._stored.values())
        return [weight for weight, status in stand if status is Status.ACTIVE]

    def _is_news(self, found: Ranked, in_sight: Collection[str]) -> bool:
        thread, session = found.thread, self._asked.session
        fits = found.relevance >= self._asked.floor and thread.status is not Status.ARCHIVED
        if not fits or thread.id in in_sight:
            return False
        return session is None or not self._store.events.count_on(thread.id, session.id, 0)

    def _in_sight(self) -> set[str]:
        session = self._asked.session
        if session is None:
            return set()
        shown = self._store.ledger.shown(self._asked.project, session.id)
        depth = self._asked.depth_turns
        return {each.thread_id for each in shown if not out_of_sight(each, session, depth)}

    def _last_on(self, thread: Thread) -> Event | None:
        return next(iter(self._store.events.latest_on(thread.id, 1)), None)

    def _shown(self) -> Shown:
        ledger, asked = self._store.ledger, self._asked
        pages = ledger.pages(asked.project, asked.session.id, LATEST_TURNS) if asked.session else []
        injected, used = ledger.counts(asked.project)
        return Shown(
            pages=pages or ledger.pages(asked.project, None, LATEST_TURNS),
            injected=injected,
            used=used,
            token_budget=asked.token_budget,
        )

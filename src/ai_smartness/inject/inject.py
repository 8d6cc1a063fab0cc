"""Ranked threads become text for this turn, or silence.

What is relevant enough, not in the agent's sight and worth its room is written
into one block. What came of it is remembered, so that the same is not said twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from ai_smartness.inject.budget import Room, fitting
from ai_smartness.inject.choice import Candidate, Sight, chosen, standing_reason
from ai_smartness.inject.ledger import InSight
from ai_smartness.inject.render import Beat, frame, rendered, written
from ai_smartness.inject.rules import InjectRules
from ai_smartness.inject.same import Seen, likeness
from ai_smartness.model.event import by_agent
from ai_smartness.model.focus import Focus
from ai_smartness.model.found import Hit
from ai_smartness.model.injection import Entry, Injection, Reason
from ai_smartness.model.session import Session, Skipped
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder, ThreadStore, Worktree
from ai_smartness.retrieve.excerpt import excerpt
from ai_smartness.retrieve.freshness import changed_since
from ai_smartness.retrieve.hit import hit_of
from ai_smartness.retrieve.rank import Ranked, ranked
from ai_smartness.retrieve.telling import telling_words
from ai_smartness.threads.decay import decayed
from ai_smartness.threads.focus import foci_in_force, focus_boost, is_focused

__all__ = ["Turn", "inject"]

LINE_CHARACTERS = 320
"""Of one message: a few sentences around what matched."""

LATEST_EVENTS = 100
"""Of a thread that is shown unasked, those among which a person's last words are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A prompt with what surrounds it: the session at this turn, the time, the files, the room.

    What is shown stays in the agent's sight unless `lasting` is false.
    """

    prompt: str
    projects: tuple[str, ...]
    session: Session
    now: datetime
    beat: Beat
    budget: int
    half_life_days: float
    embedder: Embedder | None = None
    worktree: Worktree | None = None
    lasting: bool = True


def inject(store: ThreadStore, hits: Sequence[Hit], turn: Turn, rules: InjectRules) -> Injection:
    """Return what to put in front of a turn, from the messages found for it."""
    candidates = _candidates(store, hits, turn, rules)
    found = chosen(candidates, _sight(store, candidates, turn, rules), rules)
    words = telling_words(turn.prompt)
    entries = [_with_lines_cut(entry, words) for entry in found.entries]
    room = Room(tokens=turn.budget, standing_share=rules.standing_share, entries=rules.most_threads)
    kept, cut = fitting(entries, room, "".join(frame(turn.beat)), partial(written, now=turn.now))
    no_room = [Skipped(e.thread.id, e.thread.title, "no room left", e.relevance) for e in cut]
    return Injection(
        text=rendered(kept, turn.beat, turn.now),
        entries=tuple(kept),
        skipped=(*found.skipped, *no_room),
    )


def _candidates(
    store: ThreadStore, hits: Sequence[Hit], turn: Turn, rules: InjectRules
) -> list[Candidate]:
    """Return the threads that are thought of: those of the hits, that stand, that are in focus."""
    foci = foci_in_force(store, turn.projects, turn.session.id, turn.now)

    def present(id_: str) -> Thread:
        return decayed(store.threads.get(id_), turn.now, turn.half_life_days)

    def stale(_thread: Thread, messages: Sequence[Hit]) -> tuple[str, ...]:
        shown = (hit.seq for hit in messages[: rules.lines])
        return changed_since(store.notes.of(shown).values(), turn.worktree)

    order = ranked(hits, present, stale)
    found = [Candidate(each, _reason(each, turn, rules)) for each in order]
    known = {candidate.thread.id for candidate in found}
    stand = (thread.id for project in turn.projects for thread in store.threads.standing(project))
    asked_for = (each.topic for each in foci if each.weight and store.threads.has(each.topic))
    others = [id_ for id_ in dict.fromkeys((*stand, *asked_for)) if id_ not in known]
    found += [_standing(store, present(id_), rules) for id_ in others]
    return [_focused(candidate, foci) for candidate in found]


def _focused(candidate: Candidate, foci: Sequence[Focus]) -> Candidate:
    """Return a candidate with what is in focus; the thread itself is worth showing for that."""
    reason = Reason.FOCUS if is_focused(candidate.thread, foci) else candidate.reason
    return replace(candidate, reason=reason, boost=focus_boost(candidate.thread, foci))


def _reason(found: Ranked, turn: Turn, rules: InjectRules) -> Reason:
    thread = found.thread
    standing = standing_reason(thread)
    if standing is not None:
        return standing
    if thread.importance >= rules.important:
        return Reason.IMPORTANT
    recent = turn.now - thread.last_active <= timedelta(hours=rules.recent_hours)
    here = any(hit.session == turn.session.id for hit in found.messages)
    return Reason.RECENT if recent and (here or not rules.recent_session_only) else Reason.RELEVANT


def _standing(store: ThreadStore, thread: Thread, rules: InjectRules) -> Candidate:
    """Return a thread that is shown whatever is asked, by what a person said last on it."""
    events = store.events.latest_on(thread.id, LATEST_EVENTS)
    said = [event for event in events if not by_agent(event)] or events
    hits = tuple(hit_of(event, 0.0, None, 0.0) for event in reversed(said[-rules.lines :]))
    return Candidate(Ranked(thread, hits, 0.0, ()), standing_reason(thread) or Reason.IMPORTANT)


def _sight(
    store: ThreadStore, candidates: Sequence[Candidate], turn: Turn, rules: InjectRules
) -> Sight:
    session = turn.session
    remembers = bool(session.id) and turn.lasting
    shown = store.ledger.shown(session.project, session.id) if remembers else []

    def own_since(thread_id: str, seq: int) -> int:
        return store.events.count_on(thread_id, session.id, seq)

    in_sight = InSight(shown[: rules.in_sight], session, rules.depth_turns, own_since)
    lines = [hit.seq for each in candidates for hit in each.ranked.messages]
    seen = _seen(store, [*in_sight.seqs, *lines], turn, rules)
    for seq, event in store.events.by_seq(in_sight.seqs).items():
        seen.add(seq, event.at)
    return Sight(prompt=turn.prompt, session=session, shown=in_sight, seen=seen)


def _seen(store: ThreadStore, seqs: Sequence[int], turn: Turn, rules: InjectRules) -> Seen:
    """Return what compares messages, by the vectors there are of them."""
    if turn.embedder is None:
        return Seen({}, float, rules.same)
    vectors = {
        seq: vector
        for project in turn.projects
        for seq, vector in store.vectors.of_events(project, turn.embedder.space, seqs).items()
    }
    return Seen(vectors, partial(likeness, strangers=turn.embedder.strangers), rules.same)


def _with_lines_cut(entry: Entry, words: Sequence[str]) -> Entry:
    lines = (replace(line, text=excerpt(line.text, words, LINE_CHARACTERS)) for line in entry.lines)
    return replace(entry, lines=tuple(lines))

"""Ranked threads become text for this turn, or silence.

What is relevant enough, not in the agent's sight and worth its room is written
into one block. What came of it is remembered, so that the same is not said twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from ai_smartness.inject.block import Beat, block_frame, entry_text, rendered_block
from ai_smartness.inject.dedupe import VisibleMessages, similarity_from_cosine
from ai_smartness.inject.select import (
    InjectionCandidate,
    VisibleContext,
    selected_entries,
    standing_reason,
)
from ai_smartness.inject.token_budget import BlockBudget, entries_within_budget
from ai_smartness.inject.visibility import ShownThreads
from ai_smartness.model.event import is_by_agent
from ai_smartness.model.focus import Focus
from ai_smartness.model.injection import InjectedThread, Injection, InjectionReason
from ai_smartness.model.search import Hit
from ai_smartness.model.session import Session, SkippedThread
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder, ThreadStore, Worktree
from ai_smartness.search.freshness import changed_files_since
from ai_smartness.search.rank import RankedThread, hit_from_event, ranked_threads
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.text.excerpt import matching_excerpt
from ai_smartness.text.keywords import subject_words
from ai_smartness.threads.decay import decayed_thread
from ai_smartness.threads.focus import foci_in_force, focus_boost, is_focused

__all__ = ["PromptTurn", "inject"]

LINE_CHARACTERS = 320
"""Of one message: a few sentences around what matched."""

LATEST_EVENTS = 100
"""Of a thread that is shown unasked, those among which a person's last words are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTurn:
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


def inject(
    store: ThreadStore,
    hits: Sequence[Hit],
    turn: PromptTurn,
    rules: InjectSettings,
) -> Injection:
    """Return what to put in front of a turn, from the messages found for it."""
    candidates = _candidate_threads(store, hits, turn, rules)
    found = selected_entries(candidates, _visible_context(store, candidates, turn, rules), rules)
    words = subject_words(turn.prompt)
    entries = [_shortened_entry(entry, words) for entry in found.entries]
    room = BlockBudget(
        tokens=turn.budget,
        standing_share=rules.standing_share,
        entries=rules.most_threads,
    )
    kept, cut = entries_within_budget(
        entries,
        room,
        "".join(block_frame(turn.beat)),
        partial(entry_text, now=turn.now),
    )
    no_room = [SkippedThread(e.thread.id, e.thread.title, "no room left", e.relevance) for e in cut]
    return Injection(
        text=rendered_block(kept, turn.beat, turn.now),
        entries=tuple(kept),
        skipped=(*found.skipped, *no_room),
    )


def _candidate_threads(
    store: ThreadStore,
    hits: Sequence[Hit],
    turn: PromptTurn,
    rules: InjectSettings,
) -> list[InjectionCandidate]:
    """Return the threads that are thought of: those of the hits, that stand, that are in focus."""
    foci = foci_in_force(store, turn.projects, turn.session.id, turn.now)

    def current_thread(id_: str) -> Thread:
        return decayed_thread(store.threads.get(id_), turn.now, turn.half_life_days)

    def changed_files(_thread: Thread, messages: Sequence[Hit]) -> tuple[str, ...]:
        shown = (hit.seq for hit in messages[: rules.lines])
        return changed_files_since(store.annotations.of(shown).values(), turn.worktree)

    order = ranked_threads(hits, current_thread, changed_files)
    found = [InjectionCandidate(each, _inclusion_reason(each, turn, rules)) for each in order]
    known = {candidate.thread.id for candidate in found}
    stand = (
        thread.id for project in turn.projects for thread in store.threads.always_shown(project)
    )
    asked_for = (each.topic for each in foci if each.weight and store.threads.has(each.topic))
    others = [id_ for id_ in dict.fromkeys((*stand, *asked_for)) if id_ not in known]
    found += [_standing_candidate(store, current_thread(id_), rules) for id_ in others]
    return [_focused_candidate(candidate, foci) for candidate in found]


def _focused_candidate(candidate: InjectionCandidate, foci: Sequence[Focus]) -> InjectionCandidate:
    """Return a candidate with what is in focus; the thread itself is worth showing for that."""
    reason = InjectionReason.FOCUS if is_focused(candidate.thread, foci) else candidate.reason
    return replace(candidate, reason=reason, boost=focus_boost(candidate.thread, foci))


def _inclusion_reason(
    found: RankedThread, turn: PromptTurn, rules: InjectSettings
) -> InjectionReason:
    thread = found.thread
    standing = standing_reason(thread)
    if standing is not None:
        return standing
    if thread.importance >= rules.important:
        return InjectionReason.IMPORTANT
    recent = turn.now - thread.last_active <= timedelta(hours=rules.recent_hours)
    here = any(hit.session == turn.session.id for hit in found.messages)
    return (
        InjectionReason.RECENT
        if recent and (here or not rules.recent_session_only)
        else InjectionReason.RELEVANT
    )


def _standing_candidate(
    store: ThreadStore,
    thread: Thread,
    rules: InjectSettings,
) -> InjectionCandidate:
    """Return a thread that is shown whatever is asked, by what a person said last on it."""
    events = store.events.latest_of_thread(thread.id, LATEST_EVENTS)
    said = [event for event in events if not is_by_agent(event)] or events
    hits = tuple(hit_from_event(event, 0.0, None, 0.0) for event in reversed(said[-rules.lines :]))
    return InjectionCandidate(
        RankedThread(thread, hits, 0.0, ()),
        standing_reason(thread) or InjectionReason.IMPORTANT,
    )


def _visible_context(
    store: ThreadStore,
    candidates: Sequence[InjectionCandidate],
    turn: PromptTurn,
    rules: InjectSettings,
) -> VisibleContext:
    session = turn.session
    remembers = bool(session.id) and turn.lasting
    shown = store.ledger.shown_entries(session.project, session.id) if remembers else []

    def own_messages_since(thread_id: str, seq: int) -> int:
        return store.events.count_on_thread(thread_id, session.id, seq)

    in_sight = ShownThreads(shown[: rules.in_sight], session, rules.depth_turns, own_messages_since)
    lines = [hit.seq for each in candidates for hit in each.ranked.messages]
    seen = _visible_messages(store, [*in_sight.seqs, *lines], turn, rules)
    for seq, event in store.events.by_seq(in_sight.seqs).items():
        seen.add(seq, event.at)
    return VisibleContext(
        prompt=turn.prompt,
        session=session,
        shown_threads=in_sight,
        messages=seen,
    )


def _visible_messages(
    store: ThreadStore,
    seqs: Sequence[int],
    turn: PromptTurn,
    rules: InjectSettings,
) -> VisibleMessages:
    """Return what compares messages, by the vectors there are of them."""
    if turn.embedder is None:
        return VisibleMessages({}, float, rules.same)
    vectors = {
        seq: vector
        for project in turn.projects
        for seq, vector in store.vector_index.event_centres(
            project,
            turn.embedder.space,
            seqs,
        ).items()
    }
    return VisibleMessages(
        vectors,
        partial(similarity_from_cosine, strangers=turn.embedder.unrelated_cosine),
        rules.same,
    )


def _shortened_entry(entry: InjectedThread, words: Sequence[str]) -> InjectedThread:
    lines = (
        replace(line, text=matching_excerpt(line.text, words, LINE_CHARACTERS))
        for line in entry.lines
    )
    return replace(entry, lines=tuple(lines))

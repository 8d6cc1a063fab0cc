"""Choose memory for this turn and write it as one block, or stay silent.

The prompt is looked up as a whole and part by part. If it can need the memory and something
matches, the sentences that answer best are shown, unless the agent sees them already, within the
token budget. The ledger records what was shown, so that nothing is repeated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from ai_smartness.inject.block import Beat, block_frame, rendered_block
from ai_smartness.inject.dedupe import (
    ShownThreads,
    VisibleLines,
    is_in_prompt,
    is_whole_message,
    similarity_from_cosine,
)
from ai_smartness.inject.gate import PromptGate, messages_in_sight, prompt_need
from ai_smartness.inject.prompt import (
    has_telling_words,
    is_follow_up_question,
    is_long_prompt,
    query_with_context,
)
from ai_smartness.inject.select import (
    InjectionCandidate,
    VisibleContext,
    entries_within_budget,
    is_own_message,
    selected_entries,
    skipped_entry,
    standing_reason,
)
from ai_smartness.inject.unasked import unasked_hits
from ai_smartness.model.event import Event, event_tier, is_by_agent
from ai_smartness.model.injection import Injection, InjectionReason
from ai_smartness.model.search import Hit
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder, ThreadStore, Worktree
from ai_smartness.search.answer_lines import merged_hits
from ai_smartness.search.passages import answering_lines, passage_hits
from ai_smartness.search.query_parts import query_parts
from ai_smartness.search.rank import (
    RankedThread,
    changed_files_since,
    hit_from_event,
    ranked_threads,
)
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.text.display import shortened_text
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.text.trust import UNTRUSTED_TIERS
from ai_smartness.threads.decay import decayed_thread
from ai_smartness.threads.focus import foci_in_force, focus_boost, is_focused

__all__ = ["PromptSearch", "PromptTurn", "inject"]

PROMPT_HITS = 40  # messages of other sessions whose sentences are compared
MOST_PASSAGES = 24  # sentences considered: more than a block has room for
OWN_PASSAGES = 3
PART_HITS = 10  # messages searched for one part of a prompt
LONG_PROMPT_BUDGETS = 2  # a prompt with many items has room for the answers to all of them
SEARCHED_HITS = 60
"""Messages searched in a session, which finds its own messages first and knows them already."""

RECENT_EVENTS = 50  # events of a session among which its earlier prompts are
RECENT_MESSAGES = 4
RECENT_CHARACTERS = 2_000
"""The session's last messages, whose words do not make another message relevant."""

LINE_CHARACTERS = 220  # of a message of an always shown thread
LATEST_EVENTS = 100  # events of an always shown thread among which the user's last messages are

PromptSearch: TypeAlias = Callable[[str, int, str], list[Hit]]
"""Searches a query; takes the limit and the text that the session has just seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTurn:
    """A prompt with its surroundings: session, time, files and token budget.

    The agent keeps seeing what it is shown unless `lasting` is false.
    """

    prompt: str = ""
    projects: tuple[str, ...]
    session: Session
    now: datetime
    beat: Beat
    budget: int = 0
    half_life_days: float
    embedder: Embedder | None = None
    worktree: Worktree | None = None
    lasting: bool = True


def inject(
    store: ThreadStore, search: PromptSearch, turn: PromptTurn, rules: InjectSettings
) -> Injection:
    """Return the memory to put in front of a turn."""
    earlier = _earlier_events(store, turn)
    query, hits = _prompt_hits(search, turn, rules, earlier)
    answering = answering_lines(store, turn.embedder, turn.projects, query, hits)
    found = passage_hits(answering, turn.now) if hits else []
    passages = _considered_passages(unasked_hits(store, found, query), turn.session)
    candidates = _candidate_threads(store, passages, turn, rules)
    visible = _visible_context(store, candidates, turn, rules)
    gate = PromptGate(
        prompt_need(turn.prompt, turn.embedder) if passages else None,
        messages_in_sight(earlier, turn.session.epoch_seq, turn.now),
    )
    budget = turn.budget * (LONG_PROMPT_BUDGETS if is_long_prompt(turn.prompt) else 1)
    room = budget - estimate_tokens("".join(block_frame(turn.beat)))
    selected, skipped = selected_entries(candidates, visible, rules, gate, tokens=room)
    fitting, cut = entries_within_budget(selected, budget, rules, turn.beat, turn.now)
    no_room = (skipped_entry(entry, "no room left") for entry in cut)
    return Injection(
        text=rendered_block(fitting, turn.beat, turn.now),
        certainty=max(map(gate.certainty, _new_relevances(passages, turn.session)), default=0.0),
        entries=tuple(fitting),
        skipped=(*skipped, *no_room),
    )


def _earlier_events(store: ThreadStore, turn: PromptTurn) -> list[Event]:
    """Return what the session said before this prompt, the newest first."""
    session = turn.session
    if not session.id:
        return []
    latest = store.events.latest_of_session(session.project, session.id, RECENT_EVENTS)
    # The prompt itself may be captured already.
    return [event for event in latest if not is_in_prompt(event.text, turn.prompt)]


def _prompt_hits(
    search: PromptSearch, turn: PromptTurn, rules: InjectSettings, earlier: Sequence[Event]
) -> tuple[str, list[Hit]]:
    """Search for a prompt, together with what the session said just before it."""
    prompt, session = turn.prompt, turn.session
    if not has_telling_words(prompt):
        return prompt, []
    prompts = [event.text for event in earlier if not is_by_agent(event)]
    query = query_with_context(prompt, prompts[: rules.turns_before])
    visible = (event for event in earlier[:RECENT_MESSAGES] if event.seq > session.epoch_seq)
    session_text = "\n".join(event.text[:RECENT_CHARACTERS] for event in visible)
    if is_follow_up_question(prompt):
        session_text = ""
    whole = search(query, SEARCHED_HITS, session_text)
    parts = [search(part, PART_HITS, session_text) for part in query_parts(prompt)]
    hits = merged_hits(whole, parts)
    others = [hit for hit in hits if not is_own_message(hit, session)][:PROMPT_HITS]
    own = [hit for hit in hits[:PROMPT_HITS] if is_own_message(hit, session)]
    return query, sorted([*others, *own], key=hits.index)


def _considered_passages(passages: Sequence[Hit], session: Session) -> list[Hit]:
    """Return the best sentences of other sessions, and a few of this one, which are not shown."""
    own = [hit for hit in passages if is_own_message(hit, session)][:OWN_PASSAGES]
    others = [hit for hit in passages if not is_own_message(hit, session)][:MOST_PASSAGES]
    return sorted([*others, *own], key=passages.index)


def _new_relevances(passages: Sequence[Hit], session: Session) -> list[float]:
    """Return how relevant each sentence is that the session did not say itself."""
    return [hit.relevance for hit in passages if not is_own_message(hit, session)]


def _candidate_threads(
    store: ThreadStore, hits: Sequence[Hit], turn: PromptTurn, rules: InjectSettings
) -> list[InjectionCandidate]:
    """Return the threads of the hits, those that are always shown, and those in focus."""
    foci = foci_in_force(store, turn.projects, turn.session.id, turn.now)

    def current_thread(id_: str) -> Thread:
        return decayed_thread(store.threads.get(id_), turn.now, turn.half_life_days)

    def changed_files(_thread: Thread, messages: Sequence[Hit]) -> tuple[str, ...]:
        seqs = (hit.seq for hit in messages[: rules.lines])
        return changed_files_since(store.annotations.of(seqs).values(), turn.worktree)

    candidates = [
        InjectionCandidate(ranked, _inclusion_reason(ranked, turn, rules))
        for ranked in ranked_threads(hits, current_thread, changed_files)
    ]
    known = {candidate.thread.id for candidate in candidates}
    standing = (
        thread.id for project in turn.projects for thread in store.threads.always_shown(project)
    )
    focused = (focus.topic for focus in foci if focus.weight and store.threads.has(focus.topic))
    others = [id_ for id_ in dict.fromkeys((*standing, *focused)) if id_ not in known]
    candidates += [_standing_candidate(store, current_thread(id_), rules) for id_ in others]
    return [
        replace(
            candidate,
            reason=(
                InjectionReason.FOCUS if is_focused(candidate.thread, foci) else candidate.reason
            ),
            boost=focus_boost(candidate.thread, foci),
        )
        for candidate in candidates
    ]


def _inclusion_reason(
    ranked: RankedThread, turn: PromptTurn, rules: InjectSettings
) -> InjectionReason:
    thread = ranked.thread
    standing = standing_reason(thread)
    if standing is not None:
        return standing
    if thread.importance >= rules.important:
        return InjectionReason.IMPORTANT
    is_recent = turn.now - thread.last_active <= timedelta(hours=rules.recent_hours)
    is_here = any(hit.session == turn.session.id for hit in ranked.messages)
    if is_recent and (is_here or not rules.recent_session_only):
        return InjectionReason.RECENT
    return InjectionReason.RELEVANT


def _standing_candidate(
    store: ThreadStore, thread: Thread, rules: InjectSettings
) -> InjectionCandidate:
    """Return a thread that is shown for any prompt, with the user's last messages."""
    events = store.events.latest_of_thread(thread.id, LATEST_EVENTS)
    spoken = [event for event in events if event_tier(event) not in UNTRUSTED_TIERS]
    by_user = [event for event in spoken if not is_by_agent(event)] or spoken
    latest = reversed(by_user[-rules.lines :])
    whole = (hit_from_event(event, 0.0, None, 0.0) for event in latest)
    hits = tuple(
        replace(hit, text=shortened_text(" ".join(hit.text.split()), LINE_CHARACTERS))
        for hit in whole
    )
    reason = standing_reason(thread) or InjectionReason.IMPORTANT
    return InjectionCandidate(RankedThread(thread, hits, 0.0, ()), reason)


def _visible_context(
    store: ThreadStore,
    candidates: Sequence[InjectionCandidate],
    turn: PromptTurn,
    rules: InjectSettings,
) -> VisibleContext:
    session = turn.session
    remembers = bool(session.id) and turn.lasting
    entries = store.ledger.shown_entries(session.project, session.id) if remembers else []

    def own_messages_since(thread_id: str, seq: int) -> int:
        return store.events.count_on_thread(thread_id, session.id, seq)

    threads = ShownThreads(
        entries[: rules.in_sight], session, rules.depth_turns, own_messages_since
    )
    lines = [hit.seq for candidate in candidates for hit in candidate.ranked.messages]
    visible = _empty_visible_lines(store, [*threads.texts, *lines], turn, rules)
    for seq, event in store.events.by_seq(threads.texts).items():
        for text in threads.texts[seq]:
            is_whole = text is None or is_whole_message(text, event.text)
            visible.add(seq, event.at, None if is_whole else text)
    return VisibleContext(prompt=turn.prompt, session=session, shown_threads=threads, lines=visible)


def _empty_visible_lines(
    store: ThreadStore, seqs: Sequence[int], turn: PromptTurn, rules: InjectSettings
) -> VisibleLines:
    """Return the comparison of messages by their vectors, as far as there are any."""
    embedder = turn.embedder
    if embedder is None:
        return VisibleLines({}, float, rules.same)
    vectors = {
        seq: vector
        for project in turn.projects
        for seq, vector in store.vector_index.event_centres(project, embedder.space, seqs).items()
    }
    similarity = partial(similarity_from_cosine, unrelated_cosine=embedder.unrelated_cosine)
    return VisibleLines(vectors, similarity, rules.same)

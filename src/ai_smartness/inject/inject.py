"""Choose memory for this turn and write it as one block, or stay silent.

The prompt is looked up as a whole and part by part. If it can need the memory and something
matches, the sentences that answer best are shown, unless the agent sees them already, within the
token budget. The ledger records what was shown, so that nothing is repeated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.inject.block import Beat, block_frame, current_beat, rendered_block
from ai_smartness.inject.dedupe import (
    BRIEF_REVISION,
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
from ai_smartness.search.passages import AnswerReads, answering_lines, passage_hits
from ai_smartness.search.query_parts import query_parts
from ai_smartness.search.rank import (
    RankedThread,
    changed_files_since,
    hit_from_event,
    ranked_threads,
)
from ai_smartness.search.statement_matches import statement_vector_reads
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.text.display import shortened_text
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.text.trust import UNTRUSTED_TIERS
from ai_smartness.threads.decay import decayed_thread
from ai_smartness.threads.focus import foci_in_force, focus_boost, is_focused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PromptSearch", "PromptTurn", "inject", "load_session"]

NO_BEAT = Beat(0, 0)

PROMPT_HITS = 80  # messages of other sessions whose sentences are compared
MOST_PASSAGES = 24  # sentences considered: more than a block has room for
OWN_PASSAGES = 3
PART_HITS = 10  # messages searched for one part of a prompt
LONG_PROMPT_BUDGETS = 2  # a prompt with many items has room for the answers to all of them
SEARCHED_HITS = 100
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
    beat: Beat = NO_BEAT
    budget: int = 0
    half_life_days: float
    embedder: Embedder | None = None
    worktree: Worktree | None = None
    lasting: bool = True


def inject(
    store: ThreadStore, search: PromptSearch, turn: PromptTurn, rules: InjectSettings
) -> tuple[Injection, Beat]:
    """Return the memory to put in front of a turn, and the beat."""
    earlier = _earlier_events(store, turn)
    query, queries, session_text = _prompt_queries(turn, rules, earlier)
    beat, _, *others = store.read_together(
        partial(current_beat, store, turn.session, turn.now, rules.beat_minutes),
        partial(_load_shown_events, store, turn, rules),
        *(partial(search, one, limit, session_text) for one, limit in queries),
        *statement_vector_reads(store, turn.embedder, turn.projects),
    )
    turn = replace(turn, beat=beat)
    hits = _prompt_hits(others[: len(queries)], turn.session)
    answering = answering_lines(
        *(store, turn.embedder, turn.projects, query, hits),
        AnswerReads(
            partial(_file_reads, store, turn), in_sight=_shown_threads(store, turn, rules).texts
        ),
    )
    found = passage_hits(answering, turn.now) if hits else []
    passages = _considered_passages(unasked_hits(store, found, query), turn.session)
    candidates = _candidate_threads(store, passages, turn, rules)
    visible = _visible_context(store, candidates, turn, rules)
    gate = PromptGate(
        prompt_need(turn.prompt, turn.embedder) if passages else None,
        messages_in_sight(earlier, turn.session.epoch_seq, turn.now),
        has_error=any(find_error_messages(turn.prompt)),
        characters=len(turn.prompt),
    )
    budget = turn.budget * (LONG_PROMPT_BUDGETS if is_long_prompt(turn.prompt) else 1)
    room = budget - estimate_tokens("".join(block_frame(turn.beat)))
    selected, skipped = selected_entries(candidates, visible, rules, gate, tokens=room)
    fitting, cut = entries_within_budget(selected, budget, rules, turn.beat, turn.now)
    no_room = (skipped_entry(entry, "no room left") for entry in cut)
    injection = Injection(
        text=rendered_block(fitting, turn.beat, turn.now),
        certainty=max(map(gate.certainty, _new_relevances(passages, turn.session)), default=0.0),
        entries=tuple(fitting),
        skipped=(*skipped, *no_room),
    )
    return injection, beat


def load_session(store: ThreadStore, projects: Sequence[str], session: str, now: datetime) -> None:
    """Read at once what every prompt of a session needs, for a store that remembers it."""
    project = projects[0]
    of_session = (
        partial(store.threads.find_session, project, session),
        partial(store.events.latest_of_session, project, session, RECENT_EVENTS),
        partial(store.ledger.shown_entries, project, session),
    )
    store.read_together(
        *(of_session if session else ()),
        partial(store.events.after_seq, project, 0, 1),
        partial(store.foci.in_force, projects, session, now),
        *(partial(store.threads.always_shown, one) for one in projects),
        *(partial(store.statements.reviews, one) for one in projects),
    )


def _earlier_events(store: ThreadStore, turn: PromptTurn) -> list[Event]:
    """Return what the session said before this prompt, the newest first."""
    session = turn.session
    if not session.id:
        return []
    latest = store.events.latest_of_session(session.project, session.id, RECENT_EVENTS)
    # The prompt itself may be captured already.
    return [event for event in latest if not is_in_prompt(event.text, turn.prompt)]


def _prompt_queries(
    turn: PromptTurn, rules: InjectSettings, earlier: Sequence[Event]
) -> tuple[str, list[tuple[str, int]], str]:
    """Return the query of a prompt, which has what the session said just before it.

    Then what is searched for, as a whole and part by part, each with its limit, and the text
    that the session has just seen.
    """
    prompt, session = turn.prompt, turn.session
    if not has_telling_words(prompt):
        return prompt, [], ""
    prompts = [event.text for event in earlier if not is_by_agent(event)]
    query = query_with_context(prompt, prompts[: rules.turns_before])
    visible = (event for event in earlier[:RECENT_MESSAGES] if event.seq > session.epoch_seq)
    session_text = "\n".join(event.text[:RECENT_CHARACTERS] for event in visible)
    if is_follow_up_question(prompt):
        session_text = ""
    parts = [(part, PART_HITS) for part in query_parts(prompt)]
    return query, [(query, SEARCHED_HITS), *parts], session_text


def _prompt_hits(searched: Sequence[list[Hit]], session: Session) -> list[Hit]:
    """Return the messages that were found for a prompt and its parts."""
    if not searched:
        return []
    whole, *parts = searched
    hits = merged_hits(whole, parts)
    own = {place for place, hit in enumerate(hits) if is_own_message(hit, session)}
    others = [place for place in range(len(hits)) if place not in own][:PROMPT_HITS]
    chosen = {*others, *(place for place in own if place < PROMPT_HITS)}
    return [hits[place] for place in sorted(chosen)]


def _considered_passages(passages: Sequence[Hit], session: Session) -> list[Hit]:
    """Return the best sentences of other sessions, and a few of this one, which are not shown."""
    places = {True: list[int](), False: list[int]()}
    for place, hit in enumerate(passages):
        places[is_own_message(hit, session)].append(place)
    chosen = [*places[False][:MOST_PASSAGES], *places[True][:OWN_PASSAGES]]
    return [passages[place] for place in sorted(chosen)]


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
        if turn.worktree is None:
            return ()
        seqs = (hit.seq for hit in messages[: rules.lines])
        return changed_files_since(store.annotations.mentions(seqs), turn.worktree)

    # Most were read with the answers.
    store.read_together(
        partial(store.threads.by_id, sorted({hit.thread_id for hit in hits})),
        *_file_reads(store, turn, sorted({hit.seq for hit in hits}), []),
    )
    candidates = [
        InjectionCandidate(ranked, _inclusion_reason(ranked, turn, rules))
        for ranked in ranked_threads(hits, current_thread, changed_files)
    ]
    known = {candidate.thread.id for candidate in candidates}
    others = [thread.id for thread in _unasked_threads(store, turn) if thread.id not in known]
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


def _file_reads(
    store: ThreadStore, turn: PromptTurn, seqs: list[int], _thread_ids: list[str]
) -> Iterator[Callable[[], object]]:
    """Yield the read of the files that messages name, if there are files to compare with."""
    if turn.worktree is not None:
        yield partial(store.annotations.mentions, seqs)


def _unasked_threads(store: ThreadStore, turn: PromptTurn) -> list[Thread]:
    """Return the threads that are shown for any prompt: those always shown, and those in focus."""
    standing = {
        thread.id: thread
        for project in turn.projects
        for thread in store.threads.always_shown(project)
    }
    foci = foci_in_force(store, turn.projects, turn.session.id, turn.now)
    # A topic of any other form is asked for in vain.
    topics = [one.topic for one in foci if one.weight and one.topic.startswith("thread_")]
    return list((standing | store.threads.by_id(topics)).values())


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
    session, threads = turn.session, _shown_threads(store, turn, rules)
    lines = [hit.seq for candidate in candidates for hit in candidate.ranked.messages]
    revised = threads.revised_entries(candidate.thread for candidate in candidates)
    visible, *_ = store.read_together(
        partial(_empty_visible_lines, store, [*threads.texts, *lines], turn, rules),
        *(
            partial(store.events.count_on_thread, entry.thread_id, session.id, entry.through)
            for entry in revised
        ),
    )
    for seq, event in store.events.by_seq(threads.texts).items():
        for text in threads.texts[seq]:
            is_whole = text is None or is_whole_message(text, event.text)
            visible.add(seq, event.at, None if is_whole else text)
    return VisibleContext(prompt=turn.prompt, session=session, shown_threads=threads, lines=visible)


def _shown_threads(store: ThreadStore, turn: PromptTurn, rules: InjectSettings) -> ShownThreads:
    session = turn.session
    remembers = bool(session.id) and turn.lasting
    entries = store.ledger.shown_entries(session.project, session.id) if remembers else []

    def own_messages_since(thread_id: str, seq: int) -> int:
        return store.events.count_on_thread(thread_id, session.id, seq)

    latest, older = entries[: rules.in_sight], entries[rules.in_sight :]
    compared = [*latest, *(entry for entry in older if entry.revision == BRIEF_REVISION)]
    return ShownThreads(compared, session, rules.depth_turns, own_messages_since)


def _load_shown_events(store: ThreadStore, turn: PromptTurn, rules: InjectSettings) -> None:
    """Read the messages that are visible, and those of threads that are always shown."""
    texts = _shown_threads(store, turn, rules).texts
    unasked, _ = store.read_together(
        partial(_unasked_threads, store, turn), partial(store.events.by_seq, texts)
    )
    candidates = store.read_together(
        *(partial(_standing_candidate, store, thread, rules) for thread in unasked)
    )
    lines = (hit.seq for candidate in candidates for hit in candidate.ranked.messages)
    _event_centres(store, [*texts, *lines], turn)


def _empty_visible_lines(
    store: ThreadStore, seqs: Sequence[int], turn: PromptTurn, rules: InjectSettings
) -> VisibleLines:
    """Return the comparison of messages by their vectors, as far as there are any."""
    if turn.embedder is None:
        return VisibleLines({}, float, rules.same)
    unrelated = turn.embedder.unrelated_cosine
    similarity = partial(similarity_from_cosine, unrelated_cosine=unrelated)
    return VisibleLines(_event_centres(store, seqs, turn), similarity, rules.same)


def _event_centres(
    store: ThreadStore, seqs: Sequence[int], turn: PromptTurn
) -> "dict[int, NDArray[np.float32]]":
    """Return the mean vectors of events, of whichever project they are."""
    if turn.embedder is None or not seqs:
        return {}
    read = store.vector_index.event_centres
    centres = store.read_together(
        *(partial(read, project, turn.embedder.space, seqs) for project in turn.projects)
    )
    return {seq: vector for of in centres for seq, vector in of.items()}

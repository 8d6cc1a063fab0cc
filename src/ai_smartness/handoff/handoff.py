"""Write the handoff of a session: a short account of where it stood, and who gets which.

It has the goal, constraints and decisions, open tasks, changed files, commands and how
they ended, errors that are not solved, the last messages word for word, and the session's
threads. Constraints, decisions and open tasks are the session's statements that still hold.
Each sentence is told once. It reads no clock: the same log gives the same bytes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ai_smartness.condense.condenser import Context, EventNotes
from ai_smartness.condense.digest import (
    GOAL_START,
    digest_text,
    goal_event,
    is_named_in,
    is_small_talk,
)
from ai_smartness.condense.digest_items import ItemKind, gathered_material
from ai_smartness.handoff.handoff_items import add_statements, drop_noise
from ai_smartness.inject.brief import CLEARED, COMPACTED
from ai_smartness.inject.dedupe import LINES_ONLY_REVISION
from ai_smartness.model.event import Event, EventType, event_origin, is_by_agent
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.injection import InjectedLine, InjectedThread, InjectionReason
from ai_smartness.model.session import Session
from ai_smartness.model.statement import Speaker, Statement
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.sentences import message_sentences
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.text.token_count import (
    PLAIN_CHARACTERS_A_TOKEN,
    estimate_tokens,
    truncated_middle,
)
from ai_smartness.threads.change_plan import counted_messages

__all__ = [
    "LONG_HANDOFF",
    "SHORT_HANDOFF",
    "HandoffLength",
    "handoff_at_start",
    "handoff_for_asker",
    "session_handoff",
    "written_handoff",
]

TITLE_CHARACTERS = 120
SESSION_CHARACTERS = 80
PROMPT_CHARACTERS = 200

UNNOTED_EVENTS = 300
"""The latest events, read if they are not annotated yet: more take too long for a hook."""

LATEST_SESSIONS = 200
"""Sessions among which the last one is: imported messages are older than their number."""

_GOODBYE = re.compile(
    r"\b(?:(?:good)?bye|see you|good night|that(?:'s| is) (?:it|all)|(?:for|until|till)? ?(?:now"
    r"|today|tomorrow)|done|enough|tschüss|bis morgen|feierabend)\b",
    re.IGNORECASE,
)
_PROMPTS_HEADING = "What the user said before that, the latest last:"
_THREADS_HEADING = 'On these threads; Read(".ai/recall/THREAD_ID") gives one whole:'


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffLength:
    """The limits of a handoff: its parts in characters, threads, events read, kinds of items."""

    characters: int
    exchange_characters: int
    prompt_characters: int
    threads: int
    events: int
    item_kinds: frozenset[ItemKind]


LONG_HANDOFF = HandoffLength(
    characters=6_000,
    exchange_characters=2_000,
    prompt_characters=1_500,
    threads=8,
    events=2_000,
    item_kinds=frozenset(ItemKind) - {ItemKind.NUMBER},
)
"""For an agent that lost its context or asks; two pages."""

SHORT_HANDOFF = HandoffLength(
    characters=1_100,
    exchange_characters=260,
    prompt_characters=0,
    threads=2,
    events=400,
    item_kinds=frozenset(ItemKind) - {ItemKind.NUMBER, ItemKind.NAME},
)
"""For the next session, which may be about something else; its brief shows the last messages."""


def handoff_at_start(store: ThreadStore, session: Session, source: str) -> Handoff | None:
    """Return the handoff for a session that begins: its own after a compaction, else the last."""
    if source == CLEARED:
        return None
    if source == COMPACTED and session.id:
        own = session_handoff(store, session.project, session.id, LONG_HANDOFF)
        if own is not None:
            return own
    return _last_handoff(store, session, SHORT_HANDOFF)


def handoff_for_asker(store: ThreadStore, asker: Session, length: HandoffLength) -> Handoff | None:
    """Return the asker's own handoff if it cannot see all of it any more, else the last one."""
    begun = store.events.first_seq_of_session(asker.project, asker.id) if asker.id else 0
    own = session_handoff(store, asker.project, asker.id, length) if begun else None
    if own is not None and begun <= asker.epoch_seq:
        return own
    return _last_handoff(store, asker, length) or own


def _last_handoff(store: ThreadStore, asker: Session, length: HandoffLength) -> Handoff | None:
    """Return the handoff of the session that spoke last before the asker began.

    A session that is resumed gets the same one again.
    """
    begun = store.events.first_seq_of_session(asker.project, asker.id) if asker.id else 0
    sessions = {
        seq: session
        for session, seq in store.events.last_seqs_by_session(asker.project).items()
        if session != asker.id and not 0 < begun < seq
    }
    latest = store.events.by_seq(sorted(sessions)[-LATEST_SESSIONS:]).values()
    in_order = sorted(latest, key=lambda event: (event.at, event.seq), reverse=True)
    handoffs = (
        session_handoff(store, asker.project, sessions[event.seq], length) for event in in_order
    )
    return next((handoff for handoff in handoffs if handoff is not None), None)


def session_handoff(
    store: ThreadStore, project: str, session: str, length: HandoffLength
) -> Handoff | None:
    """Return where a session stood; nothing if it said nothing on a thread that is not archived."""
    latest = store.events.latest_of_session(project, session, length.events)[::-1]
    threads = {id_: store.threads.get(id_) for id_ in {event.thread_id for event in latest}}
    events = [event for event in latest if threads[event.thread_id].status is not Status.ARCHIVED]
    if not any(_is_spoken(event) for event in events):
        return None
    # New events are annotated a moment later: until then they are read.
    annotated = max(
        store.annotations.described_through(project),
        *(event.seq for event in events[:-UNNOTED_EVENTS]),
        0,
    )
    notes = EventNotes(
        store.annotations.of(event.seq for event in events if event.seq <= annotated)
    )
    stated = store.statements.of_events(event.seq for event in events)
    statements = [one for of_event in stated.values() for one in of_event if one.holds]
    return written_handoff(events, threads, notes, length, statements)


def written_handoff(
    events: Sequence[Event],
    threads: Mapping[str, Thread],
    notes: EventNotes,
    length: HandoffLength,
    statements: Sequence[Statement] = (),
) -> Handoff:
    """Write where a session stood, from its events in order."""
    lines = _last_words(events, length.exchange_characters)
    thread_ids = {event.seq: event.thread_id for event in events}
    named = [threads[id_] for id_ in _working_threads(events)][: length.threads]
    prompts = _earlier_prompts(events, lines, length.prompt_characters)
    written = [
        f"  {line.at:%Y-%m-%d} {one_line(line.origin or line.role)}: {line.text}" for line in lines
    ]
    tail = ["Last said:", *written, _THREADS_HEADING, *map(_titled_thread, named)]
    listed = len("\n".join(prompts))
    room = replace(length, characters=length.characters - listed - 1)
    digest = _session_digest(events, notes, room, "\n".join(tail), statements)
    if prompts:
        prompts = _earlier_prompts(events, lines, listed - len(_PROMPTS_HEADING), digest)
    text = "\n".join([digest, *prompts, *tail])
    entries = [
        _thread_entry(thread, [line for line in lines if thread_ids[line.seq] == thread.id])
        for thread in named
    ]
    rest = estimate_tokens(text) - sum(entry.tokens for entry in entries[1:])
    return Handoff(
        session=str(events[0].session),
        text=text,
        began=events[0].at,
        ended=events[-1].at,
        messages=len(events),
        entries=(replace(entries[0], tokens=rest), *entries[1:]),
    )


def _working_threads(events: Sequence[Event]) -> list[str]:
    """Return the ids of the session's threads, the latest first, without those of small talk."""
    latest = list(dict.fromkeys(event.thread_id for event in reversed(events)))
    working = {event.thread_id for event in events if not _is_chat(event)}
    return [id_ for id_ in latest if id_ in working] or latest


def _is_chat(event: Event) -> bool:
    """Say whether a message is small talk, or an answer, which may answer to small talk."""
    return _is_spoken(event) and (is_by_agent(event) or is_small_talk(event.text))


def _session_digest(
    events: Sequence[Event],
    notes: EventNotes,
    length: HandoffLength,
    tail: str,
    statements: Sequence[Statement],
) -> str:
    """Digest the events in the room before the tail, without repeating the tail."""
    characters = length.characters - len(tail) - 1
    context = Context(
        thread_id="",
        title="",
        # A token is estimated at no more characters than these, so the text cannot be longer.
        target=int(characters / PLAIN_CHARACTERS_A_TOKEN),
        now=events[-1].at,
        named=notes.mentions_of,
        # What the phrases propose is needed only where nothing was judged yet.
        stated=(lambda _: ()) if statements else notes.proposals_of,
    )
    material, head = gathered_material(events, context), _session_heading(events)
    add_statements(material, statements)
    material.drop_solved_errors()
    drop_noise(material)
    written = digest_text(material, context.target, context, head, tail, length.item_kinds)
    if goal := _goal_in(written):
        known = f"{tail}\n{goal}"
        again = digest_text(material, context.target, context, head, known, length.item_kinds)
        # With other items there may be less room for the goal, which then does not tell them.
        written = again if _goal_in(again) == goal else written
    lines = [
        one_line(line)
        for line in written.splitlines()
        if line != goal or not is_named_in(line.removeprefix(GOAL_START), tail)
    ]
    # `one_line` spells invisible characters out, which makes them longer.
    while len("\n".join(lines)) > characters and len(lines) > 1:
        lines.pop()
    return "\n".join(lines)


def _goal_in(digest: str) -> str:
    return next((line for line in digest.splitlines() if line.startswith(GOAL_START)), "")


def _session_heading(events: Sequence[Event]) -> str:
    first, last = f"{events[0].at:%Y-%m-%d}", f"{events[-1].at:%Y-%m-%d}"
    days = first if first == last else f"{first} – {last}"
    session = shortened_text(one_line(str(events[0].session)), SESSION_CHARACTERS)
    return f"Session {session}, {days}, {counted_messages(len(events))}."


def _last_words(events: Sequence[Event], characters: int) -> list[InjectedLine]:
    """Return the last messages of the user and of the agent that say something, in order."""
    spoken = [event for event in reversed(events) if _is_spoken(event)]
    telling = sorted(spoken, key=lambda event: _is_goodbye(event.text))
    last = [next((e for e in telling if is_by_agent(e) is agent), None) for agent in (False, True)]
    pair = sorted((event for event in last if event), key=lambda event: event.seq)
    lines: list[InjectedLine] = []
    # The shorter first: the longer one gets the room it leaves.
    by_length = sorted(pair, key=lambda event: (len(event.text), event.seq))
    for left, event in zip((2, 1)[-len(pair) :], by_length, strict=True):
        text = truncated_middle(one_line(event.text), characters // left, len)
        characters -= len(text)
        lines.append(
            InjectedLine(
                seq=event.seq,
                id=event.id,
                role=event.role,
                at=event.at,
                text=text,
                origin=event_origin(event),
            )
        )
    return sorted(lines, key=lambda line: line.seq)


def _is_goodbye(text: str) -> bool:
    """Say whether a message only ends the session."""
    rest = _GOODBYE.sub("", text)
    return rest != text and is_small_talk(rest)


def _says_nothing(text: str) -> bool:
    return is_small_talk(text) or _is_goodbye(text)


def _earlier_prompts(
    events: Sequence[Event],
    last_words: Sequence[InjectedLine],
    characters: int,
    known_text: str = "",
) -> list[str]:
    """List the user's messages between the goal and the last, without the sentences known."""
    shown_seqs, goal = {line.seq for line in last_words}, goal_event(events)
    after = goal.seq if goal else 0
    prompts = [event for event in events if _is_spoken(event) and not is_by_agent(event)]
    lines: list[str] = []
    for event in reversed([event for event in prompts if event.seq > after]):
        text = "" if event.seq in shown_seqs else _unknown_sentences(event.text, known_text)
        if not _says_nothing(text):
            line = f"- {shortened_text(text, PROMPT_CHARACTERS)}"
            characters -= len(line) + 1
            if characters < 0:
                break
            lines.append(line)
    return [_PROMPTS_HEADING, *reversed(lines)] if lines else []


def _unknown_sentences(message: str, known_text: str) -> str:
    """Return a message on one line without the sentences that are known."""
    text = one_line(message)
    if known_text:
        for sentence in message_sentences(message, Speaker.USER):
            words = one_line(sentence.words)
            if is_named_in(words, known_text):
                text = text.replace(words, "")
    return " ".join(text.split())


def _thread_entry(thread: Thread, lines: Sequence[InjectedLine]) -> InjectedThread:
    return InjectedThread(
        # Only these lines of the thread become visible: the rest may still be shown.
        thread=replace(thread, revision=LINES_ONLY_REVISION),
        lines=tuple(lines),
        reason=InjectionReason.RECENT,
        relevance=0.0,
        priority=0.0,
        why=f"{InjectionReason.RECENT}: shown when the session began",
        tokens=estimate_tokens(_titled_thread(thread)),
    )


def _titled_thread(thread: Thread) -> str:
    # A new thread is described a moment later.
    return f"[{thread.id}] {shortened_text(one_line(thread.title), TITLE_CHARACTERS) or 'untitled'}"


def _is_spoken(event: Event) -> bool:
    spoken = event.type in (EventType.USER_MESSAGE, EventType.AGENT_MESSAGE)
    return spoken and bool(event.text.strip())

"""Say where a session stood, from its log, in few words.

Goal, what the user stated, decisions, open tasks, files with what changed, commands and
how they ended, errors and their fixes, the last words as they were said, and the threads
that have all of it. No clock is asked: the same log gives the same bytes.

Find the session whose handoff somebody is to have.

After a compaction it is the agent's own. Who begins gets the one that spoke last before
it, also when it is resumed, so that it is told the same again. Who asks gets its own if
some of that is out of its sight, and else the last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ai_smartness.condense.condenser import Context, EventNotes
from ai_smartness.condense.digest import digest_text
from ai_smartness.condense.digest_items import ItemKind, gathered_material
from ai_smartness.condense.event_tokens import truncated_middle
from ai_smartness.inject.visibility import LINES_ONLY_REVISION
from ai_smartness.model.event import Event, EventType, is_by_agent
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.injection import InjectedLine, InjectedThread, InjectionReason
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.threads.change_plan import counted_messages

__all__ = [
    "LONG_HANDOFF",
    "SHORT_HANDOFF",
    "HandoffLength",
    "handoff_for_asker",
    "last_handoff",
    "session_handoff",
    "written_handoff",
]


TITLE_CHARACTERS = 120
SESSION_CHARACTERS = 80
PROMPT_CHARACTERS = 200

UNNOTED_EVENTS = 300
"""The latest, which are read if they are not noted yet: more would take longer than a hook may."""

CHARACTERS_A_TOKEN = 3.5
"""The most that `tokens` takes for one: so many tokens are never more characters than these."""

_PROMPTS_HEADING = "What the user said before that, the latest last:"
_THREADS_HEADING = 'On these threads; Read(".ai/recall/THREAD_ID") gives one whole:'


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffLength:
    """How long a handoff may be, how much is read for it, and what it tells.

    `exchange` and `asked` are characters for the last words and for prompts before them,
    `sorts` what is picked out of the rest.
    """

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
"""For an agent that has lost its context, and for who asks; two pages."""

SHORT_HANDOFF = HandoffLength(
    characters=1_100,
    exchange_characters=420,
    prompt_characters=0,
    threads=2,
    events=400,
    item_kinds=frozenset(ItemKind) - {ItemKind.NUMBER, ItemKind.NAME},
)
"""For the next session, which may be about something else; a paragraph."""


def session_handoff(
    store: ThreadStore,
    project: str,
    session: str,
    length: HandoffLength,
) -> Handoff | None:
    """Return where a session stood; nothing if nothing was said that is not put away."""
    said = store.events.latest_of_session(project, session, length.events)[::-1]
    threads = {id_: store.threads.get(id_) for id_ in {event.thread_id for event in said}}
    events = [event for event in said if threads[event.thread_id].status is not Status.ARCHIVED]
    if not any(_is_spoken(event) for event in events):
        return None
    # What was captured just now is noted a moment later: until then it is read.
    noted = max(
        store.annotations.described_through(project),
        *(event.seq for event in events[:-UNNOTED_EVENTS]),
        0,
    )
    known = EventNotes(store.annotations.of(event.seq for event in events if event.seq <= noted))
    return written_handoff(events, threads, known, length)


def written_handoff(
    events: Sequence[Event],
    threads: Mapping[str, Thread],
    known: EventNotes,
    length: HandoffLength,
) -> Handoff:
    """Write where a session stood, from its events in their order."""
    lines = _last_words(events, length.exchange_characters)
    spoken_on = {event.seq: event.thread_id for event in events}
    latest = dict.fromkeys(event.thread_id for event in reversed(events))
    named = [threads[id_] for id_ in latest][: length.threads]
    asked = _earlier_prompts(events, lines, length.prompt_characters)
    last = ["Last said:", *map(_written_line, lines), _THREADS_HEADING, *map(_titled_thread, named)]
    room = replace(length, characters=length.characters - len("\n".join(asked)) - 1)
    text = "\n".join([_session_digest(events, known, room, "\n".join(last)), *asked, *last])
    entries = [
        _thread_entry(each, [line for line in lines if spoken_on[line.seq] == each.id])
        for each in named
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


def _session_digest(
    events: Sequence[Event],
    known: EventNotes,
    length: HandoffLength,
    tail: str,
) -> str:
    """Say what is worth most before the tail, and not what the tail says."""
    characters = length.characters - len(tail) - 1
    context = Context(
        thread_id="",
        title="",
        target=int(characters / CHARACTERS_A_TOKEN),
        now=events[-1].at,
        named=known.mentions_of,
        stated=known.proposals_of,
    )
    material, head = gathered_material(events, context), _session_heading(events)
    written = digest_text(material, context.target, context, head, tail, length.item_kinds)
    lines = [one_line(line) for line in written.splitlines()]
    # Written out, what is invisible is longer than it was.
    while len("\n".join(lines)) > characters and len(lines) > 1:
        lines.pop()
    return "\n".join(lines)


def _session_heading(events: Sequence[Event]) -> str:
    first, last = f"{events[0].at:%Y-%m-%d}", f"{events[-1].at:%Y-%m-%d}"
    days = first if first == last else f"{first} – {last}"
    session = shortened_text(one_line(str(events[0].session)), SESSION_CHARACTERS)
    return f"Session {session}, {days}, {counted_messages(len(events))}."


def _last_words(events: Sequence[Event], characters: int) -> list[InjectedLine]:
    """Return the last that a person said and the last that the agent said, in order."""
    spoken = [event for event in reversed(events) if _is_spoken(event)]
    last = [next((e for e in spoken if is_by_agent(e) is agent), None) for agent in (False, True)]
    pair = sorted((event for event in last if event), key=lambda event: event.seq)
    lines: list[InjectedLine] = []
    # The shorter first: what it leaves is the longer one's.
    for left, event in zip((2, 1)[-len(pair) :], sorted(pair, key=_length_key), strict=True):
        text = truncated_middle(one_line(event.text), characters // left, len)
        characters -= len(text)
        lines.append(
            InjectedLine(seq=event.seq, id=event.id, role=event.role, at=event.at, text=text),
        )
    return sorted(lines, key=lambda line: line.seq)


def _earlier_prompts(
    events: Sequence[Event],
    shown: Sequence[InjectedLine],
    characters: int,
) -> list[str]:
    """Return what a person said between the first, which is the goal, and the last: a line each."""
    known = {line.seq for line in shown}
    said = [event for event in events if _is_spoken(event) and not is_by_agent(event)]
    found: list[str] = []
    for event in reversed(said[1:]):
        if event.seq not in known:
            line = f"- {shortened_text(one_line(event.text), PROMPT_CHARACTERS)}"
            characters -= len(line) + 1
            if characters < 0:
                break
            found.append(line)
    return [_PROMPTS_HEADING, *reversed(found)] if found else []


def _length_key(event: Event) -> tuple[int, int]:
    return len(event.text), event.seq


def _thread_entry(thread: Thread, lines: Sequence[InjectedLine]) -> InjectedThread:
    return InjectedThread(
        # Of the thread no more than these lines is in sight: the rest may still be shown.
        thread=replace(thread, revision=LINES_ONLY_REVISION),
        lines=tuple(lines),
        reason=InjectionReason.RECENT,
        relevance=0.0,
        priority=0.0,
        why=f"{InjectionReason.RECENT}: shown when the session began",
        tokens=estimate_tokens(_titled_thread(thread)),
    )


def _titled_thread(thread: Thread) -> str:
    # A thread that began just now is described a moment later.
    return f"[{thread.id}] {shortened_text(one_line(thread.title), TITLE_CHARACTERS) or 'untitled'}"


def _written_line(line: InjectedLine) -> str:
    return f"  {line.at:%Y-%m-%d} {one_line(line.role)}: {line.text}"


def _is_spoken(event: Event) -> bool:
    spoken = event.type in (EventType.USER_MESSAGE, EventType.AGENT_MESSAGE)
    return spoken and bool(event.text.strip())


LATEST_SESSIONS = 200
"""Looked at for the one that spoke last: what is imported late was said early."""


def handoff_for_asker(store: ThreadStore, asker: Session, length: HandoffLength) -> Handoff | None:
    """Return what the agent of a session wants that asks where things stood."""
    begun = store.events.first_seq_of_session(asker.project, asker.id) if asker.id else 0
    own = session_handoff(store, asker.project, asker.id, length) if begun else None
    if own is not None and begun <= asker.epoch_seq:
        return own
    return last_handoff(store, asker, length) or own


def last_handoff(store: ThreadStore, asker: Session, length: HandoffLength) -> Handoff | None:
    """Return where the session stood that spoke last before another one began."""
    begun = store.events.first_seq_of_session(asker.project, asker.id) if asker.id else 0
    ends = {
        seq: session
        for session, seq in store.events.last_seqs_by_session(asker.project).items()
        if session != asker.id and not 0 < begun < seq
    }
    latest = store.events.by_seq(sorted(ends)[-LATEST_SESSIONS:]).values()
    in_order = sorted(latest, key=lambda event: (event.at, event.seq), reverse=True)
    found = (session_handoff(store, asker.project, ends[each.seq], length) for each in in_order)
    return next((each for each in found if each is not None), None)

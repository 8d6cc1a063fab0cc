"""Say where a session stood, from its log, in few words.

Goal, what the user stated, decisions, open tasks, files with what changed, commands and
how they ended, errors and their fixes, the last words as they were said, and the threads
that have all of it. No clock is asked: the same log gives the same bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ai_smartness.compact.condensers.condenser import Context
from ai_smartness.compact.condensers.digest import digested
from ai_smartness.compact.condensers.material import Sort, gathered
from ai_smartness.compact.known import Known
from ai_smartness.compact.sizes import fitting
from ai_smartness.inject.ledger import LINES_ALONE
from ai_smartness.inject.tokens import tokens
from ai_smartness.model.event import Event, EventType, by_agent
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.injection import Entry, Line, Reason
from ai_smartness.model.saying import one_line, shortened
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.plan import counted

__all__ = ["LONG", "SHORT", "Length", "handoff_of", "written_handoff"]

TITLE_CHARACTERS = 120
NAME_CHARACTERS = 80
ASKED_CHARACTERS = 200

READ_EVENTS = 300
"""The latest, which are read if they are not noted yet: more would take longer than a hook may."""

CHARACTERS_A_TOKEN = 3.5
"""The most that `tokens` takes for one: so many tokens are never more characters than these."""

_ASKED = "What the user said before that, the latest last:"
_THREADS = 'On these threads; Read(".ai/recall/THREAD_ID") gives one whole:'


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How long a handoff may be, how much is read for it, and what it tells.

    `exchange` and `asked` are characters for the last words and for prompts before them,
    `sorts` what is picked out of the rest.
    """

    characters: int
    exchange: int
    asked: int
    threads: int
    events: int
    sorts: frozenset[Sort]


LONG = Length(
    characters=6_000,
    exchange=2_000,
    asked=1_500,
    threads=8,
    events=2_000,
    sorts=frozenset(Sort) - {Sort.NUMBER},
)
"""For an agent that has lost its context, and for who asks; two pages."""

SHORT = Length(
    characters=1_100,
    exchange=420,
    asked=0,
    threads=2,
    events=400,
    sorts=frozenset(Sort) - {Sort.NUMBER, Sort.NAME},
)
"""For the next session, which may be about something else; a paragraph."""


def handoff_of(store: ThreadStore, project: str, session: str, length: Length) -> Handoff | None:
    """Return where a session stood; nothing if nothing was said that is not put away."""
    said = store.events.of_session(project, session, length.events)[::-1]
    threads = {id_: store.threads.get(id_) for id_ in {event.thread_id for event in said}}
    events = [event for event in said if threads[event.thread_id].status is not Status.ARCHIVED]
    if not any(_is_spoken(event) for event in events):
        return None
    # What was captured just now is noted a moment later: until then it is read.
    noted = max(store.notes.told(project), *(event.seq for event in events[:-READ_EVENTS]), 0)
    known = Known(store.notes.of(event.seq for event in events if event.seq <= noted))
    return written_handoff(events, threads, known, length)


def written_handoff(
    events: Sequence[Event], threads: Mapping[str, Thread], known: Known, length: Length
) -> Handoff:
    """Write where a session stood, from its events in their order."""
    lines = _last_words(events, length.exchange)
    spoken_on = {event.seq: event.thread_id for event in events}
    latest = dict.fromkeys(event.thread_id for event in reversed(events))
    named = [threads[id_] for id_ in latest][: length.threads]
    asked = _asked(events, lines, length.asked)
    last = ["Last said:", *map(_written, lines), _THREADS, *map(_titled, named)]
    room = replace(length, characters=length.characters - len("\n".join(asked)) - 1)
    text = "\n".join([_digest(events, known, room, "\n".join(last)), *asked, *last])
    entries = [
        _entry(each, [line for line in lines if spoken_on[line.seq] == each.id]) for each in named
    ]
    rest = tokens(text) - sum(entry.tokens for entry in entries[1:])
    return Handoff(
        session=str(events[0].session),
        text=text,
        began=events[0].at,
        ended=events[-1].at,
        messages=len(events),
        entries=(replace(entries[0], tokens=rest), *entries[1:]),
    )


def _digest(events: Sequence[Event], known: Known, length: Length, tail: str) -> str:
    """Say what is worth most before the tail, and not what the tail says."""
    characters = length.characters - len(tail) - 1
    context = Context(
        thread_id="",
        title="",
        target=int(characters / CHARACTERS_A_TOKEN),
        now=events[-1].at,
        named=known.named,
        stated=known.stated,
    )
    material, head = gathered(events, context), _heading(events)
    written = digested(material, context.target, context, head, tail, length.sorts)
    lines = [one_line(line) for line in written.splitlines()]
    # Written out, what is invisible is longer than it was.
    while len("\n".join(lines)) > characters and len(lines) > 1:
        lines.pop()
    return "\n".join(lines)


def _heading(events: Sequence[Event]) -> str:
    first, last = f"{events[0].at:%Y-%m-%d}", f"{events[-1].at:%Y-%m-%d}"
    days = first if first == last else f"{first} – {last}"
    session = shortened(one_line(str(events[0].session)), NAME_CHARACTERS)
    return f"Session {session}, {days}, {counted(len(events))}."


def _last_words(events: Sequence[Event], characters: int) -> list[Line]:
    """Return the last that a person said and the last that the agent said, in order."""
    spoken = [event for event in reversed(events) if _is_spoken(event)]
    last = [next((e for e in spoken if by_agent(e) is agent), None) for agent in (False, True)]
    pair = sorted((event for event in last if event), key=lambda event: event.seq)
    lines: list[Line] = []
    # The shorter first: what it leaves is the longer one's.
    for left, event in zip((2, 1)[-len(pair) :], sorted(pair, key=_length), strict=True):
        text = fitting(one_line(event.text), characters // left, len)
        characters -= len(text)
        lines.append(Line(seq=event.seq, id=event.id, role=event.role, at=event.at, text=text))
    return sorted(lines, key=lambda line: line.seq)


def _asked(events: Sequence[Event], shown: Sequence[Line], characters: int) -> list[str]:
    """Return what a person said between the first, which is the goal, and the last: a line each."""
    known = {line.seq for line in shown}
    said = [event for event in events if _is_spoken(event) and not by_agent(event)]
    found: list[str] = []
    for event in reversed(said[1:]):
        if event.seq not in known:
            line = f"- {shortened(one_line(event.text), ASKED_CHARACTERS)}"
            characters -= len(line) + 1
            if characters < 0:
                break
            found.append(line)
    return [_ASKED, *reversed(found)] if found else []


def _length(event: Event) -> tuple[int, int]:
    return len(event.text), event.seq


def _entry(thread: Thread, lines: Sequence[Line]) -> Entry:
    return Entry(
        # Of the thread no more than these lines is in sight: the rest may still be shown.
        thread=replace(thread, revision=LINES_ALONE),
        lines=tuple(lines),
        reason=Reason.RECENT,
        relevance=0.0,
        priority=0.0,
        why=f"{Reason.RECENT}: shown when the session began",
        tokens=tokens(_titled(thread)),
    )


def _titled(thread: Thread) -> str:
    # A thread that began just now is described a moment later.
    return f"[{thread.id}] {shortened(one_line(thread.title), TITLE_CHARACTERS) or 'untitled'}"


def _written(line: Line) -> str:
    return f"  {line.at:%Y-%m-%d} {one_line(line.role)}: {line.text}"


def _is_spoken(event: Event) -> bool:
    spoken = event.type in (EventType.USER_MESSAGE, EventType.AGENT_MESSAGE)
    return spoken and bool(event.text.strip())

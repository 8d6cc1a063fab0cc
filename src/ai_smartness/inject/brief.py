"""Write the brief for an agent whose session begins: what holds, and where things stand.

The same memory on the same day gives the same bytes, apart from the beat. After a context
compaction the brief includes the handoff of the session itself; after a clear it has only
what holds beyond a session.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.inject.block import last_session_end, message_line
from ai_smartness.inject.brief_lines import (
    BriefCandidates,
    WrittenStatements,
    written_brief,
)
from ai_smartness.inject.brief_remarks import UserRemark, latest_remarks, written_remarks
from ai_smartness.inject.dedupe import BRIEF_REVISION
from ai_smartness.inject.inject import PromptTurn
from ai_smartness.inject.select import standing_reason
from ai_smartness.model.brief import Brief
from ai_smartness.model.event import Event, event_origin, event_tier, is_by_agent
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.injection import InjectedLine, InjectedThread, InjectionReason
from ai_smartness.model.statement import Statement, StatementKind
from ai_smartness.model.thread import Thread, short_thread_id
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.text.brief_page import CLEARED_NOTE, brief_page, time_line
from ai_smartness.text.display import one_line, shortened_text, speaker_label
from ai_smartness.text.token_count import PLAIN_CHARACTERS_A_TOKEN, estimate_tokens
from ai_smartness.text.trust import UNTRUSTED_TIERS
from ai_smartness.threads.focus import foci_in_force

__all__ = ["CLEARED", "COMPACTED", "BriefSources", "session_brief"]

COMPACTED, CLEARED = "compact", "clear"
"""The starts after which an agent no longer sees its own messages."""

MAX_CHARACTERS = 9_500  # above 10,000 the client would move the whole text to a file
STANDING_SHARE = 0.5  # of the budget, for pins and other threads that are always kept in mind

LINE_CHARACTERS = 240
TITLE_CHARACTERS = 120
TOPIC_CHARACTERS = 60

MAX_FOCI = 5

_STOOD_HEADING = 'Where the last session stood (more: Read(".ai/handoff")):'

KIND_PHRASES = {
    StatementKind.RULE: "a rule",
    StatementKind.PREFERENCE: "a preference",
    StatementKind.DECISION: "a decision",
    StatementKind.ENVIRONMENT: "a fact about the environment",
    StatementKind.COMMAND: "a command",
    StatementKind.ERROR_CURE: "an error and its cure",
    StatementKind.OPEN_TASK: "an open task",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefSources:
    """What a brief is made of beside the store: how the session begins, handoff, statements."""

    source: str
    handoff: Handoff | None
    candidates: BriefCandidates


def session_brief(
    store: ThreadStore, turn: PromptTurn, rules: InjectSettings, sources: BriefSources
) -> Brief:
    """Return the brief for a session that begins, with the entries that count as shown."""
    handoff = sources.handoff
    handed_over = handoff.entries if handoff else ()
    stood = _stood_text(handoff, turn) if handoff else ""
    note = CLEARED_NOTE if sources.source == CLEARED else ""
    first, last = _session_times(store, turn)
    time = time_line(last, turn.now, turn.beat.number, turn.beat.since_last)
    focus = _focus_line(store, turn)
    is_own = handoff is not None and handoff.session == turn.session.id
    counted = brief_page(time, focus, note, "" if is_own else stood)
    room = _room_left(rules.brief_tokens, counted, brief_page(time, focus, note, stood))
    quoted = {line.seq for entry in handed_over for line in entry.lines}
    standing, in_mind = _standing_within(
        _standing_entries(store, turn, rules), int(room * STANDING_SHARE), quoted, turn.now
    )
    candidates = _without_events(sources.candidates, in_mind)
    written = written_brief(candidates, room - estimate_tokens(standing), turn.now)
    left = room - estimate_tokens(standing + written.text)
    in_sight = quoted | {line.seq for entry in in_mind for line in entry.lines}
    remarked, remarks = written_remarks(latest_remarks(store, turn, in_sight), left, turn)
    parts = (standing.rstrip(), focus, written.text, remarked)
    lasting = "\n\n".join(part for part in parts if part)
    return Brief(
        text=brief_page(time, lasting, note, stood),
        lasting=lasting,
        stood=stood,
        first=first,
        last=last,
        entries=(*handed_over, *in_mind, *_brief_entries(store, written, remarks)),
    )


def _room_left(tokens: int, counted: str, whole: str) -> int:
    """Return the tokens that are left for pins and statements, within the client's limit."""
    characters = MAX_CHARACTERS - len(whole)
    return max(
        0, min(tokens - estimate_tokens(counted), int(characters / PLAIN_CHARACTERS_A_TOKEN))
    )


def _session_times(store: ThreadStore, turn: PromptTurn) -> tuple[datetime | None, datetime | None]:
    """Return when the project began, and when the last session other than this one ended."""
    project = turn.session.project
    first = store.events.after_seq(project, 0, 1)
    return first[0].at if first else None, last_session_end(store, turn.session)


def _stood_text(handoff: Handoff, turn: PromptTurn) -> str:
    """Return the whole handoff of the session itself, and of another one its last messages."""
    if handoff.session == turn.session.id:
        return f"Where this session stood:\n{handoff.text}"
    lines = sorted((line for entry in handoff.entries for line in entry.lines), key=_by_seq)
    written = (
        f"- {speaker_label(line.role, line.origin)}: {one_line(line.text)}" for line in lines
    )
    return "\n".join([_STOOD_HEADING, *written])


def _by_seq(line: InjectedLine) -> int:
    return line.seq


def _focus_line(store: ThreadStore, turn: PromptTurn) -> str:
    """List the foci in one line; return nothing without any."""
    foci = foci_in_force(store, turn.projects, turn.session.id, turn.now)
    topics = list(dict.fromkeys(one_line(focus.topic) for focus in foci if focus.weight))
    names = [shortened_text(topic, TOPIC_CHARACTERS) for topic in topics[:MAX_FOCI]]
    names += [f"{len(topics) - MAX_FOCI} more"] if len(topics) > MAX_FOCI else []
    return f"In focus: {', '.join(names)}." if names else ""


def _standing_within(
    standing: Iterable[InjectedThread], tokens: int, quoted: set[int], now: datetime
) -> tuple[str, list[InjectedThread]]:
    """Write as many whole standing entries as there is room for, unless they are quoted already."""
    text, entries = "", list[InjectedThread]()
    for entry in standing:
        piece = ("" if text else "Always kept in mind:\n") + _entry_text(entry, now)
        is_quoted = quoted.issuperset(line.seq for line in entry.lines)
        if not is_quoted and estimate_tokens(text + piece) <= tokens:
            entries.append(replace(entry, tokens=estimate_tokens(piece)))
            text += piece
    return text, entries


def _standing_entries(
    store: ThreadStore, turn: PromptTurn, rules: InjectSettings
) -> list[InjectedThread]:
    """Return the threads that are always shown, with the user's last messages."""
    order = (InjectionReason.PINNED, InjectionReason.IDENTITY, InjectionReason.PREFERENCE)
    entries = [
        _standing_entry(store, thread, reason, rules)
        for project in turn.projects
        for thread in store.threads.always_shown(project)
        if (reason := standing_reason(thread)) is not None
    ]
    return sorted(entries, key=lambda entry: (order.index(entry.reason), entry.thread.id))


def _standing_entry(
    store: ThreadStore, thread: Thread, reason: InjectionReason, rules: InjectSettings
) -> InjectedThread:
    events = store.events.of_thread(thread.id)
    spoken = [event for event in events if event_tier(event) not in UNTRUSTED_TIERS]
    by_user = [event for event in spoken if not is_by_agent(event)] or spoken
    return InjectedThread(
        thread=thread,
        lines=tuple(_standing_line(event) for event in reversed(by_user[-rules.lines :])),
        reason=reason,
        relevance=0.0,
        priority=0.0,
        why=f"{reason}: shown when the session began",
    )


def _standing_line(event: Event) -> InjectedLine:
    text = shortened_text(" ".join(event.text.split()), LINE_CHARACTERS)
    why = "always shown in the brief"
    return InjectedLine(
        seq=event.seq,
        id=event.id,
        role=event.role,
        at=event.at,
        text=text,
        why=why,
        origin=event_origin(event),
    )


def _entry_text(entry: InjectedThread, now: datetime) -> str:
    # A thread that began just now is described a moment later.
    title = shortened_text(one_line(entry.thread.title), TITLE_CHARACTERS) or "untitled"
    head = f"## {title} ({short_thread_id(entry.thread.id)}, {entry.reason.value})"
    return "\n".join([head, *(message_line(line, now) for line in entry.lines)]) + "\n"


def _without_events(
    candidates: BriefCandidates, in_mind: Iterable[InjectedThread]
) -> BriefCandidates:
    """Return the candidates without the statements of messages that stand in the brief whole."""
    seqs = {line.seq for entry in in_mind for line in entry.lines}
    statements = tuple(one for one in candidates.statements if one.seq not in seqs)
    return replace(candidates, statements=statements)


def _brief_entries(
    store: ThreadStore, written: WrittenStatements, remarks: Sequence[UserRemark]
) -> list[InjectedThread]:
    """Return the threads of statements and remarks, with the lines as they stand in the brief."""
    events = store.events.by_seq({statement.seq for statement in written.statements})
    told_lines = [
        _statement_line(events[one.seq], one, written.told_texts[one.id])
        for one in written.statements
        if one.seq in events
    ]
    told_lines += [_remark_line(remark) for remark in remarks]
    thread_ids = {event.seq: event.thread_id for event in events.values()}
    thread_ids |= {remark.event.seq: remark.event.thread_id for remark in remarks}
    lines: dict[str, list[InjectedLine]] = {}
    for line in sorted(told_lines, key=_by_seq):
        lines.setdefault(thread_ids[line.seq], []).append(line)
    return [_lines_entry(store.threads.get(id_), of_thread) for id_, of_thread in lines.items()]


def _statement_line(event: Event, statement: Statement, text: str) -> InjectedLine:
    why = f"{KIND_PHRASES[statement.kind]} that stands in the brief"
    return replace(_standing_line(event), text=text, why=why)


def _remark_line(remark: UserRemark) -> InjectedLine:
    why = "one of the user's last words, which stands in the brief"
    return replace(_standing_line(remark.event), text=remark.text, why=why)


def _lines_entry(thread: Thread, lines: Sequence[InjectedLine]) -> InjectedThread:
    return InjectedThread(
        # Only these lines of the thread become visible: the rest may still be shown.
        thread=replace(thread, revision=BRIEF_REVISION),
        lines=tuple(lines),
        reason=InjectionReason.IMPORTANT,
        relevance=0.0,
        priority=0.0,
        why=f"{InjectionReason.IMPORTANT}: its statements stand in the brief",
        tokens=sum(estimate_tokens(line.text) for line in lines),
    )

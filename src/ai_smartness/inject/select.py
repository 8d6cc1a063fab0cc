"""Choose what is worth showing: relevant enough, not in sight, the weightiest first.

The numbers that injection goes by.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ai_smartness.inject.dedupe import VisibleMessages, is_in_prompt
from ai_smartness.inject.token_budget import STANDING_REASONS
from ai_smartness.inject.visibility import ShownThreads
from ai_smartness.model.injection import InjectedLine, InjectedThread, InjectionReason
from ai_smartness.model.search import Hit
from ai_smartness.model.session import Session, SkippedThread
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.search.rank import RankedThread
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.threads.decay import is_pinned
from ai_smartness.threads.focus import MOST_BOOST

__all__ = [
    "EntrySelection",
    "InjectionCandidate",
    "VisibleContext",
    "injection_priority",
    "is_own_message",
    "selected_entries",
    "standing_reason",
]


IMPORTANT_FLOOR_SHARE = 0.8
"""Of the floor: what is important or recent need be this relevant only."""

SECONDARY_FLOOR_SHARE = 2 / 3
"""Of the floor: once there is something to show, what may stand beside it. It keeps nine in ten of
what answers and cuts a good part of what does not."""


@dataclass(frozen=True, slots=True)
class InjectionCandidate:
    """A thread that was thought of, and why; `boost` is what a focus adds."""

    ranked: RankedThread
    reason: InjectionReason
    boost: float = 0.0

    @property
    def thread(self) -> Thread:
        """The thread."""
        return self.ranked.thread


@dataclass(frozen=True, slots=True)
class EntrySelection:
    """What is worth showing, the best first, and what is not, each with the reason."""

    entries: list[InjectedThread]
    skipped: list[SkippedThread]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleContext:
    """What the agent sees already: the prompt, its own session, what was shown to it."""

    prompt: str
    session: Session
    shown_threads: ShownThreads
    messages: VisibleMessages


def standing_reason(thread: Thread) -> InjectionReason | None:
    """Say why a thread is shown whatever is asked, if it is."""
    if is_pinned(thread):
        return InjectionReason.PINNED
    match thread.kind:
        case Kind.IDENTITY:
            return InjectionReason.IDENTITY
        case Kind.PREFERENCE:
            return InjectionReason.PREFERENCE
        case _:
            return None


def injection_priority(similarity: float, thread: Thread, boost: float = 0.0) -> float:
    """Measure what a thread is ranked by: how well it matches, how much it matters, how useful."""
    return similarity * thread.weight * thread.relevance + min(MOST_BOOST, boost)


def selected_entries(
    candidates: Sequence[InjectionCandidate],
    sight: VisibleContext,
    rules: InjectSettings,
) -> EntrySelection:
    """Return what is worth showing; of two that say the same, the better."""
    share = SECONDARY_FLOOR_SHARE if _is_anything_relevant(candidates, sight, rules) else 1.0
    looked_at = [_entry_or_skip(candidate, sight, rules, share) for candidate in candidates]
    entries = [each for each in looked_at if isinstance(each, InjectedThread)]
    found = EntrySelection([], [each for each in looked_at if isinstance(each, SkippedThread)])
    for entry in sorted(entries, key=_sort_key):
        lines = entry.lines if entry.updated else _new_lines(entry.lines, sight.messages)
        if not lines:
            found.skipped.append(_skipped_entry(entry, "says the same as a better entry"))
            continue
        for line in lines:
            sight.messages.add(line.seq, line.at)
        found.entries.append(replace(entry, lines=lines))
    return found


def _new_lines(lines: Sequence[InjectedLine], seen: VisibleMessages) -> tuple[InjectedLine, ...]:
    """Return the lines that say what nothing in sight does."""
    return tuple(line for line in lines if not seen.is_repeated(line.seq, line.at))


def _sort_key(entry: InjectedThread) -> tuple[bool, bool, float, str]:
    """Return what entries are sorted by: first what was asked for, then what has its own share."""
    asked_for = entry.reason is InjectionReason.FOCUS
    return not asked_for, entry.reason not in STANDING_REASONS, -entry.priority, entry.thread.id


def _skipped_entry(entry: InjectedThread, why: str) -> SkippedThread:
    return SkippedThread(entry.thread.id, entry.thread.title, why, entry.relevance)


def _is_anything_relevant(
    candidates: Sequence[InjectionCandidate],
    sight: VisibleContext,
    rules: InjectSettings,
) -> bool:
    """Say whether anything is relevant enough to break the silence."""
    return any(
        hit.relevance >= _relevance_floor(candidate.reason, rules) > 0
        for candidate in candidates
        if candidate.thread.status is not Status.ARCHIVED
        for hit in candidate.ranked.messages
        if not is_own_message(hit, sight.session) and not is_in_prompt(hit.text, sight.prompt)
    )


def _entry_or_skip(
    candidate: InjectionCandidate,
    sight: VisibleContext,
    rules: InjectSettings,
    share: float,
) -> InjectedThread | SkippedThread:
    thread, reason = candidate.thread, candidate.reason
    hits = [hit for hit in candidate.ranked.messages if not is_own_message(hit, sight.session)]
    lines = [hit for hit in hits if not is_in_prompt(hit.text, sight.prompt)]
    relevance = max((hit.relevance for hit in lines), default=0.0)

    def skip(why: str) -> SkippedThread:
        return SkippedThread(thread.id, thread.title, why, relevance)

    if thread.status is Status.ARCHIVED and reason is not InjectionReason.FOCUS:
        return skip("archived")
    if not lines:
        return skip("said in this session" if not hits else "in the prompt itself")
    floor = _relevance_floor(reason, rules) * share
    if relevance < floor:
        return skip(f"relevance {relevance:.2f} is under the floor {floor:.2f}")
    return _entry_unless_visible(candidate, lines, floor, sight, rules) or skip(
        _visible_reason(thread, sight),
    )


def _relevance_floor(reason: InjectionReason, rules: InjectSettings) -> float:
    match reason:
        case (
            InjectionReason.PINNED
            | InjectionReason.IDENTITY
            | InjectionReason.PREFERENCE
            | InjectionReason.FOCUS
        ):
            return 0.0
        case InjectionReason.IMPORTANT | InjectionReason.RECENT:
            return rules.floor * IMPORTANT_FLOOR_SHARE
        case _:
            return rules.floor


def _entry_unless_visible(
    candidate: InjectionCandidate,
    hits: Sequence[Hit],
    floor: float,
    sight: VisibleContext,
    rules: InjectSettings,
) -> InjectedThread | None:
    thread = candidate.thread
    shown = sight.shown_threads.last_shown(thread)
    updated = shown is not None and sight.shown_threads.has_changed(thread)
    if shown is not None and not updated:
        return None
    stands = candidate.reason in STANDING_REASONS
    least = min(floor, rules.floor * SECONDARY_FLOOR_SHARE)
    worth = [
        hit
        for hit in hits
        if hit.relevance >= least and (updated or not sight.messages.is_repeated(hit.seq, hit.at))
    ]
    if not worth:
        return None
    relevance = max(hit.relevance for hit in worth)
    lines = tuple(_entry_line(hit) for hit in worth[: rules.lines])
    # What stands is worth its share however little it answers; what answers goes before.
    similarity = max(relevance, rules.floor) if stands else relevance
    value = injection_priority(similarity, thread, candidate.boost)
    focus = f" + focus {candidate.boost:.2f}" if candidate.boost else ""
    why = (
        f"{candidate.reason}: relevance {similarity:.2f} * weight {thread.weight:.2f} * rating "
        f"{thread.relevance:.2f}{focus} = {value:.2f}; {worth[0].why}".rstrip("; ")
    )
    return InjectedThread(
        thread=thread,
        lines=lines,
        reason=candidate.reason,
        relevance=relevance,
        priority=value,
        why=why,
        updated=updated,
        changed_files=candidate.ranked.changed_files,
    )


def _visible_reason(thread: Thread, sight: VisibleContext) -> str:
    shown = sight.shown_threads.last_shown(thread)
    if shown is None:
        return "says the same as what is in sight"
    return f"in sight: shown in turn {shown.turn}, and not changed since"


def is_own_message(hit: Hit, session: Session) -> bool:
    """Say whether the agent itself has this in its window: said here, since the last compaction."""
    return bool(session.id) and hit.session == session.id and hit.seq > session.epoch_seq


def _entry_line(hit: Hit) -> InjectedLine:
    return InjectedLine(seq=hit.seq, id=hit.id, role=hit.role, at=hit.at, text=hit.text)

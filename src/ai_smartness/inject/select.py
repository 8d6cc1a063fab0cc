"""Select the threads worth showing, and cut them to the token budget.

A thread must be relevant enough and not visible already. The weightiest come first, and
the block takes whole entries only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.inject.block import Beat, block_frame, entry_text
from ai_smartness.inject.dedupe import ShownThreads, VisibleMessages, is_in_prompt
from ai_smartness.model.injection import InjectedLine, InjectedThread, InjectionReason
from ai_smartness.model.search import Hit
from ai_smartness.model.session import Session, SkippedThread
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.search.rank import RankedThread
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.threads.decay import is_pinned
from ai_smartness.threads.focus import MOST_BOOST

__all__ = [
    "MAX_BLOCK_CHARACTERS",
    "STANDING_REASONS",
    "InjectionCandidate",
    "VisibleContext",
    "entries_within_budget",
    "injection_priority",
    "is_own_message",
    "selected_entries",
    "standing_reason",
]


MAX_BLOCK_CHARACTERS = 9_500
"""Clients move a hook's output of more than ten thousand to a file that the agent does not see."""

STANDING_REASONS = frozenset(
    {InjectionReason.PINNED, InjectionReason.IDENTITY, InjectionReason.PREFERENCE}
)
"""Entries that are shown for any prompt, and therefore limited to a share of the budget."""

IMPORTANT_FLOOR_SHARE = 0.8  # share of the relevance floor for important and recent threads
SECONDARY_FLOOR_SHARE = 2 / 3
"""Share of the floor for further threads, once one is worth showing. It keeps nine in ten of the
right ones and cuts a good part of the others."""


@dataclass(frozen=True, slots=True)
class InjectionCandidate:
    """A thread that may be shown, and why; `boost` is what a focus adds."""

    ranked: RankedThread
    reason: InjectionReason
    boost: float = 0.0

    @property
    def thread(self) -> Thread:
        """The thread."""
        return self.ranked.thread


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleContext:
    """What the agent sees already: the prompt, its own session, the memory it was shown."""

    prompt: str
    session: Session
    shown_threads: ShownThreads
    messages: VisibleMessages


def standing_reason(thread: Thread) -> InjectionReason | None:
    """Return why a thread is shown for any prompt, if it is."""
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
    """Rank a thread by how well it matches, how much it weighs, and how useful it was."""
    return similarity * thread.weight * thread.relevance + min(MOST_BOOST, boost)


def selected_entries(
    candidates: Sequence[InjectionCandidate], visible: VisibleContext, rules: InjectSettings
) -> tuple[list[InjectedThread], list[SkippedThread]]:
    """Return the entries worth showing, best first, and the threads left out with the reason.

    Of two that say the same, the better is shown.
    """
    share = SECONDARY_FLOOR_SHARE if _is_anything_relevant(candidates, visible, rules) else 1.0
    results = [_entry_or_skip(candidate, visible, rules, share) for candidate in candidates]
    entries = [result for result in results if isinstance(result, InjectedThread)]
    skipped = [result for result in results if isinstance(result, SkippedThread)]
    selected: list[InjectedThread] = []
    for entry in sorted(entries, key=_sort_key):
        lines = tuple(
            line
            for line in entry.lines
            if entry.updated or not visible.messages.is_repeated(line.seq, line.at)
        )
        if not lines:
            why, thread = "says the same as a better entry", entry.thread
            skipped.append(SkippedThread(thread.id, thread.title, why, entry.relevance))
            continue
        for line in lines:
            visible.messages.add(line.seq, line.at)
        selected.append(replace(entry, lines=lines))
    return selected, skipped


def entries_within_budget(
    entries: Sequence[InjectedThread], tokens: int, rules: InjectSettings, beat: Beat, now: datetime
) -> tuple[list[InjectedThread], list[InjectedThread]]:
    """Return the entries that fit, with their tokens, and those that do not, in their order."""
    frame = "".join(block_frame(beat))
    left, characters = tokens - estimate_tokens(frame), MAX_BLOCK_CHARACTERS - len(frame)
    standing = int(tokens * rules.standing_share)
    fitting: list[InjectedThread] = []
    cut: list[InjectedThread] = []
    for entry in entries:
        text = entry_text(entry, now)
        cost = estimate_tokens(text)
        limit = min(left, standing) if entry.reason in STANDING_REASONS else left
        if cost > limit or len(text) > characters or len(fitting) >= rules.most_threads:
            cut.append(entry)
            continue
        fitting.append(replace(entry, tokens=cost))
        left, characters = left - cost, characters - len(text)
        standing -= cost if entry.reason in STANDING_REASONS else 0
    return fitting, cut


def _sort_key(entry: InjectedThread) -> tuple[bool, bool, float, str]:
    """Sort threads in focus first, then standing ones, which have their own share."""
    is_focused = entry.reason is InjectionReason.FOCUS
    return not is_focused, entry.reason not in STANDING_REASONS, -entry.priority, entry.thread.id


def _is_anything_relevant(
    candidates: Sequence[InjectionCandidate], visible: VisibleContext, rules: InjectSettings
) -> bool:
    """Say whether any message is relevant enough to show something at all."""
    return any(
        hit.relevance >= _relevance_floor(candidate.reason, rules) > 0
        for candidate in candidates
        if candidate.thread.status is not Status.ARCHIVED
        for hit in candidate.ranked.messages
        if not is_own_message(hit, visible.session) and not is_in_prompt(hit.text, visible.prompt)
    )


def _entry_or_skip(
    candidate: InjectionCandidate, visible: VisibleContext, rules: InjectSettings, share: float
) -> InjectedThread | SkippedThread:
    thread, reason = candidate.thread, candidate.reason
    hits = [hit for hit in candidate.ranked.messages if not is_own_message(hit, visible.session)]
    lines = [hit for hit in hits if not is_in_prompt(hit.text, visible.prompt)]
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
    return _entry_unless_visible(candidate, lines, floor, visible, rules) or skip(
        _visible_reason(thread, visible)
    )


def _relevance_floor(reason: InjectionReason, rules: InjectSettings) -> float:
    if reason in STANDING_REASONS or reason is InjectionReason.FOCUS:
        return 0.0
    if reason in (InjectionReason.IMPORTANT, InjectionReason.RECENT):
        return rules.floor * IMPORTANT_FLOOR_SHARE
    return rules.floor


def _entry_unless_visible(
    candidate: InjectionCandidate,
    hits: Sequence[Hit],
    floor: float,
    visible: VisibleContext,
    rules: InjectSettings,
) -> InjectedThread | None:
    thread = candidate.thread
    is_shown = visible.shown_threads.last_shown(thread) is not None
    updated = is_shown and visible.shown_threads.has_changed(thread)
    if is_shown and not updated:
        return None
    is_standing = candidate.reason in STANDING_REASONS
    least = min(floor, rules.floor * SECONDARY_FLOOR_SHARE)
    worth = [
        hit
        for hit in hits
        if hit.relevance >= least and (updated or not visible.messages.is_repeated(hit.seq, hit.at))
    ]
    if not worth:
        return None
    relevance = max(hit.relevance for hit in worth)
    lines = (
        InjectedLine(seq=hit.seq, id=hit.id, role=hit.role, at=hit.at, text=hit.text)
        for hit in worth[: rules.lines]
    )
    # A standing thread is worth its share however little it answers; one that answers goes first.
    similarity = max(relevance, rules.floor) if is_standing else relevance
    value = injection_priority(similarity, thread, candidate.boost)
    focus = f" + focus {candidate.boost:.2f}" if candidate.boost else ""
    why = (
        f"{candidate.reason}: relevance {similarity:.2f} * weight {thread.weight:.2f} * rating "
        f"{thread.relevance:.2f}{focus} = {value:.2f}; {worth[0].why}".rstrip("; ")
    )
    return InjectedThread(
        thread=thread,
        lines=tuple(lines),
        reason=candidate.reason,
        relevance=relevance,
        priority=value,
        why=why,
        updated=updated,
        changed_files=candidate.ranked.changed_files,
    )


def _visible_reason(thread: Thread, visible: VisibleContext) -> str:
    entry = visible.shown_threads.last_shown(thread)
    if entry is None:
        return "says the same as what is in sight"
    return f"in sight: shown in turn {entry.turn}, and not changed since"


def is_own_message(hit: Hit, session: Session) -> bool:
    """Say whether the session itself said this since its last context compaction."""
    return bool(session.id) and hit.session == session.id and hit.seq > session.epoch_seq

"""Choose what is worth showing: relevant enough, not in sight, the weightiest first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ai_smartness.inject.budget import STANDING
from ai_smartness.inject.ledger import InSight
from ai_smartness.inject.rules import InjectRules
from ai_smartness.inject.same import Seen, in_prompt
from ai_smartness.model.found import Hit
from ai_smartness.model.injection import Entry, Line, Reason
from ai_smartness.model.session import Session, Skipped
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.retrieve.rank import Ranked
from ai_smartness.threads.decay import is_pinned
from ai_smartness.threads.focus import MOST_BOOST

__all__ = ["Candidate", "Chosen", "Sight", "chosen", "is_own", "priority", "standing_reason"]

THOUGHT_OF = 0.8
"""Of the floor: what is important or recent need be this relevant only."""

BESIDE_THE_BEST = 2 / 3
"""Of the floor: once there is something to show, what may stand beside it. It keeps nine in ten of
what answers and cuts a good part of what does not."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A thread that was thought of, and why; `boost` is what a focus adds."""

    ranked: Ranked
    reason: Reason
    boost: float = 0.0

    @property
    def thread(self) -> Thread:
        """The thread."""
        return self.ranked.thread


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is worth showing, the best first, and what is not, each with the reason."""

    entries: list[Entry]
    skipped: list[Skipped]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What the agent sees already: the prompt, its own session, what was shown to it."""

    prompt: str
    session: Session
    shown: InSight
    seen: Seen


def standing_reason(thread: Thread) -> Reason | None:
    """Say why a thread is shown whatever is asked, if it is."""
    if is_pinned(thread):
        return Reason.PINNED
    match thread.kind:
        case Kind.IDENTITY:
            return Reason.IDENTITY
        case Kind.PREFERENCE:
            return Reason.PREFERENCE
        case _:
            return None


def priority(similarity: float, thread: Thread, boost: float = 0.0) -> float:
    """Measure what a thread is ranked by: how well it matches, how much it matters, how useful."""
    return similarity * thread.weight * thread.relevance + min(MOST_BOOST, boost)


def chosen(candidates: Sequence[Candidate], sight: Sight, rules: InjectRules) -> Chosen:
    """Return what is worth showing; of two that say the same, the better."""
    share = BESIDE_THE_BEST if _is_worth_it(candidates, sight, rules) else 1.0
    looked_at = [_looked_at(candidate, sight, rules, share) for candidate in candidates]
    entries = [each for each in looked_at if isinstance(each, Entry)]
    found = Chosen([], [each for each in looked_at if isinstance(each, Skipped)])
    for entry in sorted(entries, key=_place):
        lines = entry.lines if entry.updated else _news(entry.lines, sight.seen)
        if not lines:
            found.skipped.append(_skipped(entry, "says the same as a better entry"))
            continue
        for line in lines:
            sight.seen.add(line.seq, line.at)
        found.entries.append(replace(entry, lines=lines))
    return found


def _news(lines: Sequence[Line], seen: Seen) -> tuple[Line, ...]:
    """Return the lines that say what nothing in sight does."""
    return tuple(line for line in lines if not seen.says_the_same(line.seq, line.at))


def _place(entry: Entry) -> tuple[bool, bool, float, str]:
    """Return what entries are sorted by: first what was asked for, then what has its own share."""
    asked_for = entry.reason is Reason.FOCUS
    return not asked_for, entry.reason not in STANDING, -entry.priority, entry.thread.id


def _skipped(entry: Entry, why: str) -> Skipped:
    return Skipped(entry.thread.id, entry.thread.title, why, entry.relevance)


def _is_worth_it(candidates: Sequence[Candidate], sight: Sight, rules: InjectRules) -> bool:
    """Say whether anything is relevant enough to break the silence."""
    return any(
        hit.relevance >= _floor(candidate.reason, rules) > 0
        for candidate in candidates
        if candidate.thread.status is not Status.ARCHIVED
        for hit in candidate.ranked.messages
        if not is_own(hit, sight.session) and not in_prompt(hit.text, sight.prompt)
    )


def _looked_at(
    candidate: Candidate, sight: Sight, rules: InjectRules, share: float
) -> Entry | Skipped:
    thread, reason = candidate.thread, candidate.reason
    hits = [hit for hit in candidate.ranked.messages if not is_own(hit, sight.session)]
    lines = [hit for hit in hits if not in_prompt(hit.text, sight.prompt)]
    relevance = max((hit.relevance for hit in lines), default=0.0)

    def skipped(why: str) -> Skipped:
        return Skipped(thread.id, thread.title, why, relevance)

    if thread.status is Status.ARCHIVED and reason is not Reason.FOCUS:
        return skipped("archived")
    if not lines:
        return skipped("said in this session" if not hits else "in the prompt itself")
    floor = _floor(reason, rules) * share
    if relevance < floor:
        return skipped(f"relevance {relevance:.2f} is under the floor {floor:.2f}")
    return _unless_in_sight(candidate, lines, floor, sight, rules) or skipped(
        _in_sight_because(thread, sight)
    )


def _floor(reason: Reason, rules: InjectRules) -> float:
    match reason:
        case Reason.PINNED | Reason.IDENTITY | Reason.PREFERENCE | Reason.FOCUS:
            return 0.0
        case Reason.IMPORTANT | Reason.RECENT:
            return rules.floor * THOUGHT_OF
        case _:
            return rules.floor


def _unless_in_sight(
    candidate: Candidate,
    hits: Sequence[Hit],
    floor: float,
    sight: Sight,
    rules: InjectRules,
) -> Entry | None:
    thread = candidate.thread
    shown = sight.shown.shown(thread)
    updated = shown is not None and sight.shown.has_changed(thread)
    if shown is not None and not updated:
        return None
    stands = candidate.reason in STANDING
    least = min(floor, rules.floor * BESIDE_THE_BEST)
    worth = [
        hit
        for hit in hits
        if hit.relevance >= least and (updated or not sight.seen.says_the_same(hit.seq, hit.at))
    ]
    if not worth:
        return None
    relevance = max(hit.relevance for hit in worth)
    lines = tuple(_line(hit) for hit in worth[: rules.lines])
    # What stands is worth its share however little it answers; what answers goes before.
    similarity = max(relevance, rules.floor) if stands else relevance
    value = priority(similarity, thread, candidate.boost)
    focus = f" + focus {candidate.boost:.2f}" if candidate.boost else ""
    why = (
        f"{candidate.reason}: relevance {similarity:.2f} * weight {thread.weight:.2f} * rating "
        f"{thread.relevance:.2f}{focus} = {value:.2f}; {worth[0].why}".rstrip("; ")
    )
    return Entry(
        thread=thread,
        lines=lines,
        reason=candidate.reason,
        relevance=relevance,
        priority=value,
        why=why,
        updated=updated,
        changed_files=candidate.ranked.changed_files,
    )


def _in_sight_because(thread: Thread, sight: Sight) -> str:
    shown = sight.shown.shown(thread)
    if shown is None:
        return "says the same as what is in sight"
    return f"in sight: shown in turn {shown.turn}, and not changed since"


def is_own(hit: Hit, session: Session) -> bool:
    """Say whether the agent itself has this in its window: said here, since the last compaction."""
    return bool(session.id) and hit.session == session.id and hit.seq > session.epoch_seq


def _line(hit: Hit) -> Line:
    return Line(seq=hit.seq, id=hit.id, role=hit.role, at=hit.at, text=hit.text)

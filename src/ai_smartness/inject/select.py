"""Decide whether anything is worth showing, select the threads, and cut them to the budget.

The gate opens if the prompt can need the memory and something in it is relevant. Then the best
sentences are shown, the most relevant first; weight and rating only break ties. Nothing is shown
that is visible already, and the block takes whole entries only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf

from ai_smartness.inject.block import Beat, block_frame, entry_text
from ai_smartness.inject.dedupe import ShownThreads, VisibleLines, echoes_prompt
from ai_smartness.inject.gate import PromptGate
from ai_smartness.model.injection import (
    NEEDED_WORDS,
    InjectedLine,
    InjectedThread,
    InjectionReason,
)
from ai_smartness.model.search import Hit
from ai_smartness.model.session import LineScores, Session, SkippedThread
from ai_smartness.model.thread import Kind, Status, Thread
from ai_smartness.search.passages import has_old_text
from ai_smartness.search.query_parts import query_parts
from ai_smartness.search.rank import RankedThread
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.statements.features import has_change_words
from ai_smartness.text.display import shortened_text
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.threads.decay import is_pinned
from ai_smartness.threads.focus import MOST_BOOST

__all__ = [
    "MAX_BLOCK_CHARACTERS",
    "STANDING_REASONS",
    "InjectionCandidate",
    "VisibleContext",
    "entries_within_budget",
    "is_own_message",
    "selected_entries",
    "skipped_entry",
    "standing_reason",
]


MAX_BLOCK_CHARACTERS = 9_500
"""Clients move a hook's output of more than ten thousand to a file that the agent does not see."""

STANDING_REASONS = frozenset(
    {InjectionReason.PINNED, InjectionReason.IDENTITY, InjectionReason.PREFERENCE}
)
"""Entries that are shown for any prompt, and therefore limited to a share of the budget."""

SECONDARY_SHARE = 0.15  # of the best sentence's score, from which on others are shown with it
LEAST_RELEVANCE = 0.03  # of a sentence that is shown beside the best one
NEAR_BEST_SHARE = 0.5
"""Of the best sentence's score: from here on a sentence is shown without relevance of its own, such
as a statement near to the prompt. Both were chosen on half of the projects of
`training/projects.jsonl`: with them a fourth of the lines goes, and hardly an answer."""

ANSWERING_RELEVANCE = 0.15
"""Of a sentence that is shown within a session, or beside the brief, though a better one is in
sight: it has to answer by itself, or change what is in sight. Chosen on `training/projects.jsonl`,
where 0.15 costs no answer and needs fewer blocks than 0.05."""

MAX_TOKENS = 2_500
FULL_SCORE = 2.0  # of a sentence that answers the whole prompt; what a focus adds is below 1
SHORTEST_LINE_CHARACTERS = 40  # a shorter beginning says nothing
LINE_TOKENS = 9  # the date, the speaker and the thread of a line
SKIPPED_CHARACTERS = 160  # of a line that was left out, for somebody who asks why


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


@dataclass(frozen=True, slots=True)
class _LineBar:
    """What a sentence needs to be shown: a score, and relevance or nearly the best score.

    `by_need` says that the need of the prompt opened the gate, not relevance alone.
    """

    least_score: float
    best_score: float
    by_need: bool = False

    def admits(self, hit: Hit) -> bool:
        return hit.score >= self.least_score and _is_relevant(hit, self.best_score)


def _is_relevant(hit: Hit, best_score: float) -> bool:
    return hit.relevance >= LEAST_RELEVANCE or hit.score >= NEAR_BEST_SHARE * best_score


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleContext:
    """What the agent sees already: the prompt, its own session, the memory it was shown."""

    prompt: str
    session: Session
    shown_threads: ShownThreads
    lines: VisibleLines


def standing_reason(thread: Thread) -> InjectionReason | None:
    """Return why a thread is shown for any prompt, if it is; an archived one never is."""
    if thread.status is Status.ARCHIVED:
        return None
    if is_pinned(thread):
        return InjectionReason.PINNED
    match thread.kind:
        case Kind.IDENTITY:
            return InjectionReason.IDENTITY
        case Kind.PREFERENCE:
            return InjectionReason.PREFERENCE
        case _:
            return None


def selected_entries(
    candidates: Sequence[InjectionCandidate],
    visible: VisibleContext,
    rules: InjectSettings,
    gate: PromptGate,
    *,
    tokens: int = MAX_TOKENS,
) -> tuple[list[InjectedThread], list[SkippedThread]]:
    """Return the entries worth showing, best first, and the threads left out with the reason.

    Of two that say the same, the better is shown.
    """
    bar = _line_bar(candidates, visible, rules, gate, tokens)
    results = [_entry_or_skip(candidate, visible, rules, gate, bar) for candidate in candidates]
    entries = [result for result in results if isinstance(result, InjectedThread)]
    skipped = [result for result in results if isinstance(result, SkippedThread)]
    selected: list[InjectedThread] = []
    for entry in sorted(entries, key=_sort_key):
        lines = tuple(
            line
            for line in entry.lines
            if entry.updated or not visible.lines.is_repeated(line.seq, line.at, line.text)
        )
        if not lines:
            why = "says the same as a better entry"
            skipped.append(skipped_entry(entry, why))
            continue
        for line in lines:
            visible.lines.add(line.seq, line.at, line.text)
        selected.append(replace(entry, lines=lines))
    return selected, skipped


def skipped_entry(entry: InjectedThread, why: str) -> SkippedThread:
    """Return an entry that is left out after all, with its best line."""
    text = shortened_text(entry.lines[0].text, SKIPPED_CHARACTERS)
    return SkippedThread(entry.thread.id, entry.thread.title, why, entry.relevance, text)


def entries_within_budget(
    entries: Sequence[InjectedThread], tokens: int, rules: InjectSettings, beat: Beat, now: datetime
) -> tuple[list[InjectedThread], list[InjectedThread]]:
    """Return the entries that fit, with their tokens, and those that do not, in their order."""
    frame = "".join(block_frame(beat))
    left, characters = tokens - estimate_tokens(frame), MAX_BLOCK_CHARACTERS - len(frame)
    standing = int(tokens * rules.standing_share)
    most_standing = max(1, int(rules.most_threads * rules.standing_share))
    fitting: list[InjectedThread] = []
    cut: list[InjectedThread] = []
    for entry in entries:
        is_standing = entry.reason in STANDING_REASONS
        limit, most = left, rules.most_threads
        if is_standing:
            limit, most = min(left, standing), most_standing
            entry = _with_fitting_lines(entry, limit, now)  # noqa: PLW2901 - the same, cut
        text = entry_text(entry, now)
        cost = estimate_tokens(text)
        if cost > limit or len(text) > characters or len(fitting) >= most:
            cut.append(entry)
            continue
        fitting.append(replace(entry, tokens=cost))
        left, characters = left - cost, characters - len(text)
        standing -= cost if is_standing else 0
    return fitting, cut


def _with_fitting_lines(entry: InjectedThread, tokens: int, now: datetime) -> InjectedThread:
    """Return an entry with as many of its lines as fit; of a single one, its beginning."""
    while estimate_tokens(entry_text(entry, now)) > tokens:
        first, *others = entry.lines
        if others:
            lines = entry.lines[:-1]
        elif len(first.text) > SHORTEST_LINE_CHARACTERS:
            lines = (replace(first, text=shortened_text(first.text, len(first.text) * 3 // 4)),)
        else:
            return entry
        entry = replace(entry, lines=lines)
    return entry


def _sort_key(entry: InjectedThread) -> tuple[bool, bool, float, str]:
    """Sort threads in focus first, then standing ones, which have their own share."""
    is_focused = entry.reason is InjectionReason.FOCUS
    return not is_focused, entry.reason not in STANDING_REASONS, -entry.priority, entry.thread.id


def _line_bar(
    candidates: Sequence[InjectionCandidate],
    visible: VisibleContext,
    rules: InjectSettings,
    gate: PromptGate,
    tokens: int,
) -> _LineBar | None:
    """Return what a sentence needs to be shown; none if the gate stays shut."""
    passages = [
        (candidate.reason, hit)
        for candidate in candidates
        if candidate.reason not in STANDING_REASONS
        for hit in candidate.ranked.messages
        if not is_own_message(hit, visible.session)
    ]
    # What the prompt repeats, such as an error, is not shown again, but the memory knows it.
    is_open = any(gate.is_open_for(hit, reason, rules.floor) for reason, hit in passages)
    others = [hit for _, hit in passages if not echoes_prompt(hit.text, visible.prompt)]
    if not is_open or not others:
        return None
    best = max(others, key=lambda hit: hit.score)
    new = [hit for hit in others if not visible.lines.is_repeated(hit.seq, hit.at, hit.text)]
    is_under_way = gate.session_messages > 0 or best.seq in visible.shown_threads.in_brief
    asks_one_thing = not query_parts(visible.prompt)
    is_answered = is_under_way and asks_one_thing and best not in new
    if is_answered and not any(_adds_to_sight(hit, best) for hit in new):
        return _LineBar(inf, best.score)
    relevant = (hit for hit in new if _is_relevant(hit, best.score))
    least = max(SECONDARY_SHARE * best.score, _last_score_within(relevant, tokens))
    by_need = not any(PromptGate().is_open_for(hit, why, rules.floor) for why, hit in passages)
    return _LineBar(least, best.score, by_need)


def _adds_to_sight(hit: Hit, in_sight: Hit) -> bool:
    """Say whether a sentence answers beside a better one in sight, or may change what that says."""
    is_change = has_old_text(hit.text) or has_change_words(hit.text)
    return hit.relevance >= ANSWERING_RELEVANCE or (hit.at > in_sight.at and is_change)


def _last_score_within(passages: Iterable[Hit], tokens: int) -> float:
    """Return the score of the last sentence that fits into so many tokens, the best first."""
    last = 0.0
    for hit in sorted(passages, key=lambda hit: -hit.score):
        tokens -= estimate_tokens(hit.text) + LINE_TOKENS
        if tokens < 0:
            break
        last = hit.score
    return last


def _entry_or_skip(
    candidate: InjectionCandidate,
    visible: VisibleContext,
    rules: InjectSettings,
    gate: PromptGate,
    bar: _LineBar | None,
) -> InjectedThread | SkippedThread:
    thread, reason = candidate.thread, candidate.reason
    hits = [hit for hit in candidate.ranked.messages if not is_own_message(hit, visible.session)]
    lines = [hit for hit in hits if not echoes_prompt(hit.text, visible.prompt)]
    relevance = max((hit.relevance for hit in lines), default=0.0)
    is_wanted = reason in STANDING_REASONS or reason is InjectionReason.FOCUS

    def skip(why: str) -> SkippedThread:
        text = shortened_text(hits[0].text, SKIPPED_CHARACTERS) if hits else ""
        return SkippedThread(thread.id, thread.title, why, relevance, text)

    if not lines:
        return skip("said in this session" if not hits else "in the prompt itself")
    if bar is None and not is_wanted:
        return skip(gate.silence_reason(lines, reason, rules.floor))
    worth = [hit for hit in lines if is_wanted or (bar is not None and bar.admits(hit))]
    if not worth and relevance < LEAST_RELEVANCE:
        return skip(f"relevance {relevance:.2f}: too little beside the best")
    if not worth and _entry_unless_visible(candidate, lines, visible, rules, "") is None:
        return skip(_visible_reason(candidate, visible))
    if not worth:
        return skip("other sentences answer better")
    by_need = not is_wanted and bar is not None and bar.by_need
    label = NEEDED_WORDS if by_need else str(reason)
    return _entry_unless_visible(candidate, worth, visible, rules, label) or skip(
        _visible_reason(candidate, visible)
    )


def _entry_unless_visible(
    candidate: InjectionCandidate,
    hits: Sequence[Hit],
    visible: VisibleContext,
    rules: InjectSettings,
    label: str,
) -> InjectedThread | None:
    thread = candidate.thread
    is_shown = visible.shown_threads.last_shown(thread) is not None
    updated = is_shown and visible.shown_threads.has_changed(thread)
    worth = [
        hit for hit in hits if updated or not visible.lines.is_repeated(hit.seq, hit.at, hit.text)
    ]
    if not worth:
        return None
    lines = (
        InjectedLine(
            seq=hit.seq,
            id=hit.id,
            role=hit.role,
            at=hit.at,
            text=hit.text,
            why=_line_reason(hit),
            origin=hit.origin,
            scores=LineScores(hit.relevance, hit.why.words_share, hit.why.similarity),
        )
        for hit in worth[: rules.lines]
    )
    score = candidate.ranked.score / FULL_SCORE * thread.relevance
    priority = score + min(MOST_BOOST, candidate.boost)
    focus = f" + focus {candidate.boost:.2f}" if candidate.boost else ""
    relevance = max(hit.relevance for hit in worth)
    why = f"{label}: relevance {relevance:.2f}, score {score:.2f}{focus}; {worth[0].why}".rstrip(
        "; "
    )
    return InjectedThread(
        thread=thread,
        lines=tuple(lines),
        reason=candidate.reason,
        relevance=relevance,
        priority=priority,
        why=why,
        updated=updated,
        changed_files=candidate.ranked.changed_files,
    )


def _line_reason(hit: Hit) -> str:
    """Say in plain words by which numbers a line was chosen."""
    why, ways = hit.why, list[str]()
    if why.words_rank is not None:
        share = f" ({why.words_share:.0%} of the prompt's words)" if why.words_share else ""
        ways.append(f"no. {why.words_rank} by keyword{share}")
    if why.meaning_rank is not None:
        ways.append(f"no. {why.meaning_rank} by meaning (similarity {why.similarity:.2f})")
    if not ways:
        ways.append("a statement near to the prompt, or the user's last words on the thread")
    return f"relevance {hit.relevance:.2f}, score {hit.score:.2f}; {', '.join(ways)}"


def _visible_reason(candidate: InjectionCandidate, visible: VisibleContext) -> str:
    entry = visible.shown_threads.last_shown(candidate.thread)
    if entry is None:
        if any(hit.seq in visible.shown_threads.in_brief for hit in candidate.ranked.messages):
            return "in sight: the brief has it"
        return "says the same as what is in sight"
    return f"in sight: shown in turn {entry.turn}, and not changed since"


def is_own_message(hit: Hit, session: Session) -> bool:
    """Say whether the session itself said this since its last context compaction."""
    return bool(session.id) and hit.session == session.id and hit.seq > session.epoch_seq

"""A change of the journal as a page shows it: what was before, what is after, and who did it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.journal import Change, JournalEntry, Outcome
from ai_smartness.model.statement import SHORT_ID_CHARACTERS, StatementReview
from ai_smartness.model.thread import Rating, Thread

__all__ = ["ChangeView", "DiffRow", "change_view", "named_threads", "outcome_sentence"]

MOST_ROWS = 30  # of one change: a clean-up touches hundreds of threads
UNSHOWN_FIELDS = frozenset(
    {
        *("id", "project", "revision", "last_active", "files", "commit", "drift"),
        *("title_given", "topics_given", "lock_session", "activation_count"),
    }
)
"""Fields of a thread that follow from others, or that nobody changes."""

NOTHING = "—"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One difference: what it is about, which part of it, and both values in words."""

    subject: str
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """A change with its differences; `more` counts those that are not listed.

    `sentence` says what was done, and names threads by their titles.
    """

    entry: JournalEntry
    sentence: str
    rows: tuple[DiffRow, ...]
    more: int
    can_undo: bool


def change_view(entry: JournalEntry, titles: Mapping[str, str]) -> ChangeView:
    """Return a change for a page; `titles` are those of its threads by their ids."""
    rows = list(_diff_rows(entry.change, titles))
    return ChangeView(
        entry=entry,
        sentence=_titled_sentence(entry.said or entry.verb, titles),
        rows=tuple(rows[:MOST_ROWS]),
        more=max(0, len(rows) - MOST_ROWS),
        can_undo=bool(entry.change) and entry.undone_by is None and not entry.is_forgotten,
    )


def outcome_sentence(outcome: Outcome, titles: Mapping[str, str]) -> str:
    """Return what a change says about itself; `titles` are those of the threads it names."""
    new = {thread.id: thread.title for thread in outcome.threads}
    return _titled_sentence(outcome.said, {**titles, **new})


def named_threads(outcome: Outcome) -> list[str]:
    """Return the ids that a change may name: of its threads, and of threads in focus."""
    foci = (focus.after or focus.before for focus in outcome.change.foci)
    return [*outcome.change.touched_threads, *(focus.topic for focus in foci if focus)]


def _titled_sentence(said: str, titles: Mapping[str, str]) -> str:
    for id_, title in titles.items():
        if title:
            for named in (f"{id_} “{title}”", f'"{id_}"', id_):
                said = said.replace(named, f"“{title}”")
    return said


def _diff_rows(change: Change, titles: Mapping[str, str]) -> Iterator[DiffRow]:
    for edit in change.threads:
        yield from _thread_rows(edit.before, edit.after)
    for move in change.moves:
        count = len(move.seqs)
        name = "1 message" if count == 1 else f"{count:,} messages"
        yield DiffRow(name, "thread", _named(move.source, titles), _named(move.target, titles))
    for bridge in change.bridges:
        ends = " → ".join(_named(id_, titles) for id_ in bridge.thread_ids)
        yield DiffRow(ends, "bridge", _bridge_text(bridge.before), _bridge_text(bridge.after))
    for focus in change.foci:
        before, after = (
            NOTHING if one is None else f"{one.topic} ({one.weight:.2f})"
            for one in (focus.before, focus.after)
        )
        yield DiffRow("focus", "topic", before, after)
    for review in change.reviews:
        name = f"statement {review.id[:SHORT_ID_CHARACTERS]}"
        yield DiffRow(name, "review", _review_text(review.before), _review_text(review.after))


def _thread_rows(before: Thread | None, after: Thread | None) -> Iterator[DiffRow]:
    thread = after or before
    if thread is None:
        return
    title = thread.title or thread.id
    if before is None or after is None:
        was, now = (NOTHING, "new") if before is None else ("a thread", "gone")
        yield DiffRow(title, "thread", was, now)
        return
    for field in fields(Thread):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if old != new and field.name not in UNSHOWN_FIELDS:
            yield DiffRow(title, field.name.replace("_", " "), _value_text(old), _value_text(new))


def _value_text(value: object) -> str:
    match value:
        case None | "" | ():
            return NOTHING
        case Enum():
            return str(value.value)
        case Rating():
            return "useful" if value.useful else "not useful"
        case float():
            return f"{value:.2f}"
        case tuple():
            return ", ".join(_value_text(item) for item in value)
    return str(value)


def _bridge_text(bridge: Bridge | None) -> str:
    if bridge is None:
        return NOTHING
    return "removed" if bridge.unwanted else f"{bridge.relation.value}, weight {bridge.weight:.2f}"


def _review_text(review: StatementReview | None) -> str:
    if review is None:
        return "proposed"
    kind = review.kind.value if review.kind else ""
    text = f"“{review.text}”" if review.text else ""
    return ", ".join(part for part in (review.state.value, kind, text) if part)


def _named(thread_id: str, titles: Mapping[str, str]) -> str:
    return titles.get(thread_id) or thread_id

"""The statement that a pin makes: a pin with a kind of statement holds at once.

It is confirmed by a review, which outlives a reindex. Only the review vouches for it, so its
own confidence is 0: when the pin is undone, the statement is gone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ai_smartness.model.event import Event, is_by_agent, is_pin
from ai_smartness.model.journal import ReviewEdit
from ai_smartness.model.statement import (
    ReviewState,
    Speaker,
    Statement,
    StatementKind,
    StatementReview,
    sentence_hash,
    statement_id,
)
from ai_smartness.model.thread import Kind
from ai_smartness.ports import ThreadStore
from ai_smartness.text.display import shortened_text
from ai_smartness.text.keywords import extract_keywords

__all__ = [
    "THREAD_KINDS",
    "confirmed_pin",
    "pin_review_edit",
    "pinned_statement",
    "reviewed_kinds",
]

SENTENCE_CHARACTERS = 1_000  # of a pin are shown as its statement; the pin itself stays whole
MOST_SUBJECT_TERMS = 12  # enough to compare, few enough to read

THREAD_KINDS = {
    StatementKind.DECISION: Kind.DECISION,
    StatementKind.RULE: Kind.CONSTRAINT,
    StatementKind.PREFERENCE: Kind.PREFERENCE,
    StatementKind.ENVIRONMENT: Kind.FACT,
    StatementKind.COMMAND: Kind.FACT,
    StatementKind.ERROR_CURE: Kind.FACT,
    StatementKind.OPEN_TASK: Kind.TODO,
}
"""The kind of the thread that a pinned statement of each kind gets."""


def pinned_statement(event: Event, kind: StatementKind) -> Statement:
    """Return the statement that a stored pin makes: its text on one line."""
    text = shortened_text(" ".join(event.text.split()), SENTENCE_CHARACTERS)
    return Statement(
        id=statement_id(event.project, event.id, text),
        project=event.project,
        seq=event.seq,
        thread_id=event.thread_id,
        session=event.session or "",
        speaker=Speaker.ASSISTANT if is_by_agent(event) else Speaker.USER,
        at=event.at,
        kind=kind,
        text=text,
        subject=tuple(dict.fromkeys(extract_keywords(text)))[:MOST_SUBJECT_TERMS],
        confidence=0.0,
    )


def pin_review_edit(store: ThreadStore, statement: Statement, event: Event) -> ReviewEdit | None:
    """Return the edit that confirms a pinned statement; nothing if that was done before."""
    reviews = store.statements.reviews(event.project)
    before = next((one for one in reviews if one.statement_id == statement.id), None)
    after = StatementReview(
        statement_id=statement.id,
        project=event.project,
        state=ReviewState.CONFIRMED,
        at=event.at,
        kind=statement.kind,
        event_id=event.id,
        sentence_hash=sentence_hash(statement.text),
    )
    if before is not None and before.state is ReviewState.CORRECTED:
        after = replace(before, kind=statement.kind)
    if before is not None and replace(before, at=after.at) == after:
        return None
    return ReviewEdit(before, after)


def confirmed_pin(event: Event, kinds: Mapping[str, StatementKind]) -> Statement | None:
    """Return the statement of an event, if it is a pin with one of these reviewed kinds."""
    if not is_pin(event):
        return None
    statement = pinned_statement(event, StatementKind.DECISION)
    kind = kinds.get(statement.id)
    return replace(statement, kind=kind) if kind else None


def reviewed_kinds(reviews: Iterable[StatementReview]) -> Mapping[str, StatementKind]:
    """Return the kinds that reviews vouch for, by the id of the statement."""
    return {
        review.statement_id: review.kind
        for review in reviews
        if review.kind is not None and review.state is not ReviewState.REJECTED
    }

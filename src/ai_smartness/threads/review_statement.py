"""Review a statement: confirm, reject or correct it; or hide any other line.

A review replaces the former one of the same statement. A correction also confirms, and a second
correction keeps what the first one set unless it sets that too.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import Change, ReviewEdit
from ai_smartness.model.statement import (
    ReviewState,
    Statement,
    StatementKind,
    StatementReview,
    sentence_hash,
    statement_id,
)
from ai_smartness.ports import ThreadStore
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.threads.change_plan import ChangePlan

__all__ = ["hide_plan", "review_plan"]

SAID_CHARACTERS = 300

_VERBS = {
    ReviewState.CONFIRMED: ("confirm", "Confirmed"),
    ReviewState.REJECTED: ("reject", "Rejected"),
    ReviewState.CORRECTED: ("correct", "Corrected"),
    ReviewState.PROPOSED: ("take back the review of", "Took back the review of"),
}
"""How a review is called in a refusal and in a report."""


def review_plan(  # noqa: PLR0913, PLR0917 # one for each field of a review
    store: ThreadStore,
    project: str,
    id_or_start: str,
    state: ReviewState,
    text: str,
    kind: StatementKind | None,
    now: datetime,
) -> ChangePlan:
    """Plan to review a stored statement; as proposed, its review is taken back."""
    statement = store.statements.get(project, id_or_start)
    reviews = store.statements.reviews(project)
    before = next((one for one in reviews if one.statement_id == statement.id), None)
    _refuse_repetition(statement, before, state)
    after = None
    if state is not ReviewState.PROPOSED:
        event = store.events.by_seq([statement.seq])[statement.seq]
        after = StatementReview(
            statement_id=statement.id,
            project=project,
            state=state,
            at=now,
            event_id=event.id,
            sentence_hash=before.sentence_hash if before else sentence_hash(statement.text),
        )
    if after is not None and state is ReviewState.CORRECTED:
        after = _corrected_review(statement, before, replace(after, text=text, kind=kind))
    sentence = f"{_VERBS[state][1]} {statement.short_id}: “{statement.text}”."
    if after is not None and after.text:
        sentence = f"Corrected {statement.short_id}: “{statement.text}” is “{after.text}” now."
    return ChangePlan(
        project, sentence, Change(reviews=(ReviewEdit(before, after),)), (statement.thread_id,)
    )


def hide_plan(
    store: ThreadStore, event: Event, sentences: Sequence[str], now: datetime
) -> ChangePlan:
    """Plan to reject sentences of a message, whether or not they are statements."""
    former = {review.statement_id: review for review in store.statements.reviews(event.project)}
    edits = []
    for sentence in sentences:
        id_ = statement_id(event.project, event.id, sentence)
        before = former.get(id_)
        if before is None or before.state is not ReviewState.REJECTED:
            after = StatementReview(
                statement_id=id_,
                project=event.project,
                state=ReviewState.REJECTED,
                at=now,
                event_id=event.id,
                sentence_hash=sentence_hash(sentence),
            )
            edits.append(ReviewEdit(before, after))
    if not edits:
        msg = f"cannot hide this line of {event.id}: it is hidden already. `ais undo` shows it."
        raise RefusedError(msg)
    said = f"“{shortened_text(one_line(' '.join(sentences)), SAID_CHARACTERS)}” is not shown again."
    return ChangePlan(event.project, said, Change(reviews=tuple(edits)), (event.thread_id,))


def _corrected_review(
    statement: Statement, before: StatementReview | None, correction: StatementReview
) -> StatementReview:
    """Return a correction with what an earlier one set; refuse one that changes nothing."""
    if correction.text in ("", statement.text) and correction.kind in (None, statement.kind):
        msg = (
            f"cannot correct {statement.short_id}: it is a {statement.kind} and reads "
            f"“{statement.text}” already. Give another text or another kind."
        )
        raise RefusedError(msg)
    if before is None:
        return correction
    return replace(
        correction, text=correction.text or before.text, kind=correction.kind or before.kind
    )


def _refuse_repetition(
    statement: Statement, before: StatementReview | None, state: ReviewState
) -> None:
    verb, _ = _VERBS[state]
    if state is ReviewState.PROPOSED and before is None:
        msg = (
            f"cannot {verb} {statement.short_id}: it has none of its own. "
            "`ais statements` lists what was reviewed."
        )
        raise RefusedError(msg)
    if state is ReviewState.CONFIRMED and statement.review is ReviewState.CORRECTED:
        msg = (
            f"cannot confirm {statement.short_id}: it was corrected, which confirms it. "
            "`ais log` shows the correction, and `ais undo` takes it back."
        )
        raise RefusedError(msg)
    if statement.review is state and state in (ReviewState.CONFIRMED, ReviewState.REJECTED):
        msg = (
            f"cannot {verb} {statement.short_id}: it is {state} already. "
            "`ais log` shows when, and `ais undo` takes it back."
        )
        raise RefusedError(msg)

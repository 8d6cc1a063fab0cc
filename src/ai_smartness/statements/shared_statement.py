"""The statement that a teammate shared: it has the kind that its file says, and their name."""

from ai_smartness.model.event import Event, event_tier
from ai_smartness.model.statement import Speaker, Statement, StatementKind, statement_id
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.text.trust import SHARED

__all__ = ["shared_statement"]

SHARED_CONFIDENCE = 0.9  # somebody else's word, reviewed by those who merged it
MOST_SUBJECT_TERMS = 12


def shared_statement(event: Event) -> Statement | None:
    """Return the statement of an imported file of the team; None for any other event."""
    kind = event.payload.get("kind")
    if event_tier(event) != SHARED or not isinstance(kind, str) or kind not in set(StatementKind):
        return None
    text = " ".join(event.text.split())
    return Statement(
        id=statement_id(event.project, event.id, text),
        project=event.project,
        seq=event.seq,
        thread_id=event.thread_id,
        session=event.session or "",
        speaker=Speaker.USER,
        at=event.at,
        kind=StatementKind(kind),
        text=text,
        subject=tuple(dict.fromkeys(extract_keywords(text)))[:MOST_SUBJECT_TERMS],
        confidence=SHARED_CONFIDENCE,
    )

"""The statements that teammates shared: each has the kind that its page says, and their name.

A page names the pages that it supersedes. What was imported of them holds no longer; nothing else
that was said here is ended by a page.
"""

from collections.abc import Iterable

from ai_smartness.model.bridge import Relation
from ai_smartness.model.event import Event, event_tier
from ai_smartness.model.statement import Speaker, Statement, StatementKind, statement_id
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.in_force import Supersession
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.text.trust import SHARED

__all__ = ["SharedPages", "shared_statement"]

SHARED_CONFIDENCE = 0.9  # somebody else's word, reviewed by those who merged it
MOST_SUBJECT_TERMS = 12


def shared_statement(event: Event) -> Statement | None:
    """Return the statement of an imported file of the team; None for any other event."""
    kind = event.payload.get("kind")
    if event_tier(event) != SHARED or not isinstance(kind, str) or kind not in set(StatementKind):
        return None
    text = " ".join(event.text.split())
    # A dispute makes a new copy, and that is the same statement all the same.
    origin = event.payload.get("item")
    return Statement(
        id=statement_id(event.project, str(origin or event.id), text),
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


class SharedPages:
    """The statements that hold and were imported from pages, by the id of the page."""

    def __init__(self, store: ThreadStore, statements: Iterable[Statement]) -> None:
        shared = [statement for statement in statements if statement.shared_by]
        events = store.events.by_seq([statement.seq for statement in shared]) if shared else {}
        self._by_page = {
            _page_id(events[statement.seq]): statement
            for statement in shared
            if statement.seq in events
        }

    def add(self, event: Event, statement: Statement) -> list[Supersession]:
        """Add the statement of a page; return those that it ends, which hold no longer."""
        ended = [
            Supersession(self._by_page.pop(page), statement, Relation.REPLACES, 1.0)
            for page in _superseded_pages(event)
            if page in self._by_page
        ]
        self._by_page[_page_id(event)] = statement
        return ended

    def remove(self, statement_id: str) -> None:
        """Remove a statement that holds no longer."""
        pages = [page for page, one in self._by_page.items() if one.id == statement_id]
        for page in pages:
            del self._by_page[page]


def _page_id(event: Event) -> str:
    return str(event.payload.get("path", "")).removesuffix(".md")


def _superseded_pages(event: Event) -> list[str]:
    pages = event.payload.get("supersedes")
    return [page for page in pages if isinstance(page, str)] if isinstance(pages, list) else []

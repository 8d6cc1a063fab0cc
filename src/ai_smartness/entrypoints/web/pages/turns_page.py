"""Turns: what agents were shown before each prompt, and why; what was left out; what was used.

At each line it can be said what to do with it: rate its thread, pin it, reject what it states, or
never show it again.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from ai_smartness.entrypoints.web.page import PageRequest, Rendered, paged
from ai_smartness.memory import Memory
from ai_smartness.model.journal import Outcome
from ai_smartness.model.session import LedgerPage
from ai_smartness.views.turns import TurnDetails, turn_groups, turn_view

__all__ = ["ACTIONS", "PARTS", "show"]

TURN_ROWS = 10  # each with its block and its bars: more would be over 100 KB


def show(request: PageRequest) -> Rendered:
    """Show the latest turns of the project or of one session, newest first."""
    session = request.query.get("session") or None
    before = _time_of(request.query.get("before", ""))
    pages = request.memory.why(session, TURN_ROWS + 1, before=before)
    details = _details_of(request.memory, pages)
    turns = paged(
        [turn_view(page, details) for page in pages],
        lambda turn: request.address(session=session, before=turn.page.at.isoformat()),
        TURN_ROWS,
    )
    values = {
        "sessions": turn_groups(turns.rows, details),
        "next_address": turns.next_address,
        "session": session,
        "status": request.memory.status() if not turns.rows else None,
        "is_first": before is None,
    }
    return Rendered("turns.html", values)


def _details_of(memory: Memory, pages: Sequence[LedgerPage]) -> TurnDetails:
    entries = [entry for page in pages for entry in page.shown]
    return TurnDetails(
        titles=memory.titles(entry.thread_id for entry in entries),
        sources=memory.line_sources({line.seq for entry in entries for line in entry.lines}),
        sessions=memory.sessions(page.session for page in pages),
    )


def _sent_text(request: PageRequest) -> Rendered:
    """Show the text of one turn as it was sent: many of them would make the page long."""
    session, at = request.query.get("session"), _time_of(request.query.get("at", ""))
    pages = request.memory.why(session, 1, before=at + timedelta(microseconds=1)) if at else []
    block = next((page.block for page in pages if page.at == at), "")
    return Rendered("turns_sent.html", {"block": block})


def _rate(request: PageRequest) -> Outcome:
    useful = request.value("useful") == "yes"
    return request.memory.rate(request.value("thread"), useful=useful)


def _pin(request: PageRequest) -> Outcome:
    return request.memory.pin(request.value("text"))


def _reject(request: PageRequest) -> Outcome:
    return request.memory.reject_statement(request.value("statement"))


def _hide(request: PageRequest) -> Outcome:
    return request.memory.hide(request.value("message"), request.value("text"))


PARTS = {"sent": _sent_text}
ACTIONS = {"rate": _rate, "pin": _pin, "reject": _reject, "hide": _hide}


def _time_of(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)

"""Turns: what agents were shown before each prompt, and why; what was left out; what was used."""

from datetime import UTC, datetime

from ai_smartness.entrypoints.web.page import PAGE_ROWS, PageRequest, Rendered, paged
from ai_smartness.views.turns import turn_view

__all__ = ["show"]


def show(request: PageRequest) -> Rendered:
    """Show the latest turns of the project or of one session, newest first."""
    session = request.query.get("session") or None
    before = _time_of(request.query.get("before", ""))
    pages = request.memory.why(session, PAGE_ROWS + 1, before=before)
    titles = request.memory.titles(entry.thread_id for page in pages for entry in page.shown)
    turns = paged(
        [turn_view(page, titles) for page in pages],
        lambda turn: request.address(session=session, before=turn.page.at.isoformat()),
    )
    status = request.memory.status()
    values = {"turns": turns, "session": session, "status": status, "is_first": before is None}
    return Rendered("turns.html", values)


def _time_of(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)

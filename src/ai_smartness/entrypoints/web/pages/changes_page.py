"""Changes: the journal with what each change did, who made it, and how to undo it."""

from ai_smartness.entrypoints.web.page import PAGE_ROWS, PageRequest, Rendered, paged
from ai_smartness.views.changes import change_view

__all__ = ["show"]


def show(request: PageRequest) -> Rendered:
    """Show the latest changes of the project or of one thread, newest first."""
    thread = request.query.get("thread") or None
    before = request.number("before")
    entries = request.memory.log(thread, limit=PAGE_ROWS + 1, before=before)
    ids = {id_ for entry in entries for id_ in entry.change.touched_threads}
    titles = request.memory.titles(ids)
    changes = paged(
        [change_view(entry, titles) for entry in entries],
        lambda change: request.address(thread=thread, before=change.entry.seq),
    )
    values = {"changes": changes, "thread": thread, "title": titles.get(thread or "", thread)}
    return Rendered("changes.html", values)

"""Neighbourhood: a thread and what it is bridged to, in two steps and at most 60 threads."""

from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.model.thread import Thread
from ai_smartness.views.neighbourhood_drawing import drawn_neighbourhood

__all__ = ["show"]

CANDIDATES = 20


def show(request: PageRequest) -> Rendered:
    """Show the neighbourhood of a thread; without one, of the best linked among the latest."""
    id_ = request.query.get("id", "")
    thread = request.memory.thread(id_) if id_ else _linked_thread(request)
    near = request.memory.neighbourhood(thread.id) if thread else None
    titles = {one.id: one.title or one.id for one in near.threads} if near else {}
    values = {
        "thread": thread,
        "drawing": drawn_neighbourhood(near) if near else None,
        "bridges": near.bridges if near else (),
        "titles": titles,
        "candidates": request.memory.list_threads(limit=CANDIDATES).threads,
    }
    return Rendered("neighbourhood.html", values)


def _linked_thread(request: PageRequest) -> Thread | None:
    """Return the thread with the most bridges among the latest ones."""
    threads = request.memory.list_threads(limit=CANDIDATES).threads

    def bridge_count(thread: Thread) -> int:
        return len(request.memory.bridges(thread.id))

    return max(threads, key=bridge_count, default=None)

"""Timeline: threads over time, one lane each, coloured by the client that was used."""

from datetime import UTC, datetime, timedelta

from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.model.browse import ThreadFilter, ThreadList, ThreadPosition
from ai_smartness.views.timeline import SPANS, STEPS, Timeline, fitting_span, timeline

__all__ = ["show", "timeline_of"]

LANES = 40
FIRST_LANES = 20  # that the first view is made to fit


def show(request: PageRequest) -> Rendered:
    """Show the threads that were active in a span of time, the latest first."""
    latest = request.memory.list_threads(limit=FIRST_LANES).threads
    newest = latest[0].last_active if latest else datetime.now(UTC)
    until = _time_of(request.query.get("until", "")) or newest + timedelta(minutes=1)
    span = request.query.get("span", "")
    span = span if span in SPANS else fitting_span(latest, until)
    listed, drawing = timeline_of(request, span, until, _place_of(request))
    names, half = list(SPANS), SPANS[span] / 2
    number = names.index(span)
    values = {
        "drawing": drawing,
        "spans": names,
        "earlier": request.address(span=span, until=(until - half).isoformat()),
        "later": request.address(span=span, until=(until + half).isoformat()),
        "is_latest": until > newest,
        "closer": names[number - 1] if number else "",
        "closer_length": SPANS[names[number - 1]] if number else timedelta(0),
        "until": until.isoformat(),
        "more_address": _more_address(request, span, until, listed.next),
        "is_empty": not latest,
    }
    return Rendered("timeline.html", values)


def timeline_of(
    request: PageRequest, span: str, until: datetime, after: ThreadPosition | None = None
) -> tuple[ThreadList, Timeline]:
    """Return the lanes of a span, and their drawing."""
    memory, since = request.memory, until - SPANS[span]
    listed = memory.list_threads(ThreadFilter(since=since, until=until), LANES, after)
    # The messages of a merged thread are in another lane.
    threads = [thread for thread in listed.threads if thread.merged_into is None]
    activity = memory.activity([thread.id for thread in threads], since, until, STEPS)
    clients = memory.session_clients({one.session for one in activity if one.session})
    return listed, timeline(threads, activity, clients, span=span, until=until)


def _time_of(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _place_of(request: PageRequest) -> ThreadPosition | None:
    text, _, id_ = request.query.get("after", "").partition("~")
    at = _time_of(text)
    return None if at is None else ThreadPosition(at, id_)


def _more_address(
    request: PageRequest, span: str, until: datetime, place: ThreadPosition | None
) -> str:
    if place is None:
        return ""
    after = f"{place.last_active.isoformat()}~{place.id}"
    return request.address(span=span, until=until.isoformat(), after=after)

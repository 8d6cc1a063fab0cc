"""Threads: find one, read it with the reasons for everything on it, and put threads in order.

Every change is shown first, as its dry run, and carried out by a second click.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from ai_smartness.clients.registry import CLIENTS
from ai_smartness.entrypoints.web.page import PAGE_ROWS, PageRequest, Rendered
from ai_smartness.entrypoints.web.thread_changes import change_thread, preview_change
from ai_smartness.model.bridge import Relation
from ai_smartness.model.browse import ThreadFilter, ThreadList, ThreadPosition
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Event
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import Outcome
from ai_smartness.model.search import RecalledThread
from ai_smartness.model.thread import Kind, SplitLock, Status, Thread
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.views.placement import moving_changes
from ai_smartness.views.thread_view import (
    bridge_views,
    even_moments,
    message_views,
    proposed_places,
    sampled_moments,
)

__all__ = ["ACTIONS", "PARTS", "show"]

MESSAGE_ROWS = 50
PAST_ROWS = 10  # each is worked out from the journal and its messages
BRIDGE_ROWS = 30
CHOICE_ROWS = 8
SPLIT_ROWS = 300
MAX_PARTS = 6
MIN_TARGET_TOKENS = 100
RELATION_WORDS = {
    Relation.SIBLING: "is about the same as",
    Relation.EXTENDS: "goes on with",
    Relation.DEPENDS: "depends on",
    Relation.UPDATES: "updates",
    Relation.REPLACES: "replaces",
    Relation.CONTRADICTS: "contradicts",
    Relation.CHILD_OF: "is a part of",
}
JOURNAL_ENTRIES = 200  # of the thread, that may have moved messages to it

Choice = TypeVar("Choice", Kind, Status)


def show(request: PageRequest) -> Rendered:
    """List threads: those that answer a question, or all, the most recently active first."""
    moments = _project_moments(request)
    step = request.number("step")
    if step is not None and step < len(moments) - 1:
        return _past_list(request, moments, step)
    chosen = _filter_of(request)
    query = request.query.get("q", "").strip()
    if query:
        matches = {match.thread.id: match for match in _recalled(request, query, PAGE_ROWS)}
        listed = _found_threads(request, chosen, matches)
    else:
        matches = {}
        listed = request.memory.list_threads(chosen, PAGE_ROWS, _position_of(request))
    values = {
        **_filter_values(request, query),
        "threads": listed.threads,
        "matches": matches,
        "survivors": _survivor_titles(request, listed.threads),
        "foci": _titled_foci(request) if not query else [],
        "counts": request.memory.message_counts([thread.id for thread in listed.threads]),
        "moments": moments,
        "step": len(moments) - 1,
        "at": None,
        "next_address": _next_address(request, listed.next),
    }
    return Rendered("threads.html", values)


def _survivor_titles(request: PageRequest, threads: Sequence[Thread]) -> dict[str, str]:
    """Return the titles of the threads that some of these were merged into."""
    return request.memory.titles({one.merged_into for one in threads if one.merged_into})


def _titled_foci(request: PageRequest) -> list[tuple[Focus, str]]:
    """Return the lasting foci, each with the title of its thread or with its topic."""
    foci = request.memory.foci()
    titles = request.memory.titles([focus.topic for focus in foci])
    return [(focus, titles.get(focus.topic) or focus.topic) for focus in foci]


def _project_moments(request: PageRequest) -> list[datetime]:
    """Return the moments at which the list can be seen, the last of them now."""
    first, now = request.memory.begun_at(), datetime.now(UTC)
    return even_moments(first, now) if first and first < now else []


def _past_list(request: PageRequest, moments: Sequence[datetime], step: int) -> Rendered:
    """List threads as they were at a moment, in the order of their latest activity of today."""
    memory, at = request.memory, moments[step]
    begun = ThreadFilter(until=at + timedelta(microseconds=1))  # at that moment, or before
    listed = memory.list_threads(begun, PAST_ROWS, _position_of(request))
    past = []
    for thread in listed.threads:
        with suppress(NotFoundError):  # it was merged by then, or got its messages later
            past.append(memory.thread_at(thread.id, at))
    values = {
        **_filter_values(request, query=""),
        "threads": [one.thread for one in past],
        "matches": {},
        "survivors": _survivor_titles(request, [one.thread for one in past]),
        "foci": [],
        "counts": {one.thread.id: len(one.events) for one in past},
        "moments": moments,
        "step": step,
        "at": at,
        "next_address": _next_address(request, listed.next),
    }
    return Rendered("threads.html", values)


def _filter_values(request: PageRequest, query: str) -> dict[str, object]:
    filters = {name: request.query.get(name, "") for name in FILTER_FIELDS}
    return {
        "query": query,
        "filters": filters,
        "is_filtered": bool(query) or any(filters.values()),
        "is_first": "after" not in request.query,
        "kinds": list(Kind),
        "statuses": list(Status),
        "clients": sorted({*request.memory.clients(), *CLIENTS}),
    }


def show_thread(request: PageRequest) -> Rendered:
    """Show one thread with its messages, now or at a time."""
    memory = request.memory
    wanted = memory.thread(_thread_id(request))
    thread = wanted
    while thread.merged_into is not None:
        thread = memory.thread(thread.merged_into)
    moments = sampled_moments(memory.moments(thread.id))
    step = _step_of(request, moments)
    at = moments[step] if step is not None and step < len(moments) - 1 else None
    if at is None:
        events = memory.latest_messages(
            thread.id, MESSAGE_ROWS + 1, before=request.number("before")
        )
        bridges = memory.bridges(thread.id)
    else:
        past = memory.thread_at(thread.id, at)
        thread, events, bridges = past.thread, list(past.events), list(past.bridges)
    shown = events[-MESSAGE_ROWS:]
    is_cut = len(events) > len(shown)
    moved_by = moving_changes(thread.id, memory.log(thread.id, limit=JOURNAL_ENTRIES))
    linked = [end for one in bridges[:BRIDGE_ROWS] for end in (one.source, one.target)]
    titles = memory.titles([*linked, *thread.child_ids, *([thread.parent_id or thread.id])])
    values = {
        "thread": thread,
        "followed": wanted.id if wanted.id != thread.id else "",
        "messages": message_views(shown, memory.notes(thread.id, shown), moved_by),
        "count": len(events) if at else memory.message_counts([thread.id]).get(thread.id, 0),
        "earlier_address": _earlier_address(request, shown) if is_cut and at is None else "",
        "is_cut": is_cut,
        "bridges": bridge_views(thread.id, bridges[:BRIDGE_ROWS], titles),
        "bridge_count": len(bridges),
        "titles": titles,
        "moments": moments,
        "step": len(moments) - 1 if at is None else step,
        "at": at,
        "kinds": list(Kind),
        "target": _condense_target(shown),
        "focus": _focus_on(request, thread.id),
    }
    return Rendered("thread.html", values)


def show_split(request: PageRequest) -> Rendered:
    """Show the messages of a thread and a proposed split, to be chosen by mouse or keyboard."""
    proposal = request.memory.propose_split(_thread_id(request))
    last = len(proposal.messages)
    start = min(request.number("from") or max(0, last - SPLIT_ROWS), last)
    titles = [part.title for part in proposal.parts[: MAX_PARTS - 1]]
    values = {
        "thread": proposal.thread,
        "messages": proposal.messages[start : start + SPLIT_ROWS],
        "start": start,
        "count": last,
        "places": proposed_places(proposal),
        "titles": [*titles, ""],
        "is_proposed": bool(proposal.parts),
        "locks": list(SplitLock),
    }
    return Rendered("thread_split.html", values)


def show_choices(request: PageRequest) -> Rendered:
    """Show threads to merge with, to link to, or to move a message to."""
    thread = request.memory.thread(_thread_id(request))
    message = request.query.get("message", "")
    query = request.query.get("q", "").strip()
    if query:
        threads = [match.thread for match in _recalled(request, query, CHOICE_ROWS + 1)]
    else:
        threads = _bridged_threads(request, thread)
    choices = [one for one in threads if one.id != thread.id and one.merged_into is None]
    values = {
        "thread": thread,
        "choices": choices[:CHOICE_ROWS],
        "counts": request.memory.message_counts([one.id for one in choices]),
        "query": query,
        "message": request.memory.message(message) if message else None,
        "is_link": request.query.get("verb") == "link",
        "relations": RELATION_WORDS,
    }
    return Rendered("thread_choices.html", values)


PARTS = {
    "search": show,
    "one": show_thread,
    "thread": show_thread,
    "split": show_split,
    "choose": show_choices,
}


def _focus(request: PageRequest) -> Outcome:
    return request.memory.focus(request.value("topic"))


def _unfocus(request: PageRequest) -> Outcome:
    return request.memory.unfocus(request.value("topic"))


ACTIONS = {
    "preview": preview_change,
    "change": change_thread,
    "focus": _focus,
    "unfocus": _unfocus,
}

FILTER_FIELDS = ("kind", "status", "client", "since", "until")


def _focus_on(request: PageRequest, thread_id: str) -> Focus | None:
    return next((one for one in request.memory.foci() if one.topic == thread_id), None)


def _condense_target(events: Sequence[Event]) -> int:
    """Return the tokens to condense to, unless somebody knows better: half of what is shown."""
    return max(MIN_TARGET_TOKENS, sum(estimate_tokens(event.text) for event in events) // 2)


def _thread_id(request: PageRequest) -> str:
    id_ = request.query.get("id", "")
    if not id_:
        msg = "the address names no thread. Choose one from the list of threads."
        raise NotFoundError(msg)
    return id_


def _step_of(request: PageRequest, moments: Sequence[datetime]) -> int | None:
    """Return the number of the moment to look at; the list of threads names it by its time."""
    at = _time_of(request.query.get("at", ""))
    if at is None:
        return request.number("step")
    return max((number for number, moment in enumerate(moments) if moment <= at), default=0)


def _filter_of(request: PageRequest) -> ThreadFilter:
    until = _day_of(request.query.get("until", ""))
    return ThreadFilter(
        kind=_choice_of(Kind, request.query.get("kind", "")),
        status=_choice_of(Status, request.query.get("status", "")),
        client=request.query.get("client") or None,
        since=_day_of(request.query.get("since", "")),
        until=until + timedelta(days=1) if until else None,
    )


def _choice_of(choices: type[Choice], text: str) -> Choice | None:
    return choices(text) if text in [choice.value for choice in choices] else None


def _day_of(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None


def _position_of(request: PageRequest) -> ThreadPosition | None:
    text, _, id_ = request.query.get("after", "").partition("~")
    at = _time_of(text)
    return ThreadPosition(at, id_) if at else None


def _time_of(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _next_address(request: PageRequest, place: ThreadPosition | None) -> str:
    if place is None:
        return ""
    filters = {name: request.query.get(name, "") for name in FILTER_FIELDS}
    after = f"{place.last_active.isoformat()}~{place.id}"
    return request.address(**filters, step=request.number("step"), after=after)


def _earlier_address(request: PageRequest, shown: list[Event]) -> str:
    return request.address("threads/one", id=request.query["id"], before=shown[0].seq)


def _recalled(request: PageRequest, query: str, limit: int) -> list[RecalledThread]:
    """Return the threads of this project that answer; looking changes nothing."""
    result = request.memory.recall(query, limit, bring_back=False)
    return [match for match in result.threads if match.thread.project == request.project.name]


def _found_threads(
    request: PageRequest, chosen: ThreadFilter, matches: dict[str, RecalledThread]
) -> ThreadList:
    """Return the threads that answer and fit the filter, the best first."""
    if chosen == ThreadFilter():
        return ThreadList(tuple(match.thread for match in matches.values()))
    listed = request.memory.list_threads(
        ThreadFilter(
            kind=chosen.kind,
            status=chosen.status,
            client=chosen.client,
            since=chosen.since,
            until=chosen.until,
            ids=tuple(matches),
        ),
        len(matches) or 1,
    )
    places = list(matches)
    return ThreadList(tuple(sorted(listed.threads, key=lambda one: places.index(one.id))))


def _bridged_threads(request: PageRequest, thread: Thread) -> list[Thread]:
    """Return the threads that this one is bridged to, then the most recently active ones."""
    near = request.memory.neighbourhood(thread.id, most=CHOICE_ROWS + 1).threads
    recent = request.memory.list_threads(ThreadFilter(status=Status.ACTIVE), CHOICE_ROWS + 1)
    return list({one.id: one for one in (*near, *recent.threads)}.values())

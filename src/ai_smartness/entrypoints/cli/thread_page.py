"""The page of one thread on the terminal: its description, its links and its messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.compact import compaction_line
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    print_text,
    safe_text,
    shown_id,
    shown_thread_id,
)
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.model.event import EventType
from ai_smartness.text.display import one_line, time_ago
from ai_smartness.views.placement import moving_changes, placement_reasons

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.annotation import Annotation
    from ai_smartness.model.bridge import Bridge
    from ai_smartness.model.event import Event
    from ai_smartness.model.thread import Thread

__all__ = ["ThreadPage", "linked_names", "print_thread_page", "thread_page", "thread_page_at"]

SHOWN_CHARACTERS = 2_000
"""A screenful of one message: a longer one is mostly a log that nobody reads to the end."""

DRIFT_THRESHOLD = 0.5  # a thread with more drift than this has latest messages about something else


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPage:
    """Everything to show of one thread, now or `at` a time.

    `followed_from` is the requested thread, if it was merged into this one.
    """

    thread: "Thread"
    messages: "Sequence[Event]"
    notes: "Sequence[Annotation]"
    bridges: "Sequence[Bridge]"
    drift: Sequence[float] = ()
    moved_by: Mapping[int, str] = field(default_factory=dict)
    followed_from: str | None = None
    at: datetime | None = None


def thread_page(memory: "Memory", thread_id: str, view: str | int | None = None) -> ThreadPage:
    """Gather the page of a thread, or of the thread that it was merged into.

    The view `working` is the one of an agent; a number is that view after so many compactions.
    """
    requested = thread = memory.thread(thread_id)
    while thread.merged_into is not None:
        thread = memory.thread(thread.merged_into)
    return ThreadPage(
        thread=thread,
        messages=_viewed_messages(memory, thread.id, view),
        notes=memory.notes(thread.id),
        bridges=memory.bridges(thread.id),
        drift=memory.drift(thread.id),
        moved_by=_moving_changes(memory, thread.id),
        followed_from=None if thread is requested else requested.id,
    )


def _viewed_messages(memory: "Memory", thread_id: str, view: str | int | None) -> "list[Event]":
    match view:
        case int():
            return memory.events_after(thread_id, view)
        case "working":
            return memory.events(thread_id)
        case _:
            return memory.all_events(thread_id)


def thread_page_at(memory: "Memory", thread_id: str, at: datetime) -> ThreadPage:
    """Gather the page of a thread as it was at a time."""
    then = memory.thread_at(thread_id, at)
    seqs = {event.seq for event in then.events}
    # A message that moved since has its notes on its current thread.
    places = dict.fromkeys(event.thread_id for event in then.events)
    notes = [note for place in places for note in memory.notes(place) if note.seq in seqs]
    return ThreadPage(
        thread=then.thread, messages=then.events, notes=notes, bridges=then.bridges, at=at
    )


def linked_names(memory: "Memory", page: ThreadPage) -> dict[str, str]:
    """Return the names of the threads that a page mentions, by their ids."""
    ends = [end for bridge in page.bridges for end in (bridge.source, bridge.target)]
    family = [page.thread.parent_id, *page.thread.child_ids]
    names = ThreadNames(memory)
    return {id_: names.name(id_) for id_ in dict.fromkeys([*ends, *family]) if id_}


def print_thread_page(page: ThreadPage, names: Mapping[str, str], *, full: bool, why: bool) -> None:
    """Print a thread and its messages; the threads that it is linked to have these names."""
    _print_head(page, names)
    notes = {note.seq: note for note in page.notes}
    for event in page.messages:
        _print_message(_printable_event(event, page), None if full else SHOWN_CHARACTERS)
        if why:
            for reason in placement_reasons(page.moved_by.get(event.seq), notes.get(event.seq)):
                print_text(f"  why here: {reason}", hang=2, style="dim")


def _moving_changes(memory: "Memory", thread_id: str) -> dict[int, str]:
    return moving_changes(thread_id, memory.log(thread_id, limit=1_000))


def _print_head(page: ThreadPage, names: Mapping[str, str]) -> None:
    now, thread = page.at or datetime.now(UTC), page.thread
    _print_state(page)
    print_text(one_line(thread.title), style="bold")
    lines = {
        "thread": thread.id,
        "project": thread.project,
        "kind": thread.kind,
        "status": thread.status,
        "weight": f"{thread.weight:.2f}",
        "locked": _lock_text(thread),
        "topics": ", ".join(thread.topics),
        "tags": ", ".join(thread.tags),
        "files": ", ".join(thread.files),
        "begun": f"{formatted_time(thread.created_at)}, {time_ago(thread.created_at, now)}",
        "active": f"{formatted_time(thread.last_active)}, {time_ago(thread.last_active, now)}",
        "parent": names.get(thread.parent_id or "", thread.parent_id),
        "children": ", ".join(names.get(child, child) for child in thread.child_ids),
        "drift": _drift_text(page.drift),
        "messages": f"{len(page.messages):,}",
    }
    for label, value in lines.items():
        if value:
            print_text(f"{label:<10}{value}", hang=10)
    _print_list("summary", thread.summary.splitlines())
    _print_list("bridges", [_bridge_line(bridge, page, names) for bridge in page.bridges])
    _print_list("proposed", _proposed_kinds(page))


def _print_state(page: ThreadPage) -> None:
    if page.followed_from is not None:
        print_text(f"{page.followed_from} was merged into {page.thread.id}; shown below")
    if page.at is not None:
        click.echo(f"as it was at {page.at:%Y-%m-%d %H:%M:%S} UTC")


def _lock_text(thread: "Thread") -> str:
    session = f" (session {thread.lock_session})" if thread.lock_session else ""
    return f"{thread.split_lock}{session}" if thread.split_lock else ""


def _print_list(label: str, lines: Sequence[str]) -> None:
    if lines:
        click.echo(label)
    for line in lines:
        print_text(f"  {line}", hang=2)


def _drift_text(series: Sequence[float]) -> str:
    if not series:
        return ""
    away = ": the latest messages are about something else" if series[-1] >= DRIFT_THRESHOLD else ""
    return f"{series[-1]:.2f}{away}"


def _bridge_line(bridge: "Bridge", page: ThreadPage, names: Mapping[str, str]) -> str:
    is_source = bridge.source == page.thread.id
    other = bridge.target if is_source else bridge.source
    arrow = "→" if is_source else "←"
    name = names.get(other, other)
    return f"{bridge.relation} {arrow} {name}, {bridge.weight:.2f}: {bridge.reason}"


def _proposed_kinds(page: ThreadPage) -> list[str]:
    """Return the kinds that messages suggest and the thread does not have yet."""
    proposals = [item for note in page.notes for item in note.proposals if page.at is None]
    lines = dict.fromkeys(
        f'{item.kind}: "{item.sentence}"' for item in proposals if item.kind is not page.thread.kind
    )
    command = f"ais threads kind {shown_thread_id(page.thread.id)} KIND"
    return [*lines, f"`{command}` confirms one of these."] if lines else []


def _printable_event(event: "Event", page: ThreadPage) -> "Event":
    """Return an event with text to print: a compaction has none of its own."""
    if event.type is not EventType.COMPACTION:
        return event
    line = compaction_line(event, set_aside=event.seq in page.thread.set_aside)
    return replace(event, text=line)


def _print_message(event: "Event", limit: int | None) -> None:
    session = f"  session {event.session}" if event.session else ""
    head = f"{shown_id(event.id)}  {formatted_time(event.at)}  {event.role}{session}"
    click.echo(f"\n{click.style(safe_text(head), bold=True)}")
    text = event.text[:limit]
    print_text(text)
    if len(text) < len(event.text):
        left = counted_noun(len(event.text) - len(text), "more character")
        click.echo(f"… {left}; --full shows all")

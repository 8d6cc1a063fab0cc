"""One thread on the screen: what it is, what it is linked to, what was said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.entrypoints.cli.status import counted

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.bridge import Bridge
    from ai_smartness.model.event import Event
    from ai_smartness.model.note import Note, Placed
    from ai_smartness.model.thread import Thread

__all__ = ["ThreadPage", "ago", "page_of", "print_page"]

SHOWN_CHARACTERS = 2_000
"""A screenful of one message: what is longer is mostly a log that nobody reads to the end."""

DRIFTED = 0.5
"""From here on a thread's latest messages are about something else."""

UNITS = (
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPage:
    """All there is to show of one thread."""

    thread: "Thread"
    messages: "Sequence[Event]"
    notes: "Sequence[Note]"
    bridges: "Sequence[Bridge]"
    drift: Sequence[float]


def page_of(memory: "Memory", thread_id: str) -> ThreadPage:
    """Gather what there is to show of a thread."""
    thread = memory.thread(thread_id)
    return ThreadPage(
        thread=thread,
        messages=memory.all_events(thread.id),
        notes=memory.notes(thread.id),
        bridges=memory.bridges(thread.id),
        drift=memory.drift(thread.id),
    )


def print_page(page: ThreadPage, *, full: bool, why: bool) -> None:
    """Print a thread and its messages."""
    _print_head(page)
    notes = {note.seq: note for note in page.notes}
    for event in page.messages:
        _print_message(event, None if full else SHOWN_CHARACTERS)
        if why and event.seq in notes:
            click.echo(click.style(f"  why here: {_reason(notes[event.seq].placed)}", dim=True))


def ago(at: datetime, now: datetime) -> str:
    """Write how long ago something was, in its largest whole unit."""
    for unit, length in UNITS:
        if now - at >= length:
            return f"{counted((now - at) // length, unit)} ago"
    return "just now" if at <= now else "in the future"


def _print_head(page: ThreadPage) -> None:
    now, thread = datetime.now(UTC), page.thread
    lines = {
        "thread": thread.id,
        "title": thread.title,
        "project": thread.project,
        "kind": thread.kind,
        "status": thread.status,
        "weight": f"{thread.weight:.2f}",
        "topics": ", ".join(thread.topics),
        "files": ", ".join(thread.files),
        "begun": f"{_moment(thread.created_at)}, {ago(thread.created_at, now)}",
        "active": f"{_moment(thread.last_active)}, {ago(thread.last_active, now)}",
        "drift": _drift(page.drift),
        "messages": f"{len(page.messages):,}",
    }
    for label, value in lines.items():
        if value:
            click.echo(f"{label:<10}{visible(value)}")
    _print_list("summary", thread.summary.splitlines())
    _print_list("bridges", [_bridge(bridge, thread.id) for bridge in page.bridges])
    _print_list("proposed", _proposed(page))


def _print_list(label: str, lines: Sequence[str]) -> None:
    if lines:
        click.echo(label)
    for line in lines:
        click.echo(f"  {visible(line)}")


def _drift(series: Sequence[float]) -> str:
    if not series:
        return ""
    away = ": the latest messages are about something else" if series[-1] >= DRIFTED else ""
    return f"{series[-1]:.2f}{away}"


def _bridge(bridge: "Bridge", thread_id: str) -> str:
    other = bridge.target if bridge.source == thread_id else bridge.source
    arrow = "→" if bridge.source == thread_id else "←"
    return f"{bridge.relation} {arrow} {other}  {bridge.weight:.2f}  {bridge.reason}"


def _proposed(page: ThreadPage) -> list[str]:
    """Write what messages seem to state that the thread is not said to be yet."""
    found = [each for note in page.notes for each in note.proposals]
    lines = [
        f'{each.kind}: "{each.sentence}"' for each in found if each.kind is not page.thread.kind
    ]
    command = f"ais threads kind {page.thread.id} KIND"
    return [*lines, f"`{command}` says that one of these is right."] if lines else []


def _reason(placed: "Placed") -> str:
    numbers = ", ".join(f"{name} {value:+.1f}" for name, value in placed.evidence)
    held = " (held: it may begin another subject)" if placed.held else ""
    if not placed.evidence:
        return f"{placed.reason}{held}"
    return f"{placed.reason} by {placed.score:+.1f}, {placed.margin:+.1f} ahead{held}: {numbers}"


def _print_message(event: "Event", limit: int | None) -> None:
    session = f"  session {event.session}" if event.session else ""
    head = f"{event.id}  {_moment(event.at)}  {event.role}{session}"
    click.echo(f"\n{click.style(visible(head), bold=True)}")
    text = event.text[:limit]
    click.echo(visible(text))
    if len(text) < len(event.text):
        left = counted(len(event.text) - len(text), "more character")
        click.echo(f"… {left}; --full shows all")


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"

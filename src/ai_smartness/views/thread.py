"""Threads as an agent reads them as MCP resources: the list of threads, and one in full."""

from collections.abc import Sequence

from ai_smartness.model.event import Event, event_origin
from ai_smartness.model.thread import Thread
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.text.markers import STALE_NOTE, marked_text

__all__ = ["thread_text", "threads_text"]

MAX_LISTED_THREADS = 500
MAX_MESSAGES = 200
MESSAGE_CHARACTERS = 2_000
"""A client passes a resource to the model as one text, so it is bounded; the latest matters."""


def threads_text(threads: Sequence[Thread]) -> str:
    """List threads, the most recently active first."""
    lines = [f"# Threads ({len(threads):,}): id [status] weight title"]
    for thread in threads[:MAX_LISTED_THREADS]:
        title = one_line(thread.title)
        lines.append(f"- {thread.id} [{thread.status}] {thread.weight:.2f} {title}")
    if len(threads) > MAX_LISTED_THREADS:
        lines.append(f"… and {len(threads) - MAX_LISTED_THREADS:,} more")
    return marked_text("\n".join(lines))


def thread_text(thread: Thread, events: Sequence[Event]) -> str:
    """Show a thread: its title, its properties, its messages."""
    facts = {
        "Status": thread.status,
        "Kind": thread.kind,
        "Weight": f"{thread.weight:.2f}",
        "Relevance": f"{thread.relevance:.2f}",
        "Last active": f"{thread.last_active:%Y-%m-%d %H:%M} UTC",
        "Topics": ", ".join(map(one_line, thread.topics)),
        "Files": ", ".join(map(one_line, thread.files)),
        "Locked": thread.split_lock,
        "Merged into": thread.merged_into,
        "Summary": one_line(thread.summary),
    }
    latest = f", the latest {MAX_MESSAGES:,}" if len(events) > MAX_MESSAGES else ""
    lines = [
        f"# {one_line(thread.title)} ({thread.id})",
        STALE_NOTE,
        "",
        *(f"{name}: {value}" for name, value in facts.items() if value),
        "",
        f"## Messages ({len(events):,}{latest})",
        *map(_message_line, events[-MAX_MESSAGES:]),
    ]
    return marked_text("\n".join(lines))


def _message_line(event: Event) -> str:
    text = shortened_text(one_line(event.text), MESSAGE_CHARACTERS)
    speaker = one_line(event_origin(event) or event.role)
    return f"- {one_line(event.id)} [{event.at:%Y-%m-%d %H:%M} {speaker}] {text}"

"""`ais tour`: a demo of the memory on temporary data, through the real code.

The data is three sessions about a small shop, on three days in spring.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.output import one_line, print_text
from ai_smartness.entrypoints.cli.program_name import typed_program
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.model.event import Message

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["tour"]

EXCERPT_CHARACTERS = 120

NEXT_STEPS = (
    ("init", "connect your coding agents, in your project's folder"),
    ("import", "import the sessions that you had before"),
    ("help", "find the command for a task"),
)


@click.command()
@click.option("--step", is_flag=True, help="Wait for Enter after each part.")
@pass_context
def tour(context: CliContext, *, step: bool) -> None:
    """The demo does not read or change your memory. Example: `ais tour --step`."""
    with _throwaway_memory(context) as memory:
        for part in PARTS:
            part(memory)
            if step:
                click.pause("  … Enter for the next part")
    _print_next_steps(typed_program(context.environ))


@contextmanager
def _throwaway_memory(context: CliContext) -> "Iterator[Memory]":
    from ai_smartness.settings.paths import DATABASE_FILE
    from ai_smartness.wiring import build_memory

    with tempfile.TemporaryDirectory(prefix="ais-tour-") as folder:
        path = Path(folder) / DATABASE_FILE
        with build_memory(context.places, context.settings, "shop", path) as memory:
            yield memory


def _print_title(text: str) -> None:
    print_text(f"\n{text}", style="bold cyan")


def _show_capture(memory: "Memory") -> None:
    _print_title("1. It records what you and the agent say")
    for message in SCRIPT[:4]:
        print_text(f"  {message.role}: {_short_text(message.text)}", hang=2)
    started = perf_counter()
    captured = memory.capture(SCRIPT)
    took = (perf_counter() - started) * 1000
    print_text(f"\n  … {captured.stored} messages of 3 sessions, stored in {took:.0f} ms.")
    again = memory.capture(SCRIPT)
    print_text(f"  The same again: {again.stored} new, {again.known} known. No message is doubled.")


def _show_threads(memory: "Memory") -> None:
    _print_title("2. It groups messages by subject, across sessions")
    names = ThreadNames(memory, memory.threads())
    for thread in memory.threads():
        count = len(memory.events(thread.id))
        print_text(f"  {names.name(thread.id)}", style="bold")
        print_text(f"      {count} messages, about {', '.join(thread.topics[:4])}", hang=2)
        for bridge in memory.bridges(thread.id):
            if bridge.source == thread.id:
                end = names.name(bridge.target)
                print_text(f"      {bridge.relation}: {end}, {bridge.reason}", hang=2)


def _show_search(memory: "Memory") -> None:
    _print_title("3. It finds lines by keyword and by meaning")
    if memory.embedder is None:
        print_text("  (no embedding model here, so by keyword only; `ais doctor` says why)")
    for query, remark in QUESTIONS:
        print_text(f"\n  ? {query}", style="bold")
        print_text(f"    {remark}", style="dim")
        for hit in memory.search(query, limit=2):
            print_text(f"    {hit.at:%d %b} {hit.role}: {_short_text(hit.text)}", hang=2)
            print_text(f"           found by {hit.why}", style="dim")


def _show_time_travel(memory: "Memory") -> None:
    _print_title("4. It knows what was true when")
    query, moment = CHANGED_ANSWER
    for label, before in (("before the change", moment), ("today", None)):
        hit = memory.search(query, limit=1, before=before)[0]
        print_text(f"  {label}: {_short_text(hit.text)}", hang=2)


def _show_rebuild(memory: "Memory") -> None:
    _print_title("5. Everything else can be rebuilt from the messages")
    query = QUESTIONS[0][0]
    before = memory.search(query)
    events = memory.reindex()
    same = "the same" if memory.search(query) == before else "DIFFERENT"
    print_text(f"  Rebuilt titles, threads and indexes from {events} messages: {same} answers.")


def _show_injection(memory: "Memory") -> None:
    _print_title("6. It adds the relevant lines to a prompt, or nothing")
    for prompt in PROMPTS:
        print_text(f"\n  > {prompt}", style="bold")
        shown = memory.inject(prompt, session="tour")
        for entry in shown.entries:
            for line in entry.lines:
                print_text(f"    {line.at:%d %b} {line.role}: {_short_text(line.text)}", hang=2)
        if not shown.entries:
            print_text("    (nothing: it stays silent)", style="dim")


def _show_undo(memory: "Memory") -> None:
    _print_title("7. Every change can be undone")
    names = ThreadNames(memory, memory.threads())
    first, second = (memory.message(each).thread_id for each in MERGED_MESSAGES)
    merged = memory.merge(first, second)
    print_text(f"  {names.named_text(merged.said)}")
    undone = memory.undo()
    print_text(f"  ais undo {merged.number}: {len(memory.events(second))} messages are back.")
    print_text(f"  ais undo {undone.number} would merge them again: nothing is lost.")


PARTS: "tuple[Callable[[Memory], None], ...]" = (
    _show_capture,
    _show_threads,
    _show_search,
    _show_time_travel,
    _show_rebuild,
    _show_injection,
    _show_undo,
)


def _print_next_steps(program: str) -> None:
    _print_title("Next, with your own project")
    for command, purpose in NEXT_STEPS:
        print_text(f"  {program} {command:<10}{purpose}", hang=2)


def _short_text(text: str) -> str:
    return one_line(text, EXCERPT_CHARACTERS)


_SESSIONS: dict[tuple[str, datetime], tuple[tuple[str, str], ...]] = {
    ("login", datetime(2026, 3, 2, 9, 15, tzinfo=UTC)): (
        ("user", "Users get logged out at random. Can you look at src/auth/middleware.py?"),
        (
            "assistant",
            (
                "verifyToken() compares the expiry in local time, so every JWT dies early. "
                "I changed it to UTC in src/auth/middleware.py and added a test."
            ),
        ),
        ("user", "Better: drop JWT altogether. Server-side sessions, I want to revoke them."),
        (
            "assistant",
            (
                "Done: JWT is gone, sessions live in Redis with a lifetime of 12 hours, and "
                "revokeAllSessions(userId) ends them. Run `make test-auth` to check."
            ),
        ),
    ),
    ("invoice", datetime(2026, 3, 4, 14, 0, tzinfo=UTC)): (
        ("user", "The invoice PDF breaks when a customer's name has an umlaut."),
        (
            "assistant",
            (
                "renderInvoice() asks for Helvetica, which has no glyph for ü. "
                "Embedding DejaVu Sans fixes it; the file grows by 60 kB."
            ),
        ),
        ("user", "Fine. Invoices must never be sent twice, remember that."),
        ("assistant", "Noted. sendInvoice() now takes an idempotency key and stores it."),
    ),
    ("again", datetime(2026, 4, 9, 10, 30, tzinfo=UTC)): (
        ("user", "Sessions in Redis: 12 hours is too short, people complain. Make it 30 days."),
        ("assistant", "The session lifetime in src/auth/session.py is now 30 days."),
        ("user", "And the staging database is db-stage-2 from now on, not db-stage-1."),
        ("assistant", "Updated DATABASE_URL in .env.staging to point at db-stage-2."),
    ),
}

SCRIPT: list[Message] = [
    Message(
        id=f"{session}-{number}",
        session=session,
        role=role,
        text=text,
        at=start + timedelta(minutes=3 * number),
    )
    for (session, start), lines in _SESSIONS.items()
    for number, (role, text) in enumerate(lines)
]

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("why did we drop JWT?", "by its words"),
    ("duplicate billing", "not one word in common with the answer"),
    ("revokeAll", "a part of an identifier"),
)

CHANGED_ANSWER = ("session lifetime hours days", datetime(2026, 4, 1, tzinfo=UTC))
"""A question whose answer changed, and a moment before it did."""

PROMPTS = (
    "Add a page to revoke sessions; why did we drop JWT again?",
    "ok, go on",
    "Write a haiku about the sea.",
)
"""A prompt that leans on what was decided, and two that need nothing."""

MERGED_MESSAGES = ("again-1", "login-1")  # messages of two threads that could as well be one

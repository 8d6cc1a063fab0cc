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
from ai_smartness.entrypoints.cli.output import one_line, rich_console
from ai_smartness.entrypoints.cli.program_name import typed_program
from ai_smartness.model.event import Message

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["tour"]

EXCERPT_CHARACTERS = 88

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
    from ai_smartness.wiring import build_memory

    with tempfile.TemporaryDirectory(prefix="ais-tour-") as folder:
        path = Path(folder) / "memory.db"
        with build_memory(context.places, context.settings, "shop", path) as memory:
            yield memory


def _print_title(text: str) -> None:
    rich_console().print(f"\n{text}", style="bold cyan")


def _show_capture(memory: "Memory") -> None:
    _print_title("1. It listens")
    screen = rich_console()
    for message in SCRIPT[:4]:
        screen.print(f"  {message.role:>9}: {_short_text(message.text)}")
    started = perf_counter()
    captured = memory.capture(SCRIPT)
    took = (perf_counter() - started) * 1000
    screen.print(f"\n  … {captured.stored} messages of 3 sessions kept in {took:.0f} ms.")
    again = memory.capture(SCRIPT)
    screen.print(f"  The same again: {again.stored} new, {again.known} known. Nothing doubles.")


def _show_threads(memory: "Memory") -> None:
    _print_title("2. Threads form by themselves")
    screen = rich_console()
    for thread in memory.threads():
        count = len(memory.events(thread.id))
        screen.print(f"  {_short_text(thread.title)}", style="bold")
        screen.print(f"      {thread.id}, {count} messages, about {', '.join(thread.topics[:4])}")
        for bridge in memory.bridges(thread.id):
            if bridge.source == thread.id:
                screen.print(
                    f"      {bridge.relation} {bridge.target}: {_short_text(bridge.reason)}"
                )
    event = memory.message(CHANGED_SUBJECT)
    note = next(note for note in memory.notes(event.thread_id) if note.seq == event.seq)
    screen.print("\n  Each message says why it is where it is. One where the subject changed:")
    screen.print(f"      {_short_text(event.text)}")
    screen.print(f"      It {note.placed.explanation()}.", style="dim")


def _show_search(memory: "Memory") -> None:
    _print_title("3. Ask, and the right lines come back")
    screen = rich_console()
    if memory.embedder is None:
        screen.print("  (no embedding model here, so by keyword only; `ais doctor` says why)")
    for query, remark in QUESTIONS:
        screen.print(f"\n  ? {query}", style="bold")
        screen.print(f"    {remark}", style="dim")
        for hit in memory.search(query, limit=2):
            screen.print(f"    {hit.at:%d %b} {hit.role}: {_short_text(hit.text)}")
            screen.print(f"           found by {hit.why}", style="dim")


def _show_time_travel(memory: "Memory") -> None:
    _print_title("4. It knows what was known when")
    screen = rich_console()
    query, moment = CHANGED_ANSWER
    for label, before in (("before the change", moment), ("today", None)):
        hit = memory.search(query, limit=1, before=before)[0]
        screen.print(f"  {label:>17}: {_short_text(hit.text)}")


def _show_rebuild(memory: "Memory") -> None:
    _print_title("5. What was said is the only truth")
    query = QUESTIONS[0][0]
    before = memory.search(query)
    events = memory.reindex()
    same = "the same" if memory.search(query) == before else "DIFFERENT"
    rich_console().print(
        f"  Everything derived was rebuilt from {events} messages: {same} answers."
    )


def _show_injection(memory: "Memory") -> None:
    _print_title("6. Before each prompt: the right lines, or silence")
    screen = rich_console()
    for prompt in PROMPTS:
        screen.print(f"\n  > {prompt}", style="bold")
        shown = memory.inject(prompt, session="tour")
        for entry in shown.entries:
            screen.print(f"    {_short_text(entry.lines[0].text)}")
            screen.print(f"           {entry.why}", style="dim")
        if not shown.entries:
            screen.print("    (nothing: it knows when to be silent)", style="dim")


def _show_undo(memory: "Memory") -> None:
    _print_title("7. Put in order, and take it back")
    screen = rich_console()
    first, second = (memory.message(each).thread_id for each in MERGED_MESSAGES)
    merged = memory.merge(first, second)
    screen.print(f"  {merged.said}")
    undone = memory.undo()
    screen.print(f"  ais undo {merged.number}: {len(memory.events(second))} messages are back.")
    screen.print(f"  ais undo {undone.number} would merge them again: nothing is ever lost.")


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
        rich_console().print(f"  {program} {command:<10}{purpose}", soft_wrap=True)


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

CHANGED_SUBJECT = "again-2"  # the message with which the third session turns to something else

CHANGED_ANSWER = ("session lifetime hours days", datetime(2026, 4, 1, tzinfo=UTC))
"""A question whose answer changed, and a moment before it did."""

PROMPTS = (
    "Add a page to revoke sessions; why did we drop JWT again?",
    "ok, go on",
    "Write a haiku about the sea.",
)
"""A prompt that leans on what was decided, and two that need nothing."""

MERGED_MESSAGES = ("again-1", "login-1")  # messages of two threads that could as well be one

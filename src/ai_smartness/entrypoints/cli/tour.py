"""`ais tour`: the product at work, on a throw-away memory, through the real code."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.output import console
from ai_smartness.entrypoints.cli.tour_script import (
    CHANGED_SUBJECT,
    MERGED,
    PROMPTS,
    QUESTIONS,
    SCRIPT,
    SECOND_THOUGHTS,
)

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["tour"]

EXCERPT_CHARACTERS = 88


@click.command()
@click.option("--step", is_flag=True, help="Wait for Enter after each part.")
@pass_context
def tour(context: Context, *, step: bool) -> None:
    """Walk through what the memory does, on a throw-away one.

    Nothing of yours is read or changed. Example: `ais tour --step`.
    """
    with _throw_away(context) as memory:
        for part in PARTS:
            part(memory)
            if step:
                click.pause("  … Enter for the next part")
    _say_what_next()


@contextmanager
def _throw_away(context: Context) -> "Iterator[Memory]":
    from ai_smartness.wiring import wired  # noqa: PLC0415 # heavy, and not for --help

    with tempfile.TemporaryDirectory(prefix="ais-tour-") as folder:
        path = Path(folder) / "memory.db"
        with wired(context.places, context.settings, "shop", path) as memory:
            yield memory


def _title(text: str) -> None:
    console().print(f"\n{text}", style="bold cyan")


def _capture(memory: "Memory") -> None:
    _title("1. It listens")
    screen = console()
    for message in SCRIPT[:4]:
        screen.print(f"  {message.role:>9}: {_short(message.text)}")
    started = perf_counter()
    captured = memory.capture(SCRIPT)
    took = (perf_counter() - started) * 1000
    screen.print(f"\n  … {captured.stored} messages of 3 sessions kept in {took:.0f} ms.")
    again = memory.capture(SCRIPT)
    screen.print(f"  The same again: {again.stored} new, {again.known} known. Nothing doubles.")


def _threads(memory: "Memory") -> None:
    _title("2. Threads form by themselves")
    screen = console()
    for thread in memory.threads():
        count = len(memory.events(thread.id))
        screen.print(f"  {_short(thread.title)}", style="bold")
        screen.print(f"      {thread.id}, {count} messages, about {', '.join(thread.topics[:4])}")
        for bridge in memory.bridges(thread.id):
            if bridge.source == thread.id:
                screen.print(f"      {bridge.relation} {bridge.target}: {_short(bridge.reason)}")
    event = memory.message(CHANGED_SUBJECT)
    note = next(note for note in memory.notes(event.thread_id) if note.seq == event.seq)
    screen.print("\n  Each message says why it is where it is. One where the subject changed:")
    screen.print(f"      {_short(event.text)}")
    screen.print(f"      It {note.placed.said()}.", style="dim")


def _search(memory: "Memory") -> None:
    _title("3. Ask, and the right lines come back")
    screen = console()
    if memory.embedder is None:
        screen.print("  (no embedding model here, so by words alone; `ais doctor` says why)")
    for query, remark in QUESTIONS:
        screen.print(f"\n  ? {query}", style="bold")
        screen.print(f"    {remark}", style="dim")
        for hit in memory.search(query, limit=2):
            screen.print(f"    {hit.at:%d %b} {hit.role}: {_short(hit.text)}")
            screen.print(f"           found by {hit.why}", style="dim")


def _time(memory: "Memory") -> None:
    _title("4. It knows what was known when")
    screen = console()
    query, moment = SECOND_THOUGHTS
    for label, before in (("before the change", moment), ("today", None)):
        hit = memory.search(query, limit=1, before=before)[0]
        screen.print(f"  {label:>17}: {_short(hit.text)}")


def _rebuild(memory: "Memory") -> None:
    _title("5. What was said is the only truth")
    query = QUESTIONS[0][0]
    before = memory.search(query)
    events = memory.reindex()
    same = "the same" if memory.search(query) == before else "DIFFERENT"
    console().print(f"  Everything derived was rebuilt from {events} messages: {same} answers.")


def _inject(memory: "Memory") -> None:
    _title("6. Before each prompt: the right lines, or silence")
    screen = console()
    for prompt in PROMPTS:
        screen.print(f"\n  > {prompt}", style="bold")
        shown = memory.inject(prompt, session="tour")
        for entry in shown.entries:
            screen.print(f"    {_short(entry.lines[0].text)}")
            screen.print(f"           {entry.why}", style="dim")
        if not shown.entries:
            screen.print("    (nothing: it knows when to be silent)", style="dim")


def _undo(memory: "Memory") -> None:
    _title("7. Put in order, and take it back")
    screen = console()
    first, second = (memory.message(each).thread_id for each in MERGED)
    merged = memory.merge(first, second)
    screen.print(f"  {merged.said}")
    undone = memory.undo()
    screen.print(f"  ais undo {merged.number}: {len(memory.events(second))} messages are back.")
    screen.print(f"  ais undo {undone.number} would merge them again: nothing is ever lost.")


PARTS: "tuple[Callable[[Memory], None], ...]" = (
    _capture,
    _threads,
    _search,
    _time,
    _rebuild,
    _inject,
    _undo,
)


def _say_what_next() -> None:
    _title("Yours next")
    screen = console()
    screen.print("  ais init              set up your own memory on this machine")
    screen.print("  ais status            what is in it")
    screen.print("  ais recall WORDS …    ask it")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT_CHARACTERS else line[: EXCERPT_CHARACTERS - 1] + "…"

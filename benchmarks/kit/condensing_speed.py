"""How long it takes to condense a thread and to see one, and how right our count of tokens is."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from ai_smartness.condense.condenser import mentions_in, proposals_in
from ai_smartness.memory import Memory
from ai_smartness.model.annotation import Annotation, RecordedPlacement
from ai_smartness.model.event import Event
from ai_smartness.text.token_count import estimate_tokens
from kit.conversations import conversations
from kit.filled import an_event, opened
from kit.made_up import messages
from kit.timing import print_table, took

__all__ = ["print_speed", "print_token_error"]

CONDENSED_EVENTS = 10_000
LONG_EVENTS = 100_000

_PLACED = RecordedPlacement("made up", 0.0, 0.0)


def print_speed() -> None:
    """Print how long it takes to condense a thread, and to see one."""
    rows: list[list[str]] = []
    with TemporaryDirectory() as folder:
        memory = opened(Path(folder) / "memory.db")
        memory.embedder = None
        thread = long_thread(memory, CONDENSED_EVENTS)
        for name in ("digest", "summarize-and-reload"):
            spent = timed(lambda chosen=name: memory.condense(thread, chosen))  # type: ignore[misc]
            rows.append([f"{name}, {CONDENSED_EVENTS:,} events", *spent])
            memory.undo()
        long = long_thread(memory, LONG_EVENTS)
        rows.append([f"view, {LONG_EVENTS:,} events, all", *least(memory, long)])
        memory.condense(long)
        for message in messages(50, seed=5):
            memory.append(long, replace(message, id=None))
        rows.append([f"view, {LONG_EVENTS:,} events, condensed", *least(memory, long)])
        memory.close()
        rows += untold(Path(folder) / "untold.db")
    print_table("Speed", ["what", "took", "of the processor"], rows)


def untold(path: Path) -> list[list[str]]:
    """Condense what was captured in one go, as an import does, and nobody has looked at."""
    memory = opened(path)
    memory.embedder = None
    thread = long_thread(memory, CONDENSED_EVENTS, noted=False)
    spent = timed(lambda: memory.condense(thread, "digest"))
    memory.close()
    return [[f"digest, {CONDENSED_EVENTS:,} events that nobody has looked at", *spent]]


def timed(call: Callable[[], object]) -> list[str]:
    """Return what a call took, by the clock and of the processor."""
    clock, processor = perf_counter(), process_time()
    call()
    spent = perf_counter() - clock, process_time() - processor
    return [f"{each * 1000:,.0f} ms" for each in spent]


def least(memory: Memory, thread: str) -> list[str]:
    """Return the least of five times of reading a view."""
    return [f"{min(took(lambda: memory.events(thread)) for _ in range(5)) * 1000:,.1f} ms", ""]


def long_thread(memory: Memory, events: int, *, noted: bool = True) -> str:
    """Make a thread of so many made-up events, each noted as capture does."""
    thread = memory.create("long")
    store = memory._store  # noqa: SLF001 - past the door, or it would take minutes
    said = list(messages(events, seed=events))
    with store.unit():
        for start in range(0, events, 1_000):
            kept = store.events.append(
                [
                    replace(an_event(message, thread), id=f"{thread}-{start + n}")
                    for n, message in enumerate(said[start : start + 1_000])
                ],
            )
            if noted:
                store.annotations.add([_note(event) for event in kept])
            else:
                store.annotations.add([Annotation(seq=e.seq, placed=_PLACED) for e in kept])
        if noted:
            store.annotations.mark_described("bench", store.events.last_seq("bench"))
    return thread


def print_token_error(files: Sequence[Path], path: Path) -> None:
    """Print how far our estimate of tokens is from a real tokenizer's count."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    texts = [m.text for file in files for each in conversations(file) for m in each.messages]
    texts = [text for text in texts if len(text) >= 200]  # noqa: PLR2004 - long enough to count
    real = np.array([len(tokenizer.encode(text).ids) for text in texts])
    ours = np.array([estimate_tokens(text) for text in texts])
    off = ours / real
    print_table(
        f"Our estimate of tokens against {path.name}, {len(texts):,} messages",
        ["", "all together", "5 %", "median", "95 %", "too few"],
        [
            [
                "ours / real",
                f"{ours.sum() / real.sum():.3f}",
                *(f"{np.percentile(off, each):.3f}" for each in (5, 50, 95)),
                f"{(off < 1).mean():.1%}",
            ],
        ],
    )


def _note(event: Event) -> Annotation:
    return Annotation(
        seq=event.seq,
        placed=_PLACED,
        mentions=tuple(mentions_in(event)),
        proposals=tuple(proposals_in(event)),
    )

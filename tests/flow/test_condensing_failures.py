"""A condenser that fails in any way: nothing is written, it is said why, and the thread goes on."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.event import Message
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import CondenseSettings, Settings
from ai_smartness.testing import SetClock
from builders import NOON
from dump import dump
from engines import open_store
from long_threads import LineByLine, a_long_thread

pytestmark = pytest.mark.every_engine

RELEASED = threading.Event()


def raises(*_: object) -> None:
    msg = "no ink"
    raise OSError(msg)


def stops_the_program(*_: object) -> None:
    raise SystemExit(3)


def hangs(*_: object) -> None:
    RELEASED.wait(60)


def half_and_then_raises(*_: object) -> Iterator[object]:
    yield "a word"
    msg = "no ink"
    raise OSError(msg)


FAILURES: dict[str, tuple[object, str]] = {
    "raises": (raises, "raised OSError: no ink"),
    "stops the program": (stops_the_program, "raised SystemExit: 3"),
    "hangs": (hangs, "had not ended after 1 seconds"),
    "nothing": (None, "gave NoneType"),
    "an empty list": ([], "gave nothing to stand for them"),
    "words": ("It was about tokens.", "gave str and not a list"),
    "a list of words": (["It was about tokens."], "gave a str and not a Replacement"),
    "a generator": (half_and_then_raises, "gave generator and not a list"),
}


@contextmanager
def a_kept_memory(path: Path, seconds: float = 60) -> Iterator[tuple[Memory, ThreadStore]]:
    store = open_store(path)
    parts = MemoryParts(store=store, embedder=lambda: None, clock=SetClock(NOON))
    settings = Settings(condense=CondenseSettings(deadline_seconds=seconds))
    with Memory(parts, "demo", settings) as memory:
        yield memory, store


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("condensed_before", [False, True], ids=["whole", "condensed"])
def test_nothing_is_written_and_the_thread_goes_on(
    tmp_path: Path, failure: str, *, condensed_before: bool
) -> None:
    gives, because = FAILURES[failure]
    seconds = 1 if failure == "hangs" else 60
    with a_kept_memory(tmp_path / "memory", seconds) as (memory, store):
        thread = a_long_thread(memory)
        if condensed_before:
            memory.condense(thread, "trim-tool-results", target=1_500)
        memory.register(LineByLine(gives))
        before = everything(memory, store, thread)

        with pytest.raises(RefusedError, match="Nothing was written") as refused:
            memory.condense(thread, "line-by-line", target=500, scope="full")

        assert because in str(refused.value)
        assert f"cannot condense {thread} with line-by-line" in str(refused.value)
        assert everything(memory, store, thread) == before
        said = memory.append(thread, Message(text="the thread goes on", session="s"))
        assert memory.events(thread)[-1] == said
        assert memory.condense(thread, "digest", target=500, scope="full").number is not None
    RELEASED.set()
    RELEASED.clear()


@pytest.mark.parametrize(
    "wrongly",
    [
        lambda memory, thread: memory.condense(thread, "haiku"),
        lambda memory, thread: memory.condense(thread, "digest", mood="brief"),
        lambda memory, thread: memory.condense(thread, scope="some"),
        lambda memory, thread: memory.condense(thread, target=-1),
        lambda memory, thread: memory.condense(thread, target=10),
        lambda memory, _: memory.condense("thread_nowhere"),
        lambda memory, thread: memory.restore(thread, before="comp_nowhere"),
    ],
    ids=["name", "parameter", "scope", "target", "too small", "thread", "compaction"],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_done(
    tmp_path: Path, wrongly: Callable[[Memory, str], object]
) -> None:
    with a_kept_memory(tmp_path / "memory") as (memory, store):
        thread = a_long_thread(memory)
        before = everything(memory, store, thread)

        with pytest.raises((NotFoundError, RefusedError)):
            wrongly(memory, thread)

        assert everything(memory, store, thread) == before


def test_a_failure_is_one_of_ours_and_holds_its_cause(tmp_path: Path) -> None:
    with a_kept_memory(tmp_path / "memory") as (memory, _):
        thread = a_long_thread(memory)
        memory.register(LineByLine(raises))

        with pytest.raises(AisError) as refused:
            memory.condense(thread, "line-by-line", target=500)

        assert isinstance(refused.value.__cause__, OSError)


def test_what_nobody_has_looked_at_yet_is_condensed_as_well(tmp_path: Path) -> None:
    with a_kept_memory(tmp_path / "memory") as (memory, store):
        thread = memory.create("a history")
        memory.capture(
            Message(id=f"m{n}", thread=thread, session="s", text=f"Look at src/part_{n}.py again.")
            for n in range(600)
        )
        assert store.annotations.described_through("demo") < store.events.last_seq("demo")

        done = memory.condense(thread, target=900)

        assert any("src/part_598.py" in event.text for event in memory.events(thread))
        memory.thread(thread)
        memory.undo(done.number)
        assert len(memory.events(thread)) == 600


def everything(memory: Memory, store: ThreadStore, thread: str) -> tuple[object, ...]:
    return (dump(store), memory.all_events(thread), memory.events(thread), memory.log())

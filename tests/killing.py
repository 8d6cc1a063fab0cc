"""Run a verb and its undo over and over, killed each time at another point; say what is left.

A program of its own: it forks what is to be killed, which a process that holds
threads, as the one of the tests may, had better not.
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.model.compaction import ArchiveStep, MergeStep
from ai_smartness.model.event import Message
from ai_smartness.model.split import SplitPart
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON, a_thread, an_event
from dump import dump

MESSAGES = 10
"""On each thread: each is a statement of its own, and so a place to be killed at."""


def main(path: Path, verb: str, how: str, kills: int) -> None:
    """Kill so many times, and print after each whether it is as before the verb or as after."""
    prepare(path)
    before = left(path)
    round_ = statements(path, verb)
    memory = opened(path)
    VERBS[verb](memory)
    after = left(path)
    memory.undo()
    memory.close()
    known = {before: "before", after: "after"}
    for kill in range(kills):
        point = 1 + kill * round_ // kills
        killed(path, verb, point, by_itself=how == "at a statement")
        found = known.get(left(path), "between")
        print(found, complaints(path) or "whole", sep=": ")  # noqa: T201 # its answer
        if found != "before":
            # By the journal: had it another verb in force than was done, the next is "between".
            memory = opened(path)
            memory.undo()
            memory.close()


def killed(path: Path, verb: str, point: int, *, by_itself: bool) -> None:
    """Start a process that does the verb and undoes it, and kill it at the point."""
    seen, tell = os.pipe()
    child = os.fork()
    if not child:
        go_on(path, verb, tell, point if by_itself else 0)
    os.close(tell)
    if not by_itself:
        with os.fdopen(seen, "rb", buffering=0, closefd=False) as ticks:
            for _ in range(point):
                ticks.read(1)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(seen)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        sys.exit(f"the process ended by itself: {status}")


def go_on(path: Path, verb: str, tell: int, last: int) -> None:
    """Do the verb and undo it for ever, ticking at each statement, until the last of them."""
    numbers = count(1)

    def tick(_statement: str) -> None:
        if next(numbers) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(tell, b".")

    memory = opened(path, tick)
    while True:
        VERBS[verb](memory)
        memory.undo()


def statements(path: Path, verb: str) -> int:
    """Count the statements of the verb and its undo."""
    seen: list[str] = []
    memory = opened(path, seen.append)
    VERBS[verb](memory)
    memory.undo()
    memory.close()
    return len(seen)


def left(path: Path) -> str:
    """Write down all that is in the file."""
    store = SqliteStore.open(path)
    text = dump(store)
    store.close()
    return text


def complaints(path: Path) -> str:
    """Say what SQLite finds wrong with the file."""
    connection = sqlite3.connect(path)
    said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    said += [str(row) for row in connection.execute("PRAGMA foreign_key_check")]
    connection.close()
    return "; ".join(each for each in said if each != "ok")


def opened(path: Path, tick: Callable[[str], object] | None = None) -> Memory:
    """Open the memory, its statements told one by one."""
    store = SqliteStore.open(path)
    if tick is not None:
        store._database._connection.set_trace_callback(tick)  # noqa: SLF001 # where statements pass
    return Memory(
        MemoryParts(store=store, embedder=HashEmbedder, clock=SetClock(NOON)),
        "demo",
        Settings(),
    )


def prepare(path: Path) -> None:
    """Make three threads, two of them long, all linked; two that say the same, and an old one."""
    memory = opened(path)
    for name, length in (("a", MESSAGES), ("b", MESSAGES), ("c", 1)):
        memory.capture(
            Message(id=f"{name}{n}", session=name, text=f"{name} speaks of {name * 5}", at=NOON)
            for n in range(length)
        )
    a, b, c = (thread_of(memory, name) for name in "abc")
    for one, other in ((a, b), (b, c), (c, a)):
        memory.link(
            BridgeDraft(source=one, target=other, relation=Relation.DEPENDS, reason="aaaaa"),
        )
    store = SqliteStore.open(path)
    for name, days in (("same", 0), ("same_too", 0), ("old", 20)):
        store.threads.save(a_thread(f"thread_{name}", minute=-days * 24 * 60))
        store.events.append(
            [an_event(f"{name}{n}", a_thread(f"thread_{name}"), name[:4]) for n in range(MESSAGES)],
        )
    store.close()
    memory.tell()
    memory.embed()
    memory.close()


def thread_of(memory: Memory, name: str) -> str:
    """Name the thread of a session."""
    return memory.message(f"{name}0").thread_id


def merge(memory: Memory) -> None:
    """Merge the two long threads."""
    memory.merge(thread_of(memory, "a"), thread_of(memory, "b"))


def split(memory: Memory) -> None:
    """Split one in three."""
    parts = [
        SplitPart(f"{start} on", tuple(f"a{n}" for n in range(start, start + 4)))
        for start in (1, 5)
    ]
    memory.split(thread_of(memory, "a"), parts)


def compact(memory: Memory) -> None:
    """Merge the two that say the same, archive the old one, and make all others lighter."""
    done = memory.compact()
    if [type(step) for step in done.steps] != [MergeStep, ArchiveStep]:
        sys.exit(f"another compaction than was meant: {done.steps}")


VERBS = {"merge": merge, "split": split, "compact": compact}

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))

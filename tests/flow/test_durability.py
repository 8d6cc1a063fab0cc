"""Several processes at once, and processes that are killed."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ai_smartness import Memory
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import MemoryParts
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import a_memory, said

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WRITER = """
import sys
from datetime import datetime, UTC
from functools import partial
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.event import Message
from ai_smartness.settings.schema import Settings

path, name, count, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
clock = partial(datetime.now, UTC)
parts = MemoryParts(store=SqliteStore.open(path), embedder=lambda: None, clock=clock)
memory = Memory(parts, "demo", Settings())
print("ready", flush=True)
sys.stdin.readline()
for start in range(0, count, batch):
    ids = [f"{name}-{n}" for n in range(start, min(start + batch, count))]
    at = datetime(2026, 3, 2, tzinfo=UTC)
    memory.capture([Message(id=i, session=name, text=f"message {i}", at=at) for i in ids])
    print(ids[-1], flush=True)
memory.close()
"""


def writer(path: Path, name: str, count: int, batch: int) -> subprocess.Popen[str]:
    """Start a process that captures, and says the last id of each batch once it is kept."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count), str(batch)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def start_together(writers: list[subprocess.Popen[str]]) -> None:
    for each in writers:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in writers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()


def stored_ids(path: Path) -> list[str]:
    with a_memory(path) as memory:
        return [e.id for thread in memory.threads() for e in memory.all_events(thread.id)]


def test_four_processes_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    writers = [writer(path, f"w{n}", 500, 5) for n in range(4)]

    start_together(writers)
    errors = [each.communicate(timeout=120)[1] for each in writers]

    assert errors == [""] * 4
    ids = stored_ids(path)
    assert len(ids) == len(set(ids)) == 2_000


def test_four_processes_writing_one_session_leave_it_on_one_thread(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    writers = [writer(path, "same", 100, 3) for _ in range(4)]

    start_together(writers)
    errors = [each.communicate(timeout=120)[1] for each in writers]

    assert errors == [""] * 4
    with a_memory(path) as memory:
        (thread,) = memory.threads()
        assert sorted(e.id for e in memory.all_events(thread.id)) == sorted(
            f"same-{n}" for n in range(100)
        )


def test_a_writer_killed_at_any_point_100_times_loses_nothing_it_said_was_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    chance = random.Random(4)  # noqa: S311 - where to kill, not a secret
    kept: list[str] = []
    for attempt in range(100):
        process = writer(path, f"w{attempt}", 1_000, 7)
        start_together([process])
        kept += killed_after(process, chance.randrange(1, 40))

    ids = stored_ids(path)

    assert set(kept) <= set(ids)
    assert len(ids) == len(set(ids))
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.execute("INSERT INTO words_1 (words_1, rank) VALUES ('integrity-check', 1)")
    connection.close()


def killed_after(process: subprocess.Popen[str], batches: int) -> list[str]:
    """Read so many answers, kill the process in whatever it does next, return what it kept."""
    assert process.stdout is not None
    said = [process.stdout.readline().strip() for _ in range(batches)]
    os.kill(process.pid, signal.SIGKILL)
    rest = process.communicate(timeout=60)[0].split()
    last = (said + rest)[-1]
    name, _, number = last.rpartition("-")
    return [f"{name}-{n}" for n in range(int(number) + 1)]


def impatient_memory(path: Path) -> Memory:
    """Open the memory as another process would that cannot wait."""
    store = SqliteStore.open(path, busy_timeout_ms=50)
    return Memory(
        MemoryParts(store=store, embedder=lambda: None, clock=SetClock()),
        "demo",
        Settings(),
    )


def found(memory: Memory) -> list[str]:
    return sorted(hit.id for hit in memory.search("common", limit=5_000, words_only=True))


def test_while_all_is_reindexed_others_write_and_nothing_is_lost_or_found_twice(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    meanwhile: list[str] = []
    with a_memory(path, embedder=lambda: None) as memory, impatient_memory(path) as other:
        memory.capture([said(f"common {n}", id_=f"m{n}") for n in range(2_500)])
        before = found(memory)

        def write(done: int, total: int) -> None:
            if done < total:
                meanwhile.append(f"meanwhile-{done}-{len(meanwhile)}")
                other.capture(said("common words", id_=meanwhile[-1], session="s2"))
                assert meanwhile[-1] in found(other)

        memory.reindex(progress=write)

        assert len(meanwhile) >= 2
        assert found(memory) == sorted([*before, *meanwhile])
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO words_1 (words_1, rank) VALUES ('integrity-check', 1)")
    connection.close()


def test_a_reindex_that_is_stopped_halfway_is_made_good_by_another(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path, embedder=lambda: None) as memory:
        memory.capture([said(f"common {n}", id_=f"m{n}") for n in range(1_500)])
        before, threads = found(memory), memory.threads()

        def stop(_done: int, _total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            memory.reindex(progress=stop)
        halfway = found(memory)
        memory.reindex()

        assert 0 < len(halfway) < len(before)
        assert (found(memory), memory.threads()) == (before, threads)


def test_a_reindex_that_is_stopped_while_it_embeds_leaves_every_message_its_vectors() -> None:
    class StoppingEmbedder(HashEmbedder):
        batches_left = 1_000

        def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
            self.batches_left -= 1
            if self.batches_left < 0:
                raise KeyboardInterrupt
            return super().documents(texts)

    embedder = StoppingEmbedder()
    with a_memory(embedder=lambda: embedder) as memory:
        memory.capture([said(f"message number {n}", id_=f"m{n}") for n in range(300)])
        memory.embed()
        embedder.batches_left = 1

        with pytest.raises(KeyboardInterrupt):
            memory.reindex()

        assert memory.status().pending == 0
        embedder.batches_left = 1_000
        before = memory.status()
        memory.reindex()
        assert (memory.status().pending, memory.status().events) == (0, before.events)

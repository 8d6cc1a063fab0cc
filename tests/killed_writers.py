"""Programs that write to PostgreSQL and are killed, and a reader that must miss nothing."""

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.model.errors import StoreError
from builders import a_thread
from postgres_writing import PROJECTS

__all__ = ["Reader", "Writers", "assert_all_is_there", "save_threads"]

TESTS = Path(__file__).parent


def save_threads(store: PostgresStore) -> None:
    """Save the threads that the programs write to."""
    for project in PROJECTS:
        store.threads.save(a_thread(f"thread_{project}", project=project))


class Writers:
    """Programs that write, and the ids that they have printed."""

    def __init__(self, url: str) -> None:
        self._url = url
        read, self._write = os.pipe()
        self._acks: IO[str] = os.fdopen(read)
        self._programs: list[subprocess.Popen[bytes]] = []
        self.acknowledged: list[tuple[str, str]] = []

    def start(self) -> None:
        """Start one more."""
        name = f"client{len(self._programs)}"
        self._programs.append(
            subprocess.Popen(
                [sys.executable, str(TESTS / "postgres_writing.py"), self._url, name],
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
                stdout=self._write,
            )
        )

    def read_acks(self, number: int) -> None:
        """Wait until so many events were acknowledged."""
        for _ in range(number):
            project, _, id_ = self._acks.readline().rstrip("\n").partition(" ")
            self.acknowledged.append((project, id_))

    def kill_one(self) -> None:
        """Kill the program that has run longest."""
        program = next(program for program in self._programs if program.poll() is None)
        program.kill()
        program.wait()

    def end(self) -> None:
        """Kill all, and read what they had printed."""
        for program in self._programs:
            program.kill()
            program.wait()
        os.close(self._write)
        self.read_acks_to_end()

    def read_acks_to_end(self) -> None:
        """Read the rest."""
        for line in self._acks:
            project, _, id_ = line.rstrip("\n").partition(" ")
            self.acknowledged.append((project, id_))
        self._acks.close()


class Reader:
    """Reads on from the last number that it has seen in each project."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self.seen: dict[str, list[int]] = {project: [] for project in PROJECTS}

    def read_on(self) -> None:
        """Read what is new; nothing while the server is away."""
        for project, seqs in self.seen.items():
            try:
                events = self._store.events.after_seq(project, seqs[-1] if seqs else 0, 10_000)
            except StoreError:
                continue
            seqs += [event.seq for event in events]


def assert_all_is_there(store: PostgresStore, writers: Writers, reader: Reader) -> None:
    """Check that nothing acknowledged is lost or doubled, and that the reader has seen all."""
    for project in PROJECTS:
        events = store.events.after_seq(project, 0, 1_000_000)
        ids = [event.id for event in events]
        acknowledged = {id_ for name, id_ in writers.acknowledged if name == project}
        assert acknowledged - set(ids) == set()
        assert len(ids) == len(set(ids)) == store.events.count(project)
        assert reader.seen[project] == [event.seq for event in events]
        assert store.vector_index.count_missing(project, "model@1") == 0
    assert store.check() == ""

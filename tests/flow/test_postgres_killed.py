"""Clients and server are killed while sixteen writers write: nothing acknowledged is lost."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.model.errors import StoreError
from builders import a_thread
from postgres_server import MissingServerError, PostgresServer, started_server
from postgres_writing import PROJECTS

TESTS = Path(__file__).parents[1]
CLIENTS = 4
ACKNOWLEDGED = 40  # events between two kills


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """Start a server that loses nothing when it is killed."""
    try:
        with started_server(durable=True) as started:
            yield started
    except MissingServerError as error:
        pytest.skip(f"postgres is needed and cannot be had: {error}")


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


def test_nothing_acknowledged_is_lost_or_doubled_and_a_reader_misses_nothing(
    server: PostgresServer, request: pytest.FixtureRequest
) -> None:
    server.run_sql("CREATE DATABASE memory")
    url = server.url("memory")
    with closing(PostgresStore.open(url)) as store:
        for project in PROJECTS:
            store.threads.save(a_thread(f"thread_{project}", project=project))
        writers, reader = Writers(url), Reader(store)
        for _ in range(CLIENTS):
            writers.start()
        for _ in range(request.config.getoption("--kill-rounds")):
            writers.read_acks(ACKNOWLEDGED)
            reader.read_on()
            writers.kill_one()
            writers.start()
            writers.read_acks(ACKNOWLEDGED)
            reader.read_on()
            server.kill()
            server.start()
        writers.read_acks(ACKNOWLEDGED)
        writers.end()
        reader.read_on()

        for project in PROJECTS:
            events = store.events.after_seq(project, 0, 1_000_000)
            ids = [event.id for event in events]
            acknowledged = {id_ for name, id_ in writers.acknowledged if name == project}
            assert acknowledged - set(ids) == set()
            assert len(ids) == len(set(ids)) == store.events.count(project)
            assert reader.seen[project] == [event.seq for event in events]
            assert store.vector_index.count_missing(project, "model@1") == 0
        assert store.check() == ""

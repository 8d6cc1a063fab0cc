"""Restore a backup over and over while others write, disturbed each time at another step.

Either it is killed there, or a writer arrives there, stores messages and is killed later. Prints
a line for each round: the step, how the restore ended, whether the file is intact, and how many
messages were acknowledged and are in no file. A program of its own, because it forks:
`PYTHONPATH=tests python tests/restore_killing.py FOLDER killed|arrival ROUNDS`.
"""

import os
import select
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ai_smartness.adapters.sqlite.backup_files import SqliteBackups
from ai_smartness.adapters.sqlite.restore_file import DatabaseRestore
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.errors import AisError
from ai_smartness.model.event import Message
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON, a_memory

WRITERS = 2
PATIENCE_SECONDS = 60.0
REFUSED = "refused"
STEPS = frozenset({"open", "os.rename", "os.link", "os.remove", "os.chmod", "sqlite3.connect"})
"""The audit events of Python that are steps of a restore: each is a place to be killed at."""

MESSAGES = 80
WAIT_MS = 100
"""A writer that arrives waits for so long while the restore stands still."""


class Writer(NamedTuple):
    """A process that stores messages, one after the other, and the pipe it acknowledges them by."""

    pid: int
    acknowledged: int


def main(folder: Path, how: str, rounds: int) -> None:
    """Disturb so many restores, and print what is left after each."""
    database = folder / "memory.db"
    with closing(a_memory(database, embedder=lambda: None)) as memory:
        memory.capture(Message(id="first", text="in the backup", session="s"))
    backups = SqliteBackups(database, folder / "backups")
    backup = backups.make_backup(datetime.now(UTC), lambda *_: None).path
    steps = steps_of_restore(database, backup)
    for number in range(rounds):
        step = 1 + number * steps // rounds
        round_ = killed_round if how == "killed" else arrival_round
        ids, outcome = round_(database, backup, f"r{number}", step)
        problem = damage(database) or "intact"
        lost = ids - kept_ids(database)
        print(f"step {step} of {steps}: {outcome}, {problem}, {len(lost)} of {len(ids)} lost")  # noqa: T201 - its answer
        for old in database.parent.glob("memory.db.*-*"):
            old.unlink()


def killed_round(database: Path, backup: Path, name: str, step: int) -> tuple[set[str], str]:
    """Restore while others write; return what they were told is stored, and how it ended."""
    writers = [start_writer(database, f"{name}-{number}") for number in range(WRITERS)]
    ids = {id_ for writer in writers for id_ in read_ids(writer, 2)}
    restoring = os.fork()
    if not restoring:
        restore(database, backup, at_step(step, lambda: os.kill(os.getpid(), signal.SIGKILL)))
    outcome = ending(restoring)
    # Nobody is kept out by a restore that was killed.
    ids |= {id_ for writer in writers for id_ in read_ids(writer, 2)}
    for writer in writers:
        os.kill(writer.pid, signal.SIGKILL)
        os.waitpid(writer.pid, 0)
        with os.fdopen(writer.acknowledged) as pipe:
            ids |= set(pipe.read().split())
    return ids, outcome


def arrival_round(database: Path, backup: Path, name: str, step: int) -> tuple[set[str], str]:
    """Stop a restore at a step, let a writer arrive that stays, and go on."""
    (reached, tell), (go_on, go) = os.pipe(), os.pipe()
    restoring = os.fork()
    if not restoring:
        restore(database, backup, at_step(step, lambda: (os.write(tell, b"."), os.read(go_on, 1))))
    os.close(tell)
    os.read(reached, 1)
    writer = start_writer(database, name, stays=True)
    ids = read_ids(writer, MESSAGES)
    os.write(go, b".")
    outcome = ending(restoring)
    os.kill(writer.pid, signal.SIGKILL)
    os.waitpid(writer.pid, 0)
    for pipe in (reached, go_on, go, writer.acknowledged):
        os.close(pipe)
    return ids - {REFUSED}, outcome


def ending(process: int) -> str:
    """Wait for the end of a process, and say how it ended."""
    status = os.waitpid(process, 0)[1]
    return "killed" if os.WIFSIGNALED(status) else f"ended with {os.WEXITSTATUS(status)}"


def start_writer(database: Path, name: str, *, stays: bool = False) -> Writer:
    """Start a process that opens the memory, stores a message and closes it, without end.

    One that stays opens it once, stores some messages and waits to be killed.
    """
    acknowledged, tell = os.pipe()
    pid = os.fork()
    if pid:
        os.close(tell)
        return Writer(pid, acknowledged)
    if stays:
        write_and_stay(database, name, tell)
    for number in count():
        try:
            with closing(a_memory(database, embedder=lambda: None)) as memory:
                store_message(memory, f"{name}-{number}", tell)
        except AisError as error:
            os.write(2, f"not stored: {error}\n".encode())
    raise AssertionError


def write_and_stay(database: Path, name: str, tell: int) -> None:
    """Store messages without closing the memory, or say that it cannot be opened."""
    try:
        parts = MemoryParts(
            store=SqliteStore.open(database, busy_timeout_ms=WAIT_MS),
            embedder=lambda: None,
            clock=SetClock(NOON),
        )
        memory = Memory(parts, "demo", Settings())
        for number in range(MESSAGES):
            store_message(memory, f"{name}-{number}", tell)
    except AisError:
        os.write(tell, f"{REFUSED}\n".encode())
    while True:
        signal.pause()


def store_message(memory: Memory, id_: str, tell: int) -> None:
    """Store a message, and acknowledge it."""
    memory.capture(Message(id=id_, text=f"{id_} says", session=id_[:2]))
    os.write(tell, f"{id_}\n".encode())


def read_ids(writer: Writer, least: int) -> set[str]:
    """Return what a writer acknowledged, when there is that much of it or it was refused."""
    text = b""
    while text.count(b"\n") < least and REFUSED.encode() not in text:
        if not select.select([writer.acknowledged], [], [], PATIENCE_SECONDS)[0]:
            sys.exit("a writer was kept out")
        text += os.read(writer.acknowledged, 65_536)
    while not text.endswith(b"\n"):
        text += os.read(writer.acknowledged, 1)
    return set(text.decode().split())


def at_step(last: int, act: Callable[[], object]) -> Callable[[], object]:
    """Return a function that acts when it is called for the so manyth time."""
    numbers = count(1)
    return lambda: act() if next(numbers) == last else None


def restore(database: Path, backup: Path, step: Callable[[], object]) -> None:
    """Restore a backup in this process, calling a function before each step."""

    def audit(event: str, _arguments: tuple[object, ...]) -> None:
        if event in STEPS:
            step()

    sys.addaudithook(audit)
    code = 0
    try:
        target = DatabaseRestore(database, datetime.now(UTC))
        target.stage_backup(backup, lambda *_: None)
        target.swap_files()
    except AisError as error:
        os.write(2, f"refused: {error}\n".encode())
        code = 1
    os._exit(code)


def steps_of_restore(database: Path, backup: Path) -> int:
    """Count the steps of a restore that nobody disturbs."""
    heard, tell = os.pipe()
    if not os.fork():
        restore(database, backup, lambda: os.write(tell, b"."))
    os.close(tell)
    os.wait()
    with os.fdopen(heard, "rb") as pipe:
        return len(pipe.read())


def damage(database: Path) -> str:
    """Say what SQLite finds wrong with the file."""
    with closing(sqlite3.connect(database)) as connection:
        try:
            rows = connection.execute("PRAGMA integrity_check").fetchall()
        except sqlite3.Error as error:
            return str(error)
    return "; ".join(str(row[0]) for row in rows if row[0] != "ok")


def kept_ids(database: Path) -> set[str]:
    """Return the messages in the memory and in the files that were put aside."""
    ids: set[str] = set()
    for path in [database, *database.parent.glob("memory.db.*-*")]:
        if path.suffix in ("-wal", "-shm") or path.name.endswith(("-wal", "-shm", ".lock")):
            continue
        with closing(sqlite3.connect(path)) as connection:
            try:
                ids.update(id_ for (id_,) in connection.execute("SELECT id FROM events"))
            except sqlite3.Error:
                continue
    return ids


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

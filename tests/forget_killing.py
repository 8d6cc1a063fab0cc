"""Forget something over and over, killed each time at another step; then finish it, and look.

Prints a line for each round: whether all is as before the deletion or all is forgotten, and
what is wrong with it. A program of its own, because it forks:
`PYTHONPATH=tests python tests/forget_killing.py FOLDER SELECTION ROUNDS`.
"""

import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from ai_smartness.adapters.sqlite.backup_files import SqliteBackups
from ai_smartness.adapters.sqlite.restore_file import DatabaseRestore
from ai_smartness.memory import Memory
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import NotFoundError
from builders import NOON, said
from lived_in import PROJECTS, opened

DEMO, OTHER = PROJECTS
SECRETS = (b"zanzibar", b"quokka")
STEPS = frozenset({"open", "os.rename", "os.remove", "os.truncate", "subprocess.Popen"})
"""The audit events of Python that are steps of a deletion, beside the statements of SQL."""


def main(folder: Path, name: str, rounds: int) -> None:
    """Kill so many deletions, and print what is left after each has been finished."""
    template = folder / "template"
    by_id = name in ("thread", "messages")
    prepare(template, waiting="" if by_id else "where are the zanzibar ones?")
    selection = selection_of(template, name)
    before = remaining(template)
    steps = steps_of_forgetting(counted := copied(template, folder / "counted"), selection)
    if wrong := list(complaints(counted, forgotten=True)):
        sys.exit(f"undisturbed: {'; '.join(wrong)}")
    for number in range(rounds):
        home = copied(template, folder / "home")
        step = chosen_step(number, steps, rounds)
        killed(home, selection, step)
        how = list(AFTERWARDS)[number % len(AFTERWARDS)]
        wrong = list(given_away(home))
        AFTERWARDS[how](home, selection)
        state = "before" if remaining(home) == before else "forgotten"
        wrong += complaints(home, forgotten=state == "forgotten")
        print(f"step {step} of {steps}, {how}: {state}: {'; '.join(wrong) or 'whole'}")  # noqa: T201 - its answer


def chosen_step(number: int, steps: int, rounds: int) -> int:
    """Choose a step; most are after the messages have gone, which few of the statements are."""
    early = rounds // 4
    if number < early:
        return 1 + number * steps // early
    last_part = steps // 4
    return steps - last_part + 1 + (number - early) * last_part // (rounds - early)


def prepare(home: Path, waiting: str) -> None:
    """Fill a home: what is to be forgotten is wherever it can be."""
    home.mkdir()
    with closing(opened(home)) as memory:
        memory.capture(said("Rotate the zanzibar keys of the quokka", id_="m1", session="secret"))
        thread = memory.message("m1").thread_id
        said_next = said("They are in the zanzibar vault", id_="m2", minute=1, session="secret")
        memory.append(thread, said_next)
        memory.capture(said("The login page needs a logo", id_="m3", minute=2, session="plain"))
        memory.seen_from(OTHER).capture(said("Invoices go out on Monday", id_="o1", minute=3))
        memory.rename(thread, "Zanzibar")
        memory.tell()
        memory.embed()
        memory.inject("where are the zanzibar keys?", session="plain")
        memory.recall("zanzibar keys")
        backups = SqliteBackups(home / "memory.db", home / "backups")
        backups.make_backup(datetime.now(UTC), lambda *_: None)
    for name, text in {
        "logs/daemon.log": "stored zanzibar\nstored nothing\n",
        "recalls/page": "the quokka in the zanzibar vault",
        "briefs/page": "zanzibar",
    }.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    records = [
        {"id": "r1", "cwd": DEMO, "session": "secret", "text": waiting, "at": NOON.isoformat()},
        {"id": "r2", "cwd": OTHER, "session": "plain", "text": "logo?", "at": "2026-04-01T00:00Z"},
    ]
    (home / "inbox").mkdir()
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    (home / "inbox" / "events.jsonl").write_text(lines)


def selection_of(home: Path, name: str) -> Selection:
    """Select the two messages, in one of the ways there are."""
    with closing(opened(home)) as memory:
        thread = memory.message("m1").thread_id
    return {
        "thread": Selection(thread=thread),
        "session": Selection(session="secret"),
        "project": Selection(project=DEMO),
        "matching": Selection(matching="the zanzibar"),
        "time": Selection(project=DEMO, until=NOON + timedelta(minutes=1, seconds=1)),
        "messages": Selection(project=DEMO, messages=("m1", "m2")),
    }[name]


def killed(home: Path, selection: Selection, last: int) -> None:
    """Forget in another process, and kill it at a step."""
    numbers = count(1)

    def step() -> None:
        if next(numbers) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    if (child := os.fork()) == 0:
        forget(home, selection, step)
    os.waitpid(child, 0)


def steps_of_forgetting(home: Path, selection: Selection) -> int:
    """Count the steps of a deletion that nobody disturbs."""
    heard, tell = os.pipe()
    if os.fork() == 0:
        forget(home, selection, lambda: os.write(tell, b"."))
    os.close(tell)
    with os.fdopen(heard, "rb") as pipe:
        steps = len(pipe.read())
    os.wait()
    return steps


def forget(home: Path, selection: Selection, step: Callable[[], object]) -> None:
    """Forget in this process, calling a function before each step, and end it."""

    def audit(event: str, _arguments: tuple[object, ...]) -> None:
        if event in STEPS:
            step()

    with closing(opened(home)) as memory:
        store = memory._store  # noqa: SLF001 - where statements pass
        store._database._connection.set_trace_callback(lambda _sql: step())  # type: ignore[attr-defined] # noqa: SLF001
        sys.addaudithook(audit)
        memory.forget(selection)
    os._exit(0)


def finish(home: Path, _selection: Selection) -> None:
    """Open the memory as any next command does."""
    with closing(opened(home)) as memory:
        memory.finish_forgetting()


def repeat(home: Path, selection: Selection) -> None:
    """Give the same command again."""
    with closing(opened(home)) as memory, suppress(NotFoundError):
        memory.forget(selection)


def restore_and_finish(home: Path, selection: Selection) -> None:
    """Put the backup back, which may hold everything still, and go on."""
    (backup,) = (home / "backups").glob("*.db")
    target = DatabaseRestore(home / "memory.db", datetime.now(UTC))
    target.stage_backup(backup, lambda *_: None)
    target.swap_files()
    finish(home, selection)


def back_up_and_finish(home: Path, selection: Selection) -> None:
    """Make another backup first, and a second attempt that is killed in the middle."""
    later = datetime.now(UTC) + timedelta(minutes=1)
    SqliteBackups(home / "memory.db", home / "backups").make_backup(later, lambda *_: None)
    finish(home, selection)


AFTERWARDS = {
    "finished": finish,
    "repeated": repeat,
    "restored": restore_and_finish,
    "backed up": back_up_and_finish,
}


def copied(template: Path, home: Path) -> Path:
    """Return a fresh copy of a home."""
    shutil.rmtree(home, ignore_errors=True)
    return Path(shutil.copytree(template, home))


def remaining(home: Path) -> list[str]:
    """Return the ids of the messages in the memory."""
    with closing(sqlite3.connect(home / "memory.db")) as connection:
        return [id_ for (id_,) in connection.execute("SELECT id FROM events ORDER BY id")]


def given_away(home: Path) -> Iterator[str]:
    """Name what can be read in the intent."""
    intent = home / "memory.db.forgetting"
    text = intent.read_bytes().lower() if intent.exists() else b""
    for word in (*SECRETS, b"m1", b"secret", DEMO.encode()):
        if b'"' + word in text or (word in SECRETS and word in text):
            yield f"{word!r} is in the intent"


def complaints(home: Path, *, forgotten: bool) -> Iterator[str]:
    """Name what is wrong with a home."""
    if (home / "memory.db.forgetting").exists():
        yield "the intent is still there"
    for path in home.rglob("*"):
        contents = path.read_bytes().lower() if path.is_file() else b""
        if forgotten and any(word in contents for word in SECRETS):
            yield f"{path.relative_to(home)} holds a forgotten word"
    with closing(opened(home)) as memory:
        yield from whats_wrong(memory)
    for copy in (home / "backups").glob("*.db"):
        with closing(sqlite3.connect(copy)) as connection:
            ids = {id_ for (id_,) in connection.execute("SELECT id FROM events")}
            if "o1" not in ids:
                yield f"{copy.name} has lost a message"
            if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                yield f"{copy.name} is damaged"


def whats_wrong(memory: Memory) -> Iterator[str]:
    """Use the memory: look for damage, export it, undo what can be undone, store something."""
    if memory.check():
        yield memory.check()
    memory.export(lambda _line: None)
    if memory.seen_from(OTHER).message("o1").text != "Invoices go out on Monday":
        yield "another message was changed"
    for entry in memory.log(limit=100):
        with suppress(Exception):
            memory.undo(entry.seq, dry_run=True)
    if memory.capture(said("and now to something new", id_="n1", minute=9000)).stored != 1:
        yield "nothing can be stored"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

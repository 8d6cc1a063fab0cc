"""An agent that tidies a memory in any way it likes until its time is up, and says what it did.

A program of its own, so that several work on one store at once; what it was refused is
counted, and anything else that goes wrong ends it.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.entrypoints.tools.call import reply_to_call
from ai_smartness.entrypoints.tools.definitions import ToolCall, ToolReply
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.compaction import CompactionStrategy
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Message
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder
from crowd import SUBJECTS

__all__ = ["Wanted", "Work", "chosen", "opened", "was_refused"]

TIDYING = ["ai_merge"] * 6 + ["ai_split"] * 5 + ["ai_undo"] * 4 + ["ai_compact", "ai_unlock"]
STEERING = ["ai_pin", "ai_focus", "ai_unfocus", "ai_rate_context", "ai_recall", "ai_status"]
BY_HAND = ["archive", "reactivate", "move", "context_compacted", "merge_by_force"]
CAPTURING = ["capture"] * 6

REMEMBERED = 30
"""Changes back from the latest, among which one is picked to be undone."""


class Wanted(NamedTuple):
    """A tool to be called."""

    name: str
    arguments: dict[str, Any]


class Work:
    """What an agent did: of each verb how often, and how often it was refused."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.captured: list[str] = []

    def note(self, verb: str, *, refused: bool) -> None:
        """Count one."""
        (self.refused if refused else self.done)[verb] += 1


def opened(home: Path, project: str) -> Memory:
    """Open the memory, with a model that every agent has."""
    model = HashEmbedder(256)
    store = SqliteStore.open(home / "memory.db")
    return Memory(
        MemoryParts(store=store, embedder=lambda: model, clock=partial(datetime.now, UTC)),
        project,
        Settings(),
    )


def was_refused(reply: ToolReply) -> bool:
    """Say whether a call was refused; anything else that is wrong is an error of ours."""
    if reply.is_error and not reply.text.startswith(("Refused: ", "Not found: ")):
        raise AssertionError(reply.text)
    return reply.is_error


def chosen(memory: Memory, chance: random.Random) -> Wanted:
    """Choose a tool and what to call it with, by what there is at the moment."""
    name = chance.choice([*TIDYING, *STEERING])
    threads = memory.threads()
    some = two_of(threads, chance)
    given: Callable[[], dict[str, Any]] = {
        "ai_merge": lambda: dict(
            zip(("survivor", "absorbed"), two_of(threads, chance), strict=True),
        ),
        "ai_split": lambda: {
            "thread": some[0],
            "parts": [
                {"title": part.title, "messages": [*part.messages]}
                for part in parts(memory, some[0], chance)
            ],
            "lock": chance.choice([*SplitLock]).value,
        },
        "ai_undo": lambda: a_change(memory, chance),
        "ai_compact": lambda: {
            "strategy": chance.choice([*CompactionStrategy]).value,
            "dry_run": chance.random() < 0.3,
        },
        "ai_unlock": lambda: {"thread": locked(threads, chance), "force": chance.random() < 0.5},
        "ai_pin": lambda: {"content": f"pinned: {said(chance)}"},
        "ai_focus": lambda: {"topic": chance.choice([some[0], "backup", "invoices"])},
        "ai_rate_context": lambda: {"thread_id": some[0], "useful": chance.random() < 0.5},
        "ai_recall": lambda: {"query": chance.choice(SUBJECTS)},
    }.get(name, dict)
    return Wanted(name, given())


def two_of(threads: list[Thread], chance: random.Random) -> tuple[str, str]:
    """Choose two threads, mostly of those that are in use."""
    live = [each for each in threads if not each.merged_into]
    one, other = chance.choices(live if chance.random() < 0.9 else threads, k=2)
    return one.id, other.id


def locked(threads: list[Thread], chance: random.Random) -> str:
    """Choose a locked thread, if there is one."""
    return chance.choice([each for each in threads if each.split_locked] or threads).id


def parts(memory: Memory, thread_id: str, chance: random.Random) -> list[SplitPart]:
    """Choose messages of a thread to be split off."""
    ids = [event.id for event in memory.events(thread_id)]
    chance.shuffle(ids)
    size = max(1, len(ids) // 3)
    groups = [ids[:size], ids[size : 2 * size]][: chance.randint(1, 2)]
    return [SplitPart(f"Part {number}", tuple(group)) for number, group in enumerate(groups)]


def a_change(memory: Memory, chance: random.Random) -> dict[str, int]:
    """Choose the latest change, or one of those before it."""
    latest = memory.log(limit=REMEMBERED)
    return {"change": chance.choice(latest).seq} if latest and chance.random() < 0.5 else {}


def said(chance: random.Random) -> str:
    """Say something on one of the subjects."""
    return f"{chance.choice(SUBJECTS)} {chance.randrange(1_000)}"


def capture(memory: Memory, name: str, chance: random.Random, work: Work) -> None:
    """Say something in one of the agent's sessions."""
    id_ = f"{name}-{len(work.captured)}"
    session = f"{name}-s{chance.randrange(4)}"
    memory.capture(Message(id=id_, session=session, text=said(chance)))
    work.captured.append(id_)


def by_hand(memory: Memory, verb: str, chance: random.Random) -> None:
    """Do what only a person can do."""
    threads = memory.threads()
    one, other = two_of(threads, chance)
    match verb:
        case "archive":
            memory.archive(one)
        case "reactivate":
            memory.reactivate(one)
        case "context_compacted":
            memory.context_compacted(f"memory-s{chance.randrange(4)}")
        case "merge_by_force":
            memory.merge(one, other, force=True)
        case _:
            ids = [event.id for event in memory.events(one)]
            memory.move(chance.choice(ids or ["m0"]), other)


def main(name: str, home: Path, project: str, seconds: float) -> None:
    """Work until the time is up, and print what was done."""
    chance, work, memory = random.Random(name), Work(), opened(home, project)  # noqa: S311 - any
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        verb = chance.choice([*CAPTURING, *BY_HAND, *["a tool"] * 20])
        if verb == "capture":
            capture(memory, name, chance, work)
            work.note(verb, refused=False)
        elif verb in BY_HAND:
            try:
                by_hand(memory, verb, chance)
            except (RefusedError, NotFoundError):
                work.note(verb, refused=True)
            else:
                work.note(verb, refused=False)
        else:
            try:
                wanted = chosen(memory, chance)
            except NotFoundError:
                # Another agent has undone what made the thread that was looked at.
                continue
            reply = reply_to_call(
                ToolCall(*wanted, client=name, session=f"{name}-s0"),
                nullcontext(memory),
            )
            work.note(wanted.name, refused=was_refused(reply))
    memory.close()
    print(json.dumps(vars(work)))  # noqa: T201 - its answer


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))

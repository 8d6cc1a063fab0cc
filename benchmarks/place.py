"""Placing against threads made by people: IRC, coding sessions, joined dialogues.

Takes files of conversations whose threads are known, recognised by what is in
them. Every measure is the mean over a file's conversations; beside placing
stand rules that need no model at all. In each file the labels are only compared with.
"""

import argparse
import gzip
import hashlib
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ai_smartness.capture.assign import (
    AssignmentState,
    AssignWeights,
    decide_placement,
    incoming_message,
    record_placement,
)
from ai_smartness.model.event import Event, default_event_type
from ai_smartness.ports import Embedder
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.wiring import load_embedder
from kit.timing import print_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIALOGUES_JOINED = 20
STEP = timedelta(seconds=30)
"""Between two lines of a conversation that has no times."""
EMBEDDED_CHARACTERS = 2_000
"""More than the model's first stretch of 256 tokens, whose vector stands for the message."""
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MIDNIGHT_PASSED = timedelta(hours=10)
COLUMNS = ["", "P", "R", "pair-F1", "VI", "threads/true", "Pk", "WindowDiff", "ms a message"]


@dataclass(frozen=True)
class Line:
    """One message with the thread it truly is on."""

    text: str
    role: str
    at: datetime
    session: str | None
    label: object


Talk: TypeAlias = list[Line]
Rule: TypeAlias = Callable[[Talk], Sequence[object]]
Vectors: TypeAlias = "dict[str, NDArray[np.float32]]"


@dataclass(frozen=True)
class Task:
    """Conversations to be placed, and the simple rules to beat."""

    title: str
    talks: list[Talk]
    baselines: dict[str, Rule]


def main() -> None:
    """Measure each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--no-vectors", action="store_true", help="place by words alone")
    parser.add_argument("--cache", type=Path, help="a folder to keep the embeddings in")
    parser.add_argument("--held-stay", action="store_true", help="a held message never moves")
    given = parser.parse_args()
    for task in (task for path in given.files for task in tasks(path)):
        texts = [line.text for talk in task.talks for line in talk]
        vectors = {} if given.no_vectors else embedded(texts, given.cache)
        rows = [measured(name, task.talks, rule) for name, rule in task.baselines.items()]
        if vectors:
            placed = placing(vectors, held_stay=given.held_stay)
            rows.append(measured("placing", task.talks, placed))
        by_words = placing({}, held_stay=given.held_stay)
        rows.append(measured("placing, by words alone", task.talks, by_words))
        print_table(task.title, COLUMNS, rows)


def placing(vectors: Vectors, *, held_stay: bool = False) -> Rule:
    """Return our own rule, with these vectors or none."""

    def placed(talk: Talk) -> list[str]:
        state, threads = AssignmentState(), list[str]()
        held: dict[str | None, list[int]] = {}
        for number, line in enumerate(talk):
            event = as_event(line, number)
            message = incoming_message(
                event,
                vectors.get(line.text),
                state.known_names(line.session),
            )
            decided = decide_placement(message, state, AssignWeights())
            if held_stay:
                decided = replace(decided, takes_held=False)
            threads.append(record_placement(state, message, decided, f"t{number:06}"))
            if decided.held:
                held.setdefault(line.session, []).append(number)
                continue
            for before in held.pop(line.session, []):
                threads[before] = threads[-1] if decided.takes_held else threads[before]
        return threads

    return placed


def as_event(line: Line, number: int) -> Event:
    """Return a line as capture would have drafted it."""
    return Event(
        id=f"m{number}",
        project="bench",
        thread_id="",
        session=line.session,
        type=default_event_type(line.role),
        role=line.role,
        text=line.text,
        at=line.at,
        source=line.role,
    )


# What there is to place.


def tasks(path: Path) -> Iterator[Task]:
    """Tell from a file's content what it is, and what can be asked with it."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    match records[0]:
        case {"messages": _, "thread": _}:
            yield Task(
                f"{path.name}: a busy channel.",
                [channel(each) for each in records],
                IN_A_ROOM,
            )
        case {"utterances": _, "boundary": _}:
            groups = range(0, len(records), DIALOGUES_JOINED)
            talks = [joined(records[at : at + DIALOGUES_JOINED]) for at in groups]
            yield Task(f"{path.name}: dialogues end to end in one session.", talks, BY_COUNT[7])
        case {"corpus": _}:
            yield from coding_tasks(path.name, [sessions(each) for each in records])
        case _:
            sys.exit(f"{path} has neither messages with threads, sessions nor boundaries.")


def coding_tasks(name: str, talks: list[Talk]) -> Iterator[Task]:
    """Ask three things of coding sessions, each harder to tell by the session's name."""
    hidden = [[replace(line, session=None) for line in talk] for talk in talks]
    yield Task(f"{name}: sessions by time, their ids known.", talks, BY_SESSION)
    yield Task(f"{name}: sessions interleaved by time, their ids hidden.", hidden, BY_TIME)
    yield Task(f"{name}: sessions end to end under one id.", [*map(flat, talks)], BY_COUNT[34])


def channel(record: dict[str, Any]) -> Talk:
    """Read an hour of a channel, whose lines have the time of day only."""
    talk: Talk = []
    day = timedelta()
    for each in record["messages"]:
        hours, minutes = map(int, each["ts"].split(":"))
        at = NOON.replace(hour=hours, minute=minutes) + day
        if talk and talk[-1].at - at > MIDNIGHT_PASSED:
            day += timedelta(days=1)
            at += timedelta(days=1)
        talk.append(Line(each["text"], each["role"], at, "room", record["thread"][each["id"]]))
    return talk


def sessions(record: dict[str, Any]) -> Talk:
    """Read the sessions of a repository."""
    return [
        Line(
            each["text"],
            each["role"],
            datetime.fromisoformat(each["ts"]),
            each["session"],
            each["session"],
        )
        for each in record["corpus"]
    ]


def flat(talk: Talk) -> Talk:
    """Put sessions one after the other, as if they were one without a pause."""
    order = {session: number for number, session in reversed([*enumerate(x.session for x in talk)])}
    one_by_one = sorted(talk, key=lambda line: order[line.session])
    return [replace(line, session="one", at=NOON + n * STEP) for n, line in enumerate(one_by_one)]


def joined(records: list[dict[str, Any]]) -> Talk:
    """Put dialogues one after the other."""
    talk: Talk = []
    label = 0
    for each in records:
        label += 1
        for n, (text, ends) in enumerate(zip(each["utterances"], each["boundary"], strict=True)):
            label += ends
            at = NOON + len(talk) * STEP
            talk.append(Line(text, ("user", "assistant")[n % 2], at, "one", label))
    return talk


# What to compare with.


def in_one(talk: Talk) -> list[object]:
    """One thread for all."""
    return [0] * len(talk)


def every(count: int) -> Rule:
    """Begin a thread with every so-manieth message."""
    return lambda talk: [n // count for n in range(len(talk))]


def after_silence(minutes: float) -> Rule:
    """Begin a thread after a silence."""

    def rule(talk: Talk) -> list[object]:
        gap = timedelta(minutes=minutes)
        begins = [0, *(int(after.at - before.at > gap) for before, after in pairwise(talk))]
        return [int(number) for number in np.cumsum(begins)]

    return rule


def by_address(minutes: float) -> Rule:
    """Follow the one spoken to, else oneself, unless that was too long ago."""

    def rule(talk: Talk) -> list[object]:
        threads: list[object] = []
        last: dict[str, tuple[object, datetime]] = {}
        for number, line in enumerate(talk):
            words = (word.casefold() for word in re.findall(r"[\w\-\[\]\\`^{}|]+", line.text))
            me = line.role.casefold()
            named = [word for word in words if word in last and word != me]
            fresh = [
                last[name][0]
                for name in (*named, me)
                if name in last and line.at - last[name][1] <= timedelta(minutes=minutes)
            ]
            threads.append(fresh[0] if fresh else number)
            last[me] = (threads[-1], line.at)
        return threads

    return rule


IN_A_ROOM: dict[str, Rule] = {
    "one thread for all": in_one,
    "by nickname": lambda talk: [line.role for line in talk],
    "by nickname and addressee": by_address(1e6),
    "the same, within 5 minutes": by_address(5),
}
BY_SESSION: dict[str, Rule] = {
    "one thread for all": in_one,
    "by session": lambda talk: [line.session for line in talk],
}
BY_TIME: dict[str, Rule] = {
    "one thread for all": in_one,
    "silence of 15 minutes": after_silence(15),
    "silence of 60 minutes": after_silence(60),
}
BY_COUNT: dict[int, dict[str, Rule]] = {
    count: {"no boundary": in_one, f"every {count}th": every(count)} for count in (7, 34)
}


# How it is measured.


def measured(name: str, talks: list[Talk], rule: Rule) -> list[str]:
    """Apply a rule to each conversation and return a row of the table."""
    started = perf_counter()
    answers = [rule(talk) for talk in talks]
    spent_ms = (perf_counter() - started) * 1000 / sum(map(len, talks))
    truths = [[line.label for line in talk] for talk in talks]
    figures = [
        [*pair_scores(true, got), variation(true, got), len(set(got)) / len(set(true)), *cuts]
        for true, got in zip(truths, answers, strict=True)
        for cuts in [boundary_errors(true, got)]
    ]
    mean = [float(value) for value in np.mean(figures, axis=0)]
    shown = [f"{value:.2f}" if n in (3, 4) else f"{value:.3f}" for n, value in enumerate(mean)]
    return [name, *shown, f"{spent_ms:.2f}"]


def pair_scores(true: Sequence[object], got: Sequence[object]) -> tuple[float, float, float]:
    """Return precision, recall and F1 over all pairs of messages on one thread."""
    both, wanted, found = (
        sum(count * (count - 1) // 2 for count in Counter(groups).values())
        for groups in (list(zip(true, got, strict=True)), true, got)
    )
    precision = both / found if found else 1.0
    recall = both / wanted if wanted else 1.0
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def variation(true: Sequence[object], got: Sequence[object]) -> float:
    """Return the variation of information, in bits: 0 is the same threads."""
    trues, gots = Counter(true), Counter(got)
    return -sum(
        count / len(true) * (math.log2(count / trues[a]) + math.log2(count / gots[b]))
        for (a, b), count in Counter(zip(true, got, strict=True)).items()
    )


def boundary_errors(true: Sequence[object], got: Sequence[object]) -> tuple[float, float]:
    """Return Pk and WindowDiff with half the mean true length as the window."""
    truly, found = (
        np.cumsum([0, *(int(one != other) for one, other in pairwise(labels))])
        for labels in (true, got)
    )
    window = max(2, round(len(true) / (int(truly[-1]) + 1) / 2))
    wanted, seen = truly[window:] - truly[:-window], found[window:] - found[:-window]
    return float(np.mean((wanted == 0) != (seen == 0))), float(np.mean(wanted != seen))


# Vectors.


def embedded(texts: list[str], cache: Path | None) -> Vectors:
    """Return the vector of each text, from the cache where it is there."""
    embedder = default_embedder()
    file = None if cache is None else cache / f"{re.sub(r'[^A-Za-z0-9]+', '-', embedder.space)}.npz"
    known: Vectors = {}
    if file and file.exists():
        with np.load(file) as kept:
            known = dict(zip(kept["keys"].tolist(), kept["rows"], strict=True))
    lacking = [text for text in dict.fromkeys(texts) if key(text) not in known]
    for number, text in enumerate(lacking):
        known[key(text)] = embedder.documents([text[:EMBEDDED_CHARACTERS]])[0][0]
        if number % 100 == 0:
            print(f"\r… {number} of {len(lacking)} embedded", end="", file=sys.stderr)
    if file and lacking:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, keys=np.array([*known]), rows=np.stack([*known.values()]))
    return {text: known[key(text)] for text in texts}


def default_embedder() -> Embedder:
    """Load the default model, or stop with what to do."""
    embedder = load_embedder(memory_paths(None, None, os.environ), Settings())
    if embedder is None:
        sys.exit("No embedding model here: run `ais model pull arctic-embed-s` first.")
    return embedder


def key(text: str) -> str:
    """Name a text in the cache."""
    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


if __name__ == "__main__":
    main()

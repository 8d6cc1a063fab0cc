"""How long a prompt waits for its memory: `inject` through the daemon, warm and cold.

It is shown beside the raw cost, prompt by prompt in the same run, of what it cannot do without:
one query embedding, one FTS5 query, one scan of the vectors. The processor time of the daemon
stands beside the time on the clock: on a busy machine only the first means something. The memory
is made up: ten events a thread, with vectors, lines and statements, some near to each prompt.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask_daemon
from ai_smartness.settings.paths import HomePaths
from kit.filled import PROMPTS, THREAD_EVENTS, filled_home, project_of
from kit.made_up import SESSION_MESSAGES, queries
from kit.raw_floor import raw_floor
from kit.remembered import model
from kit.timing import PERCENTS, Times, cpu_seconds, files_mb, print_table, resident_mb

SIZES = (10_000, 100_000)
SESSIONS = 20
COLD_STARTS = 5
UNCOUNTED = 10
PATIENCE_SECONDS = 120.0
GOAL_MS, COLD_GOAL_MS = 50, 300
GOAL_EVENTS = 100_000


def main() -> None:
    """Fill a memory of each size, then inject into it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of events")
    parser.add_argument("--prompts", type=int, default=PROMPTS)
    parser.add_argument("--cold", type=int, default=COLD_STARTS, help="cold starts of the daemon")
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in for another run")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in given.sizes:
            home = (given.keep or Path(folder)) / str(size)
            filled_home(home, size)
            print(f"… {size:,} events: asking", file=sys.stderr)
            results[size] = measured(home, size, given.prompts, given.cold)
            if not given.json:
                show(size, results[size])
    if given.json:
        print(json.dumps(results, indent=2))


def measured(home: Path, events: int, prompts: int, cold_starts: int) -> dict[str, Any]:
    """Measure one memory, cold and then warm."""
    asked = queries(max(PROMPTS, prompts), events)[:prompts]
    cold = [cold_start(home, asked[number % prompts]) for number in range(cold_starts)]
    return {**warm(home, events, asked), "cold": cold, "files MB": files_mb(home)}


def warm(home: Path, events: int, prompts: Sequence[str]) -> dict[str, Any]:
    """Time injections, each beside the raw cost of the same prompt."""
    embedder = model()
    if embedder is None:
        sys.exit("No embedding model is set: `ais model use` chooses one.")
    floor = raw_floor(home / "memory.db", embedder)
    last = events // SESSION_MESSAGES
    seconds: dict[str, list[float]] = {name: [] for name in ("inject", *floor)}
    shown, processor = 0, 0.0
    with daemon(home) as pid:
        wait_until_warm(home, prompts[0])
        for number, prompt in enumerate([*prompts[:UNCOUNTED], *prompts]):
            raw = {name: clocked(call, prompt) for name, call in floor.items()}
            session = f"s{last - 1 - number % SESSIONS}"
            before = cpu_seconds(pid)
            took, text = injected(home, prompt, session)
            if number >= UNCOUNTED:
                processor += cpu_seconds(pid) - before
                for name, value in {"inject": took, **raw}.items():
                    seconds[name].append(value)
                shown += bool(text)
        memory = {kind: resident_mb(pid, kind) for kind in ("VmRSS", "RssFile")}
    together = np.sum([seconds[name] for name in floor], axis=0).tolist()
    times = {**seconds, "raw, together": together}
    return {
        "times": {name: percentiles(Times(values)) for name, values in times.items()},
        "prompts": len(prompts),
        "shown": shown,
        "processor ms": processor / len(prompts) * 1000,
        "memory MB": memory,
    }


def clocked(call: Callable[[str], object], prompt: str) -> float:
    """Return how many seconds a call took."""
    started = perf_counter()
    call(prompt)
    return perf_counter() - started


def percentiles(times: Times) -> dict[str, float]:
    """Return what is told of many times, in milliseconds."""
    return {f"p{percent}": times.at(percent) for percent in PERCENTS}


def injected(home: Path, prompt: str, session: str) -> tuple[float, str]:
    """Ask a running daemon, and return the seconds and the text."""
    started = perf_counter()
    answer = ask_daemon(
        HomePaths(str(home)),
        "inject",
        until=time.monotonic() + PATIENCE_SECONDS,
        text=prompt,
        source="",
        cwd=str(project_of(home)),
        session=session,
    )
    return perf_counter() - started, str(answer.get("text", ""))


def wait_until_warm(home: Path, prompt: str) -> None:
    """Wait until the model is loaded and nothing is left to be done in the background."""
    quick = 0
    until = time.monotonic() + PATIENCE_SECONDS
    while quick < UNCOUNTED and time.monotonic() < until:
        injected(home, prompt, "warm")
        ask_daemon(HomePaths(str(home)), "drain", until=until, seconds=10)
        quick += 1
        time.sleep(0.2)


@contextmanager
def daemon(home: Path) -> Iterator[int]:
    """Run a daemon that answers, and yield its process id."""
    command = [sys.executable, "-P", "-m", "ai_smartness", "daemon", "run", "--home", str(home)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # ours
    try:
        wait_for_answer(process, home)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def wait_for_answer(process: "subprocess.Popen[bytes]", home: Path) -> None:
    """Wait until the daemon answers a ping."""
    until = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            ask_daemon(HomePaths(str(home)), "ping", until=time.monotonic() + 1)
        except (NoDaemonError, NoAnswerError):
            time.sleep(0.005)
        else:
            return
    sys.exit("No daemon answered: see logs/daemon.log in the home.")


def cold_start(home: Path, prompt: str) -> dict[str, float]:
    """Start a daemon, and inject as soon as it answers and once it has loaded everything."""
    started = perf_counter()
    with daemon(home) as pid:
        ready = perf_counter() - started
        before = cpu_seconds(pid)
        first, _ = injected(home, prompt, "a new one")
        used = cpu_seconds(pid) - before
        second, _ = injected(home, prompt, "another")
        wait_until_warm(home, prompt)
        later, _ = injected(home, prompt, "a third one")
    found = {
        "until it answers": ready,
        "first injection": first,
        "(processor)": used,
        "second": second,
        "when warm": later,
    }
    return {name: seconds * 1000 for name, seconds in found.items()}


def show(size: int, found: dict[str, Any]) -> None:
    """Print what one size showed."""
    times, memory = found["times"], found["memory MB"]
    inject, raw = times["inject"], times["raw, together"]
    names = {"inject": "inject, through the daemon", "raw, together": "raw, together"}
    rows = [
        [names.get(name, f"raw: {name}"), *(f"{value:.1f}" for value in row.values())]
        for name, row in times.items()
    ]
    ratio = [f"{inject[key] / raw[key]:.2f}x" for key in inject]
    goals = []
    if size == GOAL_EVENTS:
        goals = [
            [f"goal: p95 under {GOAL_MS}", "", "met" if inject["p95"] < GOAL_MS else "MISSED", ""]
        ]
    print_table(
        f"{size:,} events, {size // THREAD_EVENTS:,} threads: {found['prompts']} prompts, "
        f"{found['shown']} of them shown something.",
        ["ms", *inject],
        [*rows, ["inject / raw", *ratio], *goals],
    )
    print(
        f"The daemon used {found['processor ms']:.0f} ms of processor time for a prompt (mean). It "
        f"holds {memory['VmRSS']:.0f} MB, {memory['RssFile']:.0f} of them mapped files. "
        f"The files have {found['files MB']:.0f} MB."
    )
    if not found["cold"]:
        return
    keys = list(found["cold"][0])
    slowest = max(start["first injection"] for start in found["cold"])
    print_table(
        f"A daemon that has just started, {len(found['cold'])} times; goal: first injection under "
        f"{COLD_GOAL_MS} ms: {'met' if slowest < COLD_GOAL_MS else 'MISSED'}.",
        ["ms", *keys],
        [
            [name, *(f"{pick([start[key] for start in found['cold']]):.0f}" for key in keys)]
            for name, pick in (("median", np.median), ("slowest", max))
        ],
    )


if __name__ == "__main__":
    main()

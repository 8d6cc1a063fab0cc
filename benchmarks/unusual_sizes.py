"""Small things at an unusual size: a long list, a huge message, many projects, a hung daemon.

Each is shown as processor time beside a smaller case of the same run. A ratio near that of the
sizes is linear growth.
"""

import argparse
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from pathlib import Path
from time import perf_counter, process_time

from ai_smartness.entrypoints.cli.output import print_table
from ai_smartness.model.event import Message
from kit.filled import opened
from kit.timing import print_table as print_measured

ROWS = (500, 20_000)
MEGABYTES = (1, 200)
PROJECTS = (370, 3_700)


def main() -> None:
    """Measure all of them, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], *MEASURES], metavar="WHAT")
    parser.add_argument(
        "--projects", type=int, default=PROJECTS[1], help="the larger number (3,700)"
    )
    options = parser.parse_args()
    rows = [
        row
        for name, measure in MEASURES.items()
        if not options.what or name in options.what
        for row in measure(options)
    ]
    print_measured("scale", ("what", "size", "seconds", "times the smaller"), rows)


def listed_rows(_options: argparse.Namespace) -> list[list[str]]:
    """Print a table of threads."""

    def printed(count: int) -> None:
        rows = [(f"thread_{n:06}", f"Rotating the keys of part {n}", 0.5) for n in range(count)]
        with redirect_stdout(io.StringIO()):
            print_table(("id", "title", "weight"), rows)

    return compared("rows of a list", ROWS, lambda count: cpu_seconds(lambda: printed(count)))


def long_messages(_options: argparse.Namespace) -> list[list[str]]:
    """Store one message."""
    line = "the server keeps the rotated keys in the vault of the login page\n"

    def stored(megabytes: int) -> float:
        text = line * (megabytes * 1_000_000 // len(line))
        with (
            tempfile.TemporaryDirectory() as folder,
            closing(opened(Path(folder) / "memory.db")) as memory,
        ):
            return cpu_seconds(lambda: memory.capture(Message(text=text)))

    return compared("MB of a message", MEGABYTES, stored)


def many_projects(options: argparse.Namespace) -> list[list[str]]:
    """Open a memory with a message in each of many projects, and search one of them."""

    def searched(count: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            with closing(opened(path)) as memory:
                for number in range(count):
                    text = f"rotate the keys of project {number}"
                    memory.seen_from(f"/code/p{number}").capture(Message(text=text))
            return cpu_seconds(lambda: search_again(path))

    def search_again(path: Path) -> None:
        with closing(opened(path)) as memory:
            memory.seen_from("/code/p7").search("rotate keys", words_only=True)

    return compared("projects, open and search", (PROJECTS[0], options.projects), searched)


def hung_daemon(_options: argparse.Namespace) -> list[list[str]]:
    """Stop a daemon that hangs; in seconds of the clock, as it is waited for."""
    with tempfile.TemporaryDirectory() as folder:

        def ais(*words: str) -> str:
            command = [sys.executable, "-m", "ai_smartness", "--home", folder, *words]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        ais("daemon", "start")
        os.kill(json.loads(ais("daemon", "status", "--json"))["pid"], signal.SIGSTOP)
        started = perf_counter()
        ais("daemon", "stop")
        return [["stop a hung daemon", "1", f"{perf_counter() - started:.2f}", ""]]


def compared(what: str, sizes: tuple[int, int], measure: Callable[[int], float]) -> list[list[str]]:
    """Measure two sizes, and return a row for each."""
    small, large = (measure(size) for size in sizes)
    ratio = f"{large / small:.1f} (size {sizes[1] / sizes[0]:.1f})"
    return [
        [what, f"{sizes[0]:,}", f"{small:.2f}", ""],
        [what, f"{sizes[1]:,}", f"{large:.2f}", ratio],
    ]


def cpu_seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    started = process_time()
    call()
    return process_time() - started


MEASURES = {
    "rows": listed_rows,
    "message": long_messages,
    "projects": many_projects,
    "daemon": hung_daemon,
}

if __name__ == "__main__":
    main()

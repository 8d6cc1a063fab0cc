"""`ais import` of a made-up history in the real line format: rate, memory, and a second run.

The program is run as a user runs it, in a process of its own. A second run must take under a
tenth of the first, and no run more than 500 MB.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from kit.made_up_sessions import write_history
from kit.timing import print_table

GIGABYTES = 0.05
SESSIONS_A_GIGABYTE = 500
QUESTION = "what did the tests of module 7 print"


def main() -> None:
    """Write a history, import it twice, and search."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=GIGABYTES)
    parser.add_argument("--sessions", type=int, help="how many files it is in (500 a gigabyte)")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sessions = given.sessions or max(1, round(given.gigabytes * SESSIONS_A_GIGABYTE))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        size = write_history(home / "claude" / "projects", int(given.gigabytes * 1e9), sessions)
        found = measured(home, size)
    if given.json:
        print(json.dumps(found))
    else:
        show(found, sessions)


def measured(home: Path, size: int) -> dict[str, float]:
    """Import a history twice, and search it."""
    first, said = took(home, "import", "--json")
    # Of all processes so far: the import is the only one that was run.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_000
    imported = json.loads(said)
    project = max(imported["projects"], key=lambda name: imported["projects"][name]["added"])
    search, _ = took(home, "--project", project, "search", "--words", QUESTION)
    again, said = took(home, "import", "--json")
    nothing, _ = took(home, "--version")
    return {
        "megabytes": size / 1e6,
        "messages": imported["added"],
        "added again": json.loads(said)["added"],
        "first, s": first,
        "again, s": again,
        "ratio": again / first,
        "MB/s": size / 1e6 / first,
        "messages/s": imported["added"] / first,
        "peak MB": peak,
        "first search, s": search,
        "nothing at all, s": nothing,
    }


def took(home: Path, *args: str) -> tuple[float, str]:
    """Run `ais`, and return how long it took and what it printed."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "AIS_HOME": str(home / "memory"),
        "AIS_EMBEDDER_MODEL": "none",
    }
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "ai_smartness", *args],
        env=environ,
        cwd=home,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return perf_counter() - start, done.stdout


def show(found: dict[str, float], sessions: int) -> None:
    """Print what was measured."""
    print_table(
        f"{found['megabytes']:,.0f} MB, {sessions:,} sessions, {found['messages']:,.0f} messages.",
        ["first, s", "MB/s", "messages/s", "peak MB", "first search, s", "again, s", "ratio"],
        [
            [
                f"{found['first, s']:.1f}",
                f"{found['MB/s']:.1f}",
                f"{found['messages/s']:,.0f}",
                f"{found['peak MB']:.0f} (500)",
                f"{found['first search, s']:.2f}",
                f"{found['again, s']:.2f}",
                f"{found['ratio']:.3f} (0.1)",
            ],
        ],
    )


if __name__ == "__main__":
    main()

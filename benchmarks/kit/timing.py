"""Take times, and print them as a table people can read."""

import os
import resource
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

__all__ = [
    "PERCENTS",
    "Times",
    "cpu_seconds",
    "files_mb",
    "measured",
    "print_table",
    "resident_mb",
    "took",
]

PERCENTS = (50, 95, 99)


class Times:
    """How long each of many calls took."""

    def __init__(self, seconds: Sequence[float]) -> None:
        self._ms = np.array(seconds) * 1000

    def at(self, percent: float) -> float:
        """Return the milliseconds that so many percent of the calls stayed within."""
        return float(np.percentile(self._ms, percent))


def measured(call: Callable[[str], object], questions: Sequence[str]) -> Times:
    """Time one call for each question, after a few that do not count."""
    for question in questions[:5]:
        call(question)
    return Times([took(partial(call, question)) for question in questions])


def took(call: Callable[[], object]) -> float:
    """Return how many seconds a call took."""
    started = perf_counter()
    call()
    return perf_counter() - started


def resident_mb(pid: int | None = None, kind: str = "VmRSS") -> float:
    """Return how much memory a process holds now, ours if none is named.

    `RssFile` is the part that it shares with every process that maps the same files.
    """
    status = Path(f"/proc/{pid or 'self'}/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith(kind))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used, to some hundredths; 0 if nobody tells."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def files_mb(folder: Path) -> float:
    """Return the size of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print aligned columns."""
    widths = [max(len(row[n]) for row in (columns, *rows)) for n in range(len(columns))]
    print(f"\n{title}")
    for row in (columns, ["-" * width for width in widths], *rows):
        cells = (
            cell.rjust(w) if n else cell.ljust(w)
            for n, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join(cells))

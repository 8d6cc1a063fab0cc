"""Take times, and print them as a table people can read."""

import resource
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

__all__ = ["Times", "measured", "print_table", "resident_mb", "took"]


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


def resident_mb() -> float:
    """Return how much memory this process holds now."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


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

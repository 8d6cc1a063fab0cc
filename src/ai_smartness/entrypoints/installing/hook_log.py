"""What the hook's log tells of its runs: when, for what, how long, and what went wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Run", "percentile", "runs"]

TROUBLE = "trouble_"
"""How the hook names what went wrong, followed by what it was about to do."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the hook."""

    at: str
    event: str
    took_ms: float
    error: str = ""


def runs(lines: Iterable[str]) -> list[Run]:
    """Read the lines of a log, the oldest first; what is no line of a run is passed over."""
    return [run for line in lines if (run := _run(line)) is not None]


def percentile(numbers: Sequence[float], percent: int) -> float:
    """Return the number that so many percent of them do not exceed."""
    ordered = sorted(numbers)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _run(line: str) -> Run | None:
    at, _, rest = line.strip().partition(" ")
    told = dict(word.partition("=")[::2] for word in rest.split())
    troubles = [said for name, said in told.items() if name.startswith(TROUBLE)]
    try:
        return Run(at, told["event"], float(told["took_ms"]), "; ".join(troubles))
    except (KeyError, ValueError):
        return None

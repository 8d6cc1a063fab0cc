"""Write which events something stands for in few characters, exactly.

Numbers that follow each other are one run, and each run is told by how far it
begins after the one before: ten thousand of one thread take a few bytes, and where
other threads speak in between some two each.
"""

from collections.abc import Iterable

__all__ = ["packed", "unpacked"]


def packed(seqs: Iterable[int]) -> str:
    """Write numbers, such as 5, 6, 7, 10 as `5+2,3`."""
    runs: list[str] = []
    last = 0
    for start, end in _runs(sorted(set(seqs))):
        runs.append(f"{start - last}+{end - start}" if end > start else f"{start - last}")
        last = end
    return ",".join(runs)


def unpacked(written: str) -> tuple[int, ...]:
    """Read numbers, in order."""
    seqs: list[int] = []
    last = 0
    for run in written.split(",") if written else ():
        gap, _, more = run.partition("+")
        start = last + int(gap)
        last = start + int(more or 0)
        seqs.extend(range(start, last + 1))
    return tuple(seqs)


def _runs(seqs: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for seq in seqs:
        if runs and seq == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], seq)
        else:
            runs.append((seq, seq))
    return runs

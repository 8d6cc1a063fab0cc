"""Killed in the middle of a merge, a split or a compaction: all of it is there or nothing."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import killing


@pytest.mark.parametrize(("how", "kills"), [("at a statement", 100), ("from outside", 30)])
@pytest.mark.parametrize("verb", ["merge", "split", "compact"])
def test_killed_at_any_point_it_is_either_before_or_after(
    tmp_path: Path,
    verb: str,
    how: str,
    kills: int,
) -> None:
    done = subprocess.run(
        [sys.executable, killing.__file__, str(tmp_path / "memory.db"), verb, how, str(kills)],
        capture_output=True,
        text=True,
        check=False,
        # No threads of the arithmetic: what forks should have none.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
    )

    assert done.returncode == 0, done.stderr
    found = Counter(done.stdout.splitlines())
    assert found.keys() == {"before: whole", "after: whole"}
    assert found.total() == kills

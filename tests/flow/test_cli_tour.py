"""The tour, as `scripts/run` shows it."""

import os
import subprocess
import sys
from pathlib import Path

from ai_smartness.ports import Embedder


def tour(home: Path, model: str) -> list[str]:
    environment = {**os.environ, "AIS_HOME": str(home), "AIS_EMBEDDER_MODEL": model}
    done = subprocess.run(
        [sys.executable, "-m", "ai_smartness", "tour"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout.splitlines()


def after(lines: list[str], start: str) -> str:
    """Return the first answer below a line that starts so."""
    at = next(n for n, line in enumerate(lines) if line.strip().startswith(start))
    return lines[at + 2].strip()


def test_the_tour_shows_what_it_says_and_leaves_nothing_behind(tmp_path: Path) -> None:
    lines = tour(tmp_path / "home", "none")

    assert "drop JWT altogether" in after(lines, "? why did we drop JWT")
    assert "30 days" in next(line for line in lines if "today:" in line)
    assert "12 hours" in next(line for line in lines if "before the change:" in line)
    assert any("the same answers" in line for line in lines)
    assert not (tmp_path / "home").exists()


def test_with_the_model_a_question_finds_what_shares_no_word_with_it(
    tmp_path: Path, real_embedder: Embedder
) -> None:
    assert real_embedder.dimension

    lines = tour(tmp_path / "home", "arctic-embed-s")

    assert "never be sent twice" in after(lines, "? duplicate billing")
    at = next(n for n, line in enumerate(lines) if "duplicate billing" in line)
    assert "words" not in lines[at + 3]


def test_the_tour_is_silent_where_nothing_is_asked_and_takes_back_what_it_merged(
    tmp_path: Path,
) -> None:
    lines = tour(tmp_path / "home", "none")

    assert (
        "stays silent"
        in lines[next(n for n, line in enumerate(lines) if "> ok, go on" in line) + 1]
    )
    assert any("are back" in line for line in lines)

"""The bar of a long task: its figures, its movement before anything is known, and its width."""

from itertools import pairwise

import pytest

from ai_smartness.entrypoints.cli.progress import BAR_CELLS, bar_line
from terminal import without_control

WAITING, HALF = (0, 0), (33_000_000, 66_000_000)


def test_a_transfer_shows_how_much_came_how_fast_and_how_long_it_will_take() -> None:
    line = without_control(bar_line("downloading", HALF, 1, 11, is_transfer=True).encode())

    assert line == f"downloading {'━' * BAR_CELLS} 33.0 MB of 66.0 MB 3.0 MB/s 0:00:11"


def test_other_work_shows_its_share() -> None:
    line = without_control(bar_line("embedding", (1, 4), 1, 1_300, is_transfer=False).encode())

    assert line.endswith("━  25% 1:05:00")


def test_the_bright_part_grows_with_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    bright = [
        bar_line("x", (done, 4), 1, 1, is_transfer=False)
        .partition("\x1b[35m")[2]
        .partition("\x1b[0m")[0]
        for done in (1, 2, 4)
    ]

    assert bright == ["━" * cells for cells in (10, 20, 40)]


def test_the_bar_moves_while_nothing_is_known_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    frames = [bar_line("x", WAITING, frame, 1, is_transfer=True) for frame in range(60)]

    assert all(one != next_ for one, next_ in pairwise(frames))
    assert bar_line("x", WAITING, 60, 1, is_transfer=True) == frames[0]


def test_there_are_no_colours_where_they_are_unwanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    assert "\x1b" not in bar_line("x", HALF, 1, 1, is_transfer=True)

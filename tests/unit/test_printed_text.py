"""Stored text on a terminal: wrapped, with the later lines below the first."""

import io
import sys

import pytest

from ai_smartness.entrypoints.cli.output import print_text


class Screen(io.StringIO):
    """A terminal that keeps what was printed."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


def test_the_first_line_uses_the_whole_width_and_later_lines_hang(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "stdout", screen := Screen())

    print_text("hooks      in /home/ann/work/shop/x.json of the project", hang=11)

    assert screen.getvalue().splitlines() == [
        "hooks      in /home/ann/work/shop/x.json",
        "           of the project",
    ]

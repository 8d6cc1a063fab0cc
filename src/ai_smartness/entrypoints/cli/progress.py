"""A bar for work that takes a while: drawn on one line of a terminal, and erased at the end.

A thread draws it ten times a second, so it also moves while nothing is reported. The cursor stays
at the start of the line: `print_text` erases the bar when it prints a note there.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from ai_smartness.entrypoints.cli.layout import cut_text
from ai_smartness.entrypoints.cli.screen import is_plain, screen_width, styled_text
from ai_smartness.text.display import size_text

if TYPE_CHECKING:
    from ai_smartness.ports import Progress

__all__ = ["bar_line", "progress_bar"]

BAR_CELLS = 40
PULSE_CELLS = 10  # of the part that moves to and fro while no total is known
FRAME_SECONDS = 0.1
ERASED_LINE = "\r\x1b[2K"


@contextmanager
def progress_bar(label: str, *, is_transfer: bool = False) -> Iterator["Progress"]:
    """Draw a bar on stderr, for a transfer with its rate; without a terminal, draw nothing.

    An interruption inside says how far the work has come.
    """
    reached = [0, 0]

    def report(done: int, total: int) -> None:
        reached[:] = done, total

    started = time.monotonic()

    def draw(frame: int) -> None:
        seconds = time.monotonic() - started
        line = bar_line(label, (reached[0], reached[1]), frame, seconds, is_transfer=is_transfer)
        sys.stderr.write(f"{ERASED_LINE}{line}\r")
        sys.stderr.flush()

    try:
        if is_plain(sys.stderr):
            yield report
        else:
            with _redrawn(draw):
                yield report
    except KeyboardInterrupt as error:
        done, total = reached
        share = f", {done / total:.0%} done" if total else ""
        error.add_note(f"{label}{share}")
        raise


@contextmanager
def _redrawn(draw: Callable[[int], None]) -> Iterator[None]:
    ended = threading.Event()

    def draw_frames() -> None:
        for frame in count(1):
            if ended.wait(FRAME_SECONDS):
                return
            draw(frame)

    drawing = threading.Thread(target=draw_frames, daemon=True)
    draw(0)
    drawing.start()
    try:
        yield
    finally:
        ended.set()
        drawing.join()
        sys.stderr.write(ERASED_LINE)
        sys.stderr.flush()


def bar_line(
    label: str, reached: tuple[int, int], frame: int, seconds: float, *, is_transfer: bool
) -> str:
    """Return the line of a bar; before anything has arrived, its bright part moves to and fro."""
    done, total = reached
    if done and total:
        start, end = 0, BAR_CELLS * min(done, total) // total
        left = _clock_text(seconds * (total - done) / done)
        share = (
            f"{size_text(done)} of {size_text(total)}" if is_transfer else f"{done / total:4.0%}"
        )
        rate = f" {size_text(int(done / max(seconds, FRAME_SECONDS)))}/s" if is_transfer else ""
        figures = f"{share}{rate} {left}"
    else:
        turn = BAR_CELLS - PULSE_CELLS
        start = turn - abs(turn - frame % (2 * turn))
        end, figures = start + PULSE_CELLS, ""
    room = screen_width(stderr=True) - BAR_CELLS - 3 - len(figures)
    parts = ("━" * start, "━" * (end - start), "━" * (BAR_CELLS - end))
    bar = "".join(map(styled_text, parts, ("dim", "magenta", "dim")))
    return f"{cut_text(label, max(1, room))} {bar} {figures}"


def _clock_text(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"

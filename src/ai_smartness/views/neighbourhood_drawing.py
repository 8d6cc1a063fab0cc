"""A thread and its neighbours as a drawing: in columns, by how many bridges they are away.

The thread itself is at the left. Every box has a line of its own, so that no title is covered,
and the same threads are always drawn in the same places.
"""

from dataclasses import dataclass
from textwrap import wrap

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.browse import Neighbourhood
from ai_smartness.model.thread import Thread
from ai_smartness.text.display import shortened_text

__all__ = ["NeighbourhoodDrawing", "drawn_neighbourhood"]

COLUMN_WIDTH = 310.0
BOX_WIDTH = 240.0
BOX_HEIGHT = 42.0
ROW_HEIGHT = 52.0
MARGIN = 8.0
LINE_CHARACTERS = 27  # of a title in its box
LABEL_LINES = 2


@dataclass(frozen=True, slots=True)
class ThreadBox:
    """A thread at its place."""

    thread: Thread
    label: tuple[str, ...]
    x: float
    y: float
    ring: int


@dataclass(frozen=True, slots=True)
class BridgeLine:
    """A bridge as a curve from box to box."""

    bridge: Bridge
    path: str
    width: float
    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourhoodDrawing:
    """The whole drawing."""

    width: float
    height: float
    box_width: float
    box_height: float
    boxes: tuple[ThreadBox, ...]
    lines: tuple[BridgeLine, ...]
    relations: tuple[str, ...]
    left_out: int


def drawn_neighbourhood(near: Neighbourhood) -> NeighbourhoodDrawing:
    """Draw a neighbourhood."""
    columns: dict[int, list[Thread]] = {}
    for thread, ring in zip(near.threads, near.rings, strict=True):
        columns.setdefault(ring, []).append(thread)
    rows = max(len(column) for column in columns.values())
    height = 2 * MARGIN + ROW_HEIGHT * rows
    boxes = {
        thread.id: ThreadBox(
            thread,
            _label_lines(thread.title or thread.id),
            MARGIN + COLUMN_WIDTH * ring,
            round((height - ROW_HEIGHT * len(column)) / 2 + ROW_HEIGHT * row, 1),
            ring,
        )
        for ring, column in columns.items()
        for row, thread in enumerate(column)
    }
    return NeighbourhoodDrawing(
        width=2 * MARGIN
        + COLUMN_WIDTH * max(columns)
        + BOX_WIDTH
        + (60 if len(columns) > 1 else 0),
        height=height,
        box_width=BOX_WIDTH,
        box_height=BOX_HEIGHT,
        boxes=tuple(boxes.values()),
        # A line of the same two threads covers the one before it: what says least is drawn first.
        lines=tuple(
            _line(bridge, boxes)
            for bridge in sorted(near.bridges, key=lambda one: one.relation != Relation.SIBLING)
        ),
        relations=tuple(sorted({bridge.relation for bridge in near.bridges})),
        left_out=near.left_out,
    )


def _label_lines(title: str) -> tuple[str, ...]:
    """Return a title in at most two lines; what does not fit is cut."""
    lines = wrap(title, LINE_CHARACTERS) or [title]
    if len(lines) <= LABEL_LINES:
        return tuple(lines)
    return lines[0], shortened_text(" ".join(lines[1:]), LINE_CHARACTERS)


def _line(bridge: Bridge, boxes: dict[str, ThreadBox]) -> BridgeLine:
    source, target = boxes[bridge.source], boxes[bridge.target]
    left, right = sorted((source, target), key=lambda box: (box.ring, box.y))
    y1, y2 = left.y + BOX_HEIGHT / 2, right.y + BOX_HEIGHT / 2
    x1 = left.x + BOX_WIDTH
    if left.ring == right.ring:
        # Beside its column: two neighbours that are bridged themselves.
        bend = x1 + 24 + min(36.0, abs(y2 - y1) / 8)
        path = f"M{x1:g} {y1:g}C{bend:g} {y1:g} {bend:g} {y2:g} {x1:g} {y2:g}"
    else:
        middle = (x1 + right.x) / 2
        path = f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {right.x:g} {y2:g}"
    width = round(1 + 3 * min(1.0, bridge.weight), 1)
    return BridgeLine(bridge, path, width, source.thread.title, target.thread.title)

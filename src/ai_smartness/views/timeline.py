"""The timeline as a drawing: one lane for each thread, one bar for each step with messages.

Everything is worked out in numbers here, so that a template only writes them down.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ai_smartness.model.browse import ThreadActivity
from ai_smartness.model.thread import Thread

__all__ = [
    "NO_CLIENT",
    "SPANS",
    "Timeline",
    "TimelineBar",
    "TimelineLane",
    "TimelineSession",
    "TimelineTick",
    "fitting_span",
    "timeline",
]

SPANS: dict[str, timedelta] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "quarter": timedelta(days=91),
    "year": timedelta(days=365),
    "decade": timedelta(days=3652),
}
"""The stretches of time that can be looked at."""

STEPS = 120  # bars in a lane
WIDTH = 1000.0
LANE_HEIGHT = 34.0
TITLE_HEIGHT = 17.0
AXIS_HEIGHT = 28.0
MIN_BAR_HEIGHT = 4.0
LABEL_WIDTH = 60.0
LABEL_GAP = 3.0
NO_CLIENT = "unknown"
SESSION_HEIGHT = 12.0
SESSION_ROWS = 6  # sessions that run at the same time; more are not drawn

_TICKS = {
    "day": (timedelta(hours=3), "%H:%M"),
    "week": (timedelta(days=1), "%a %d"),
    "month": (timedelta(days=5), "%d %b"),
    "quarter": (timedelta(days=14), "%d %b"),
    "year": (timedelta(days=61), "%b %Y"),
    "decade": (timedelta(days=731), "%Y"),
}


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """The messages of one client in one step."""

    x: float
    y: float
    width: float
    height: float
    client: str
    messages: int
    at: datetime


@dataclass(frozen=True, slots=True)
class TimelineLane:
    """A thread with its bars; `start` and `end` are where it began and was last active."""

    thread: Thread
    y: float
    start: float
    end: float
    bars: tuple[TimelineBar, ...]


@dataclass(frozen=True, slots=True)
class TimelineSession:
    """A session, from its first to its last message in the lanes."""

    id: str
    client: str
    x: float
    y: float
    width: float
    messages: int
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class TimelineTick:
    """A mark of the axis, and the stretch of time that begins there; its label is beside it."""

    x: float
    shift: float
    label: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The whole drawing."""

    span: str
    since: datetime
    until: datetime
    width: float
    height: float
    lane_height: float
    ticks: tuple[TimelineTick, ...]
    lanes: tuple[TimelineLane, ...]
    clients: tuple[str, ...]
    sessions: tuple[TimelineSession, ...]
    hidden_sessions: int


def fitting_span(threads: Sequence[Thread], until: datetime) -> str:
    """Return the shortest span that shows all of these threads from their beginning."""
    since = min((thread.created_at for thread in threads), default=until)
    return next((name for name, length in SPANS.items() if until - since <= length), "decade")


def timeline(
    threads: Sequence[Thread],
    activity: Iterable[ThreadActivity],
    clients: Mapping[str, str],
    *,
    span: str,
    until: datetime,
) -> Timeline:
    """Draw threads over a span that ends at a time; `clients` are those of the sessions."""
    since = until - SPANS[span]
    activity = list(activity)
    sessions, hidden = _drawn_sessions(activity, clients, since, until)
    top = AXIS_HEIGHT
    if sessions:
        top = max(session.y for session in sessions) + SESSION_HEIGHT + LABEL_GAP
    counted: dict[str, dict[int, dict[str, int]]] = {}
    for one in activity:
        client = clients.get(one.session or "", NO_CLIENT)
        step = counted.setdefault(one.thread_id, {}).setdefault(one.step, {})
        step[client] = step.get(client, 0) + one.messages
    most = max(
        (sum(step.values()) for lane in counted.values() for step in lane.values()), default=1
    )
    names = {name for lane in counted.values() for step in lane.values() for name in step}
    lanes = tuple(
        _lane(thread, top + LANE_HEIGHT * number, counted.get(thread.id, {}), most, (since, until))
        for number, thread in enumerate(threads)
    )
    return Timeline(
        span=span,
        since=since,
        until=until,
        width=WIDTH,
        height=top + LANE_HEIGHT * len(threads),
        lane_height=LANE_HEIGHT,
        ticks=tuple(_ticks(span, since, until)),
        lanes=lanes,
        clients=tuple(sorted(names, key=lambda name: (name == NO_CLIENT, name))),
        sessions=sessions,
        hidden_sessions=hidden,
    )


def _drawn_sessions(
    activity: Iterable[ThreadActivity],
    clients: Mapping[str, str],
    since: datetime,
    until: datetime,
) -> tuple[tuple[TimelineSession, ...], int]:
    """Place sessions in rows, those that run at the same time below each other.

    Return them, and the number of those that no row has room for.
    """
    steps: dict[str, list[tuple[int, int]]] = {}
    for one in activity:
        if one.session:
            steps.setdefault(one.session, []).append((one.step, one.messages))
    spans = sorted((min(own)[0], max(own)[0], id_) for id_, own in steps.items())
    ends: list[int] = []
    drawn: list[TimelineSession] = []
    width, step_length = WIDTH / STEPS, (until - since) / STEPS
    for first, last, id_ in spans:
        row = next((row for row, end in enumerate(ends) if end < first), len(ends))
        if row == SESSION_ROWS:
            continue
        ends[row : row + 1] = [last]
        drawn.append(
            TimelineSession(
                id=id_,
                client=clients.get(id_, NO_CLIENT),
                x=round(first * width, 1),
                y=AXIS_HEIGHT + SESSION_HEIGHT * row,
                width=round((last - first + 1) * width - 0.8, 1),
                messages=sum(messages for _, messages in steps[id_]),
                since=since + step_length * first,
                until=since + step_length * (last + 1),
            )
        )
    return tuple(drawn), len(spans) - len(drawn)


def _lane(
    thread: Thread,
    y: float,
    steps: Mapping[int, Mapping[str, int]],
    most: int,
    period: tuple[datetime, datetime],
) -> TimelineLane:
    since, until = period
    bars = tuple(
        bar for step in sorted(steps) for bar in _bars(step, steps[step], most, (y, since, until))
    )
    return TimelineLane(
        thread,
        y,
        _place(thread.created_at, since, until),
        _place(thread.last_active, since, until),
        bars,
    )


def _bars(
    step: int, clients: Mapping[str, int], most: int, place: tuple[float, datetime, datetime]
) -> Iterator[TimelineBar]:
    """Yield the bars of one step, one client above the other."""
    y, since, until = place
    bottom, room = y + LANE_HEIGHT - 2, LANE_HEIGHT - TITLE_HEIGHT - 2
    width = WIDTH / STEPS
    at = since + (until - since) / STEPS * step
    total = sum(clients.values())
    height = MIN_BAR_HEIGHT + (room - MIN_BAR_HEIGHT) * total / most
    for client in sorted(clients):
        part = height * clients[client] / total
        bottom -= part
        yield TimelineBar(
            round(step * width, 1),
            round(bottom, 1),
            round(width - 0.8, 1),
            round(part, 1),
            client,
            clients[client],
            at,
        )


def _place(at: datetime, since: datetime, until: datetime) -> float:
    share = (at - since) / (until - since)
    return round(WIDTH * min(1.0, max(0.0, share)), 1)


def _ticks(span: str, since: datetime, until: datetime) -> Iterator[TimelineTick]:
    step, form = _TICKS[span]
    at = since.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    while at < until:
        if at >= since:
            x = _place(at, since, until)
            # The last label is on the left, where there is room.
            shift = -LABEL_GAP if x > WIDTH - LABEL_WIDTH else LABEL_GAP
            yield TimelineTick(x, shift, at.strftime(form), at)
        at += step

"""The drawings of threads: everything at its place, nothing outside, and the same every time."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.browse import Neighbourhood, ThreadActivity
from ai_smartness.views.neighbourhood_drawing import drawn_neighbourhood
from ai_smartness.views.thread_view import sampled_moments, split_parts
from ai_smartness.views.timeline import NO_CLIENT, SPANS, STEPS, fitting_span, timeline
from builders import NOON, a_thread

UNTIL = NOON + timedelta(hours=12)


def a_bridge(source: str, target: str, weight: float = 0.5) -> Bridge:
    return Bridge(
        id=f"{source}-{target}",
        source=source,
        target=target,
        relation=Relation.EXTENDS,
        weight=weight,
        reason="made up",
        confidence=1.0,
        made_by="test",
        last_used=NOON,
    )


activities = st.builds(
    ThreadActivity,
    st.sampled_from(["t0", "t1", "t2"]),
    st.sampled_from(["s1", "s2", None]),
    st.integers(0, STEPS - 1),
    st.integers(1, 5_000),
)


@given(st.lists(activities, max_size=60), st.sampled_from([*SPANS]))
def test_every_bar_is_in_its_lane_and_no_message_is_lost(
    activity: list[ThreadActivity], span: str
) -> None:
    threads = [a_thread(f"t{number}", minute=-60 * number) for number in range(3)]

    drawing = timeline(threads, activity, {"s1": "codex"}, span=span, until=UNTIL)

    for number, lane in enumerate(drawing.lanes):
        top = lane.y
        bottom = drawing.lanes[number + 1].y if number < 2 else drawing.height
        assert all(top < bar.y and bar.y + bar.height <= bottom for bar in lane.bars)
        assert all(bar.x >= 0 and bar.x + bar.width <= drawing.width for bar in lane.bars)
        assert 0 <= lane.start <= lane.end <= drawing.width
        counted = sum(one.messages for one in activity if one.thread_id == lane.thread.id)
        assert sum(bar.messages for bar in lane.bars) == counted
    assert set(drawing.clients) <= {"codex", NO_CLIENT}
    assert all(0 <= tick.x <= drawing.width for tick in drawing.ticks)
    assert 3 <= len(drawing.ticks) <= 15


many_sessions = st.builds(
    ThreadActivity,
    st.just("t0"),
    st.sampled_from([*(f"s{number}" for number in range(9)), None]),
    st.integers(0, STEPS - 1),
    st.integers(1, 50),
)


@given(st.lists(many_sessions, max_size=40))
def test_sessions_stand_above_the_lanes_and_never_cover_each_other(
    activity: list[ThreadActivity],
) -> None:
    drawing = timeline([a_thread("t0")], activity, {"s1": "codex"}, span="day", until=UNTIL)

    names = {one.session for one in activity if one.session}
    assert len(drawing.sessions) + drawing.hidden_sessions == len(names)
    for place, session in enumerate(drawing.sessions):
        assert 0 <= session.x < session.x + session.width <= drawing.width
        assert session.y < drawing.lanes[0].y
        own = [one.messages for one in activity if one.session == session.id]
        assert session.messages == sum(own)
        for other in drawing.sessions[:place]:
            is_before = other.x + other.width <= session.x
            assert other.y != session.y or is_before


def test_the_first_view_is_as_short_as_the_threads_allow() -> None:
    recent, older = a_thread("new"), a_thread("old", minute=-60 * 24 * 20)

    assert fitting_span([recent], UNTIL) == "day"
    assert fitting_span([recent, older], UNTIL) == "month"
    assert fitting_span([replace(older, created_at=NOON.replace(year=1990))], UNTIL) == "decade"
    assert fitting_span([], UNTIL) == "day"


def test_no_two_boxes_of_a_neighbourhood_overlap() -> None:
    threads = tuple(a_thread(f"t{number}") for number in range(60))
    rings = (0, *(1 for _ in range(20)), *(2 for _ in range(39)))
    bridges = tuple(a_bridge("t0", f"t{number}") for number in range(1, 21))

    drawing = drawn_neighbourhood(Neighbourhood(threads, rings, bridges, left_out=3))

    places = [(box.x, box.y) for box in drawing.boxes]
    for number, (x, y) in enumerate(places):
        assert 0 <= x <= drawing.width - drawing.box_width
        assert 0 <= y <= drawing.height - drawing.box_height
        assert not any(
            abs(x - x2) < drawing.box_width and abs(y - y2) < drawing.box_height
            for x2, y2 in places[number + 1 :]
        )
    assert len(drawing.lines) == 20
    assert drawn_neighbourhood(Neighbourhood(threads, rings, bridges, left_out=3)) == drawing


def test_a_thread_alone_is_a_neighbourhood_too() -> None:
    lonely = (replace(a_thread("t0"), title=""),)

    drawing = drawn_neighbourhood(Neighbourhood(lonely, (0,), ()))

    assert [box.label for box in drawing.boxes] == [("t0",)]


@given(st.text())
def test_a_title_has_at_most_two_lines_in_its_box(title: str) -> None:
    thread = replace(a_thread("t0"), title=title)

    (box,) = drawn_neighbourhood(Neighbourhood((thread,), (0,), ())).boxes

    assert 1 <= len(box.label) <= 2
    assert all(len(line) <= 27 for line in box.label)


def test_a_title_of_ordinary_length_is_not_cut() -> None:
    thread = replace(a_thread("t0"), title="Moving sessions from Redis to Postgres")

    (box,) = drawn_neighbourhood(Neighbourhood((thread,), (0,), ())).boxes

    assert box.label == ("Moving sessions from Redis", "to Postgres")


@given(st.integers(0, 1_000), st.integers(2, 50))
def test_the_slider_has_few_places_and_always_the_first_and_the_last(count: int, most: int) -> None:
    moments = [NOON + timedelta(minutes=number) for number in range(count)]

    chosen = sampled_moments(moments, most)

    assert len(chosen) <= max(most, 0)
    assert chosen == sorted(set(chosen))
    assert chosen[:1] == moments[:1]
    assert chosen[-1:] == moments[-1:]


def test_the_parts_of_a_split_are_those_that_were_chosen() -> None:
    parts = split_parts({1: "One", 2: "Two", 3: ""}, [(2, "b"), (1, "a"), (2, "c")])

    assert [(part.title, part.messages) for part in parts] == [("One", ("a",)), ("Two", ("b", "c"))]

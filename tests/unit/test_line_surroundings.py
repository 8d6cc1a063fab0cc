"""A line gains by the other messages of its session and by its neighbours, never by itself."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import Hit, HitReason
from ai_smartness.search.answer_lines import QuotedLine
from ai_smartness.search.line_surroundings import surrounding_matches
from builders import NOON


def a_line(seq: int, session: str | None = "s", place: int = 0) -> QuotedLine:
    hit = Hit(
        id=f"m{seq}",
        thread_id="thread_1",
        project="demo",
        session=session,
        role="user",
        at=NOON + timedelta(minutes=seq),
        text="use rig 2",
        score=0.5,
        why=HitReason(),
        seq=seq,
    )
    return QuotedLine(hit, place, "use rig 2", 0.0, 0.0)


def matches(*pairs: tuple[QuotedLine, float]) -> list[list[float]]:
    lines, cosines = zip(*pairs, strict=True)
    rows = surrounding_matches(lines, np.array(cosines, np.float32))
    return [[float(number) for number in row] for row in rows]


def test_a_line_in_a_session_about_the_query_gains_over_one_that_matches_by_chance() -> None:
    about = [(a_line(seq), 2.0) for seq in (1, 2, 3)]
    by_chance = [(a_line(11, "other"), 2.0), (a_line(12, "other"), -1.0)]

    at_home, alone = matches(*about, *by_chance)[0], matches(*about, *by_chance)[3]

    assert all(own > other for own, other in zip(at_home[:3], alone[:3], strict=True))


def test_only_near_messages_are_neighbours() -> None:
    _, _, near, *_ = matches((a_line(1, "a"), 3.0), (a_line(3, "b"), 0.0))[1]
    _, _, far, *_ = matches((a_line(1, "a"), 3.0), (a_line(4, "b"), 0.0))[1]

    assert near == 3.0
    assert far == -1.0


def test_a_neighbour_counts_by_its_place() -> None:
    before, after = (a_line(1), 3.0), (a_line(4), 2.0)
    here = (a_line(2), 0.0)

    *_, one_before, two_before, one_after = matches(before, here, after)[1]
    *_, none_before, other_before, none_after = matches(before, here, after)[2]

    assert [one_before, two_before, one_after] == [3.0, -1.0, -1.0]
    assert [none_before, other_before, none_after] == [-1.0, 0.0, -1.0]


def test_sessions_of_different_projects_are_different_sessions() -> None:
    other = replace(a_line(9), hit=replace(a_line(9).hit, project="another"))

    best, mean, *_ = matches((a_line(1), 0.0), (other, 5.0))[0]

    assert best < 5.0
    assert mean < 5.0


lines = st.lists(
    st.tuples(
        st.builds(a_line, st.integers(1, 12), st.sampled_from(["a", "b", None]), st.integers(0, 3)),
        st.floats(-3, 3, width=32),
    ),
    min_size=1,
    max_size=12,
)


@given(lines, st.integers(0, 11), st.floats(-3, 3, width=32))
def test_what_a_line_gains_does_not_depend_on_its_own_message(
    pairs: list[tuple[QuotedLine, float]], chosen: int, other: float
) -> None:
    # A message belongs to one session, and a missing message is as poor as the poorest lines.
    pairs = [(a_line(one.hit.seq, "abc"[one.hit.seq % 3], one.place), c) for one, c in pairs]
    pairs += [(a_line(seq, "abc"[seq % 3]), -3.0) for seq in range(20, 60)]
    line = pairs[chosen % len(pairs)][0]
    changed = [(one, other if one.hit.seq == line.hit.seq else c) for one, c in pairs]

    before = matches(*pairs)[chosen % len(pairs)]

    assert matches(*changed)[chosen % len(pairs)] == pytest.approx(before)


@given(lines, st.randoms())
def test_the_order_of_the_lines_does_not_matter(
    pairs: list[tuple[QuotedLine, float]], random: object
) -> None:
    pairs = [(a_line(one.hit.seq, "abc"[one.hit.seq % 3], one.place), c) for one, c in pairs]
    order = list(range(len(pairs)))
    random.shuffle(order)  # type: ignore[attr-defined] # hypothesis gives a Random

    rows = matches(*pairs)

    assert matches(*(pairs[n] for n in order)) == [pytest.approx(rows[n]) for n in order]

"""A breakpoint of a window is told once for each time that it is passed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.condense.pressure import (
    BREAKPOINTS,
    RESET_MARGIN,
    breakpoint_crossing,
    condense_target,
    window_share,
)
from ai_smartness.model.errors import RefusedError


@pytest.mark.parametrize(
    ("share", "before", "crossed", "remembered"),
    [
        (0.0, 0.0, None, 0.0),
        (0.59, 0.0, None, 0.0),
        (0.6, 0.0, 0.6, 0.6),
        (0.7, 0.6, None, 0.6),
        (0.95, 0.6, 0.9, 0.9),
        (0.95, 0.0, 0.9, 0.9),
        (1.2, 0.9, None, 0.9),
        (0.87, 0.9, None, 0.9),
        (0.7, 0.9, None, 0.6),
        (0.57, 0.6, None, 0.6),
        (0.2, 0.9, None, 0.0),
    ],
)
def test_what_is_passed_and_what_is_remembered(
    share: float, before: float, crossed: float | None, remembered: float
) -> None:
    assert breakpoint_crossing(share, before) == (crossed, remembered)


@given(st.lists(st.floats(0, 2)))
def test_between_two_of_a_kind_the_window_was_well_below(shares: list[float]) -> None:
    before = 0.0
    lowest = dict.fromkeys(BREAKPOINTS, 0.0)
    for share in shares:
        crossed, before = breakpoint_crossing(share, before)
        for each in BREAKPOINTS:
            lowest[each] = min(lowest[each], share)
        if crossed is not None:
            assert share >= crossed
            assert lowest[crossed] + RESET_MARGIN < crossed
            lowest |= dict.fromkeys((each for each in BREAKPOINTS if each <= crossed), share)


@given(st.lists(st.floats(0, 2), min_size=1))
def test_a_window_that_only_fills_passes_each_breakpoint_once(shares: list[float]) -> None:
    before, told = 0.0, []
    for share in sorted(shares):
        crossed, before = breakpoint_crossing(share, before)
        told += [crossed] if crossed is not None else []

    assert told == sorted(set(told))
    assert before == max((each for each in BREAKPOINTS if max(shares) >= each), default=0.0)


def test_in_an_emergency_there_is_less_room() -> None:
    assert condense_target(0.6, 4_000) == 4_000
    assert condense_target(0.9, 4_000) == 1_000
    assert condense_target(0.9, 1) == 1


@pytest.mark.parametrize(
    ("used", "window"), [(1, 0), (-1, 10), (True, 10), (1, None), ("1", 10), (float("nan"), 10)]
)
def test_what_is_no_number_of_tokens_is_refused(used: object, window: object) -> None:
    with pytest.raises(RefusedError, match="cannot tell the pressure"):
        window_share(used, window)

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.thread import Origin, Status
from ai_smartness.threads.decay import decayed_thread, faded_weight
from builders import NOON, a_thread

weights = st.floats(0.0, 1.5)
idle = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400))
half_lives = st.floats(0.5, 400)


@given(weights, st.lists(idle, min_size=1, max_size=8), half_lives)
def test_many_small_steps_equal_one_big_one(
    weight: float, steps: list[timedelta], days: float
) -> None:
    half_life = timedelta(days=days)
    stepped = weight
    for step in steps:
        stepped = faded_weight(stepped, step, half_life)

    assert stepped == pytest.approx(
        faded_weight(weight, sum(steps, timedelta()), half_life), rel=1e-9, abs=1e-12
    )


@given(weights, idle, idle, half_lives)
def test_a_thread_never_gains_weight_by_waiting(
    weight: float, some: timedelta, more: timedelta, days: float
) -> None:
    thread = replace(a_thread(), weight=weight)

    sooner = decayed_thread(thread, NOON + some, days)
    later = decayed_thread(thread, NOON + some + more, days)

    assert 0 <= later.weight <= sooner.weight <= weight


def test_a_thread_weighs_half_after_its_half_life() -> None:
    thread = replace(a_thread(), weight=1.0, importance=0.5)

    assert decayed_thread(thread, NOON + timedelta(days=14), 14).weight == pytest.approx(0.5)


def test_a_more_important_thread_fades_more_slowly() -> None:
    later = NOON + timedelta(days=14)
    trivial = decayed_thread(replace(a_thread(), importance=0.0), later, 14)
    vital = decayed_thread(replace(a_thread(), importance=1.0), later, 14)

    assert trivial.weight == pytest.approx(0.25)
    assert vital.weight > 0.6


def test_a_thread_that_became_too_light_reads_as_suspended() -> None:
    later = NOON + timedelta(days=100)

    assert decayed_thread(a_thread(), later, 14).status is Status.SUSPENDED
    assert decayed_thread(a_thread(), NOON, 14).status is Status.ACTIVE
    archived = replace(a_thread(), status=Status.ARCHIVED)
    assert decayed_thread(archived, later, 14).status is Status.ARCHIVED


def test_a_pin_does_not_fade() -> None:
    later = NOON + timedelta(days=1000)
    for pin in (replace(a_thread(), origin=Origin.PIN), replace(a_thread(), tags=("pinned",))):
        assert decayed_thread(pin, later, 14) == pin


def test_a_clock_that_went_backwards_changes_nothing() -> None:
    assert decayed_thread(a_thread(), NOON - timedelta(days=3), 14) == a_thread()

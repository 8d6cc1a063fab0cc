"""A memory that was used in every way there is comes back whole, byte for byte."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from engines import affordable
from roaming_machine import Roaming

pytestmark = pytest.mark.every_engine

STEPS = settings(
    max_examples=15,
    stateful_step_count=20,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_whatever_was_done_comes_back_whole() -> None:
    run_state_machine_as_test(Roaming, settings=affordable(STEPS))

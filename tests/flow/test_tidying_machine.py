"""Every verb in any order: nothing is lost or doubled, and all of it can be taken back.

What a change left, its undo turns into what was before it, byte for byte. What is
refused, and what is only shown, changes nothing.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from engines import affordable
from tidying_machine import Tidying

pytestmark = pytest.mark.every_engine

STEPS = settings(
    max_examples=40,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_whatever_is_done_can_be_taken_back() -> None:
    run_state_machine_as_test(Tidying, settings=affordable(STEPS))

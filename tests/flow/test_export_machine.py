"""A memory that was used in every way there is comes back whole, byte for byte."""

from hypothesis import HealthCheck, settings

from roaming_machine import Roaming

TestRoaming = Roaming.TestCase
TestRoaming.settings = settings(
    max_examples=15,
    stateful_step_count=20,
    suppress_health_check=[HealthCheck.too_slow],
)

"""Every verb in any order: nothing is lost or doubled, and all of it can be taken back.

What a change left, its undo turns into what was before it, byte for byte. What is
refused, and what is only shown, changes nothing.
"""

from hypothesis import HealthCheck, settings

from tidying_machine import Tidying

TestTidying = Tidying.TestCase
TestTidying.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow],
)

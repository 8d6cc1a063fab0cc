"""Inputs of every kind, changed at random: nothing crashes, and what is refused changes nothing.

An hour of it: `PYTHONPATH=tests python tests/fuzz_targets.py --minutes 9`.
"""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz_samples import ABOUT, EVENTS
from fuzz_targets import TARGETS, events, mcp_lines
from hooking import hooked, kept_in
from mcp_serving import Site

EXAMPLES = {"hook": 200, "mcp": 200, "settings": 100, "paths": 40, "tools": 40}
"""How many of each; 30 of those that fill a memory."""


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_is_too_odd(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    target = TARGETS[name]
    chosen = settings(max_examples=EXAMPLES.get(name, 30), suppress_health_check=list(HealthCheck))

    with capfd.disabled():
        chosen(given(target.inputs)(target.check))()


@given(events())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nor_for_the_hook_as_a_client_starts_it(tmp_path: Path, whole: bytes) -> None:
    assert hooked(tmp_path, whole).is_harmless


@given(st.lists(mcp_lines(), min_size=20, max_size=20))
@settings(max_examples=2, suppress_health_check=list(HealthCheck))
def test_nor_for_the_mcp_server_as_a_client_starts_it(tmp_path: Path, lines: list[bytes]) -> None:
    if not (tmp_path / "home").exists():
        Site.under(tmp_path)
    site = Site(tmp_path / "home", tmp_path / "code" / "demo")
    with site.line() as line:
        line.begin()
        for whole in lines:
            line.write(whole.replace(b"\n", b" ") + b"\n")
        line.say("ping", "the last")

        while line.hear().get("id") != "the last":
            pass


def test_every_event_is_understood_as_it_is(tmp_path: Path) -> None:
    for event in EVENTS:
        assert hooked(tmp_path, {**ABOUT, **event}).is_harmless

    texts = json.dumps([record.get("text") for record in kept_in(tmp_path)])
    for part in ("what of solana", "echo hi", "+gamma", "Final", "Done"):
        assert part in texts

"""Long tables look like short ones, and are printed with few calls for each row."""

import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.entrypoints.cli.output import print_table

words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=5))
def test_a_long_table_has_the_lines_of_a_short_one(
    capsys: pytest.CaptureFixture[str], rows: list[tuple[str, str, str]]
) -> None:
    times = 500 // len(rows)

    print_table(("id", "title", "topics"), rows)
    short = capsys.readouterr().out.splitlines()
    print_table(("id", "title", "topics"), rows * times)
    long = capsys.readouterr().out.splitlines()

    assert [line.rstrip() for line in long[: len(rows) + 1]] == [line.rstrip() for line in short]
    assert len(long) == len(rows) * times + 1


def test_a_row_of_a_long_table_takes_few_calls(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(f"thread_{number}", f"Title {number}", 0.5, "active") for number in range(20_000)]
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    print_table(("id", "title", "weight", "status"), rows)
    sys.setprofile(None)

    assert capsys.readouterr().out.count("\n") == len(rows) + 1
    assert calls / len(rows) < 60

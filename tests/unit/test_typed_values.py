"""Values are compared by what they measure, without their spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.statements.typed_values import assigned_values, differing_sorts, typed_values


@pytest.mark.parametrize(
    ("text", "sort", "value"),
    [
        ("orders close at 18:00", "clock", "18"),
        ("orders close at 6 pm", "clock", "18"),
        ("posted at 11:15 sharp", "clock", "11:15"),
        ("handed in until 31 March", "date", "3-31"),
        ("bis zum 31. März", "date", "3-31"),
        ("invoices run on the 5th", "date", "-5"),
        ("the highest grant is 20,000 francs", "money", "20000"),
        ("ab sofort 20'000 Franken", "money", "20000"),
        ("it costs €34", "money", "34"),
        ("shuts 20 min ahead", "minute", "20"),
        ("alle zwanzig und 20 Minuten", "minute", "20"),
        ("four seconds at most", "second", "4"),
        ("each takes 6 parcels", "parcel", "6"),
    ],
)
def test_a_value_is_read_with_what_it_measures(text: str, sort: str, value: str) -> None:
    assert value in typed_values(text)[sort]


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("the freeze ends in may", True),
        ("TWELVE parcels", True),
        ("at version_one", False),
        ("ports stay as they are", False),
    ],
)
def test_a_text_without_a_digit_may_give_a_value_in_words(text: str, is_there: bool) -> None:  # noqa: FBT001
    assert bool(typed_values(text)) is is_there


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("`CUTOFF_HOUR = 18` in `app/orders.py`.", "cutoff_hour", "18"),
        ("`CUTOFF_HOUR` is 16 now, 21 tests pass.", "cutoff_hour", "16"),
        ("`MaxParcels` steht jetzt auf 6.", "maxparcels", "6"),
        ("`post_menu` runs at 11:00.", "post_menu", "11"),
        ("I set `hold.ttl` to PT24H in application-prod.yml.", "hold.ttl", "24"),
        ("`hold.ttl` defaults to PT72H.", "hold.ttl", "72"),
        ("`max_jobs` raised to 10 in fetch.py.", "max_jobs", "10"),
    ],
)
def test_a_name_of_code_is_read_with_what_it_is_set_to(text: str, name: str, value: str) -> None:
    assert assigned_values(text)[name] == value


@pytest.mark.parametrize(
    "text", ["we run MySQL 8 there", "`fares.toml` has 3 rows", "Berlin is 3 hours away"]
)
def test_versions_files_and_plain_words_are_no_settings(text: str) -> None:
    assert assigned_values(text) == {}


def test_values_of_different_sorts_do_not_differ() -> None:
    assert differing_sorts("valid for 2 hours", "valid for 3 hours now") == {"hour"}
    assert not differing_sorts("valid for 2 hours", "it costs 3 euro")
    assert not differing_sorts("valid for 2 hours", "still 2 hours")


@given(st.text(max_size=80))
def test_no_text_differs_from_itself(text: str) -> None:
    assert not differing_sorts(text, text)
    assert assigned_values(text) == assigned_values(text)

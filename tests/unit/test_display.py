"""Stored text and times as they are shown."""

from datetime import UTC, datetime

import pytest

from ai_smartness.text.display import short_date, size_text

NOW = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (datetime(2026, 11, 5, 23, 59, tzinfo=UTC), "5 Nov"),
        (datetime(2026, 1, 31, tzinfo=UTC), "31 Jan"),
        (datetime(2025, 12, 24, tzinfo=UTC), "24 Dec 2025"),
        (datetime(2027, 1, 1, tzinfo=UTC), "1 Jan 2027"),
    ],
)
def test_a_day_has_its_year_only_where_that_is_another(at: datetime, written: str) -> None:
    assert short_date(at, NOW) == written


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (31_519_088, "31.5 MB"),
        (2_000_000_000, "2.0 GB"),
        (10**19, "10,000.0 PB"),
    ],
)
def test_a_size_has_a_readable_unit(size: int, text: str) -> None:
    assert size_text(size) == text

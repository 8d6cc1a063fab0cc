"""Which backups are kept."""

from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.transfer import Backup, surplus_backups
from builders import NOON


def a_backup(at: datetime, *, daily: bool = True) -> Backup:
    return Backup(path=Path(f"/b/{at:%Y%m%d-%H%M%S}-{daily}"), at=at, size=1, daily=daily)


def days_ago(*numbers: float, daily: bool = True) -> list[Backup]:
    return [a_backup(NOON - timedelta(days=number), daily=daily) for number in numbers]


def ages(backups: list[Backup]) -> list[int]:
    return sorted((NOON - each.at).days for each in backups)


def test_of_the_last_days_and_of_the_last_weeks_one_each_is_kept() -> None:
    # Noon is on a Monday: each week's newest is its Sunday's.
    gone = surplus_backups(days_ago(*range(30)), 3, 3)

    assert sorted({*range(30)}.difference(ages(gone))) == [0, 1, 2, 8]


def test_of_several_on_one_day_the_newest_is_kept() -> None:
    gone = surplus_backups(days_ago(0, 0.1, 0.2), 3, 0)

    assert gone == days_ago(0.1, 0.2)


def test_what_somebody_made_is_kept() -> None:
    assert surplus_backups(days_ago(*range(100), daily=False), 1, 0) == []


@given(
    numbers=st.lists(st.floats(0, 400), max_size=40),
    days=st.integers(0, 10),
    weeks=st.integers(0, 10),
    daily=st.booleans(),
)
def test_the_newest_is_always_kept_and_never_more_than_are_wanted(
    numbers: list[float],
    days: int,
    weeks: int,
    *,
    daily: bool,
) -> None:
    backups = days_ago(*numbers, daily=daily)

    gone = surplus_backups(backups, days, weeks)

    kept = [each for each in backups if each not in gone]
    assert not backups or max(backups, key=lambda each: each.at) in kept
    if daily:
        assert len({each.path for each in kept}) <= max(1, days + weeks)
    assert not surplus_backups(kept, days, weeks)

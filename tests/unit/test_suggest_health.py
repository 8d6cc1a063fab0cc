"""How full the memory is, and the one thing to do about it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.session import LedgerEntry, LedgerPage
from ai_smartness.suggest.suggest import InjectionUsage, SuggestionCounts, memory_health
from builders import NOON

NOTHING = InjectionUsage(pages=(), injected=0, used=0, token_budget=1_500)


def a_page(*tokens: int) -> LedgerPage:
    shown = tuple(
        LedgerEntry(
            session="s", epoch=0, turn=1, thread_id="t", revision=1, tokens=each, score=1, why=""
        )
        for each in tokens
    )
    return LedgerPage(
        project="demo", session="s", epoch=0, turn=1, at=NOON, took_ms=1, shown=shown, skipped=()
    )


def test_the_seeds_example_under_pressure_is_said_in_its_words() -> None:
    found = memory_health([7.3 / 15] * 15, 30, NOTHING, SuggestionCounts(merges=1, splits=1))

    assert found.active_threads == 15
    assert round(found.context_pressure, 2) == 0.73
    assert found.recommendation == "Consider merging similar threads to reduce pressure"


def test_the_seeds_example_at_ease_is_said_in_its_words() -> None:
    found = memory_health([6.5 / 12] * 12, 30, NOTHING, SuggestionCounts(merges=1))

    assert found.active_threads == 12
    assert round(found.context_pressure, 2) == 0.65
    assert found.recommendation == "Healthy state, no action needed"


@pytest.mark.parametrize(
    ("count", "found", "shown", "step"),
    [
        (31, SuggestionCounts(merges=1), NOTHING, "merging similar threads to reduce pressure"),
        (
            34,
            SuggestionCounts(conflicts=1),
            NOTHING,
            "compacting: 4 more active threads than should be",
        ),
        (
            3,
            SuggestionCounts(conflicts=1, splits=1),
            NOTHING,
            "archiving what newer threads contradict",
        ),
        (3, SuggestionCounts(splits=1, pins=1), NOTHING, "splitting threads that drifted"),
        (3, SuggestionCounts(pins=1), NOTHING, "archiving pins that are of no use"),
        (3, SuggestionCounts(), replace(NOTHING, injected=100, used=4), "rating what is shown"),
    ],
)
def test_what_helps_most_is_recommended(
    count: int, found: SuggestionCounts, shown: InjectionUsage, step: str
) -> None:
    said = memory_health([0.2] * count, 30, shown, found).recommendation

    assert said.startswith(f"Consider {step}")


def test_much_recent_use_is_said_without_alarm() -> None:
    found = memory_health([1.0] * 12, 30, NOTHING, SuggestionCounts())

    assert found.context_pressure == 1.0
    assert found.recommendation == (
        "Much is in recent use: 12 active threads. No action needed: unused ones fade by themselves"
    )


def test_few_entries_say_nothing_of_their_use() -> None:
    few = replace(NOTHING, injected=20, used=0)

    assert (
        memory_health([], 30, few, SuggestionCounts()).recommendation
        == "Healthy state, no action needed"
    )
    assert memory_health([], 30, few, SuggestionCounts()).hit_rate == 0.0
    assert memory_health([], 30, NOTHING, SuggestionCounts()).hit_rate is None


def test_tokens_are_what_a_prompt_was_given_on_average_also_when_it_was_nothing() -> None:
    shown = replace(NOTHING, pages=(a_page(300, 100), a_page(), a_page(200)))

    assert memory_health([], 30, shown, SuggestionCounts()).tokens_injected == 200


@given(st.integers(0, 60), st.floats(0, 1.5))
def test_the_pressure_is_a_share(count: int, weight: float) -> None:
    assert (
        0 <= memory_health([weight] * count, 30, NOTHING, SuggestionCounts()).context_pressure <= 1
    )

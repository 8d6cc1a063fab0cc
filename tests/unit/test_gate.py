"""The gate opens for a prompt that can need the memory, and less readily later in a session."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.inject.gate import (
    FULL_CHARACTERS,
    KNOWN_CHARACTERS,
    LONG_PAUSE,
    PromptGate,
    messages_in_sight,
    prompt_need,
)
from ai_smartness.model.event import Event
from ai_smartness.ports import Embedder
from ai_smartness.settings.schema import InjectSettings
from builders import NOON, a_thread, an_event

FLOOR = InjectSettings().floor
MINUTE = timedelta(minutes=1)


def latest_events(*minutes: float) -> list[Event]:
    """Return events, the newest first, each so many minutes before noon."""
    return [
        replace(an_event(f"m{n}", a_thread(), minute=-minute), seq=len(minutes) - n)
        for n, minute in enumerate(minutes)
    ]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(0, 9), st.integers(0, 5_000))
def test_the_gate_is_the_surer_the_more_relevant_and_the_more_needed(
    relevance: float, more: float, need: float, messages: int, characters: int
) -> None:
    low, high = sorted((relevance, more))

    def certainty(need: float, messages: int, relevance: float) -> float:
        return PromptGate(need, messages, characters=characters).certainty(relevance)

    assert 0 <= certainty(need, messages, low) <= certainty(need, messages, high) <= 1
    assert certainty(low, messages, need) <= certainty(high, messages, need)
    assert certainty(need, messages + 1, low) <= certainty(need, messages, low)


@given(st.floats(0, 1), st.integers(0, 9))
def test_without_a_model_the_certainty_is_the_relevance(relevance: float, messages: int) -> None:
    assert PromptGate(None, messages).certainty(relevance) == relevance


@pytest.mark.parametrize("relevance", [0.05, 0.3, 0.8])
def test_the_longer_a_prompt_the_less_the_head_tells_and_the_more_the_relevance(
    relevance: float,
) -> None:
    by_relevance = PromptGate().certainty(relevance)

    for need in (0.05, 0.9):
        lengths = (1, KNOWN_CHARACTERS, 2 * KNOWN_CHARACTERS, FULL_CHARACTERS)
        gates = [PromptGate(need, characters=length) for length in lengths]
        short, known, longer, full = (
            abs(gate.certainty(relevance) - by_relevance) for gate in gates
        )
        assert short == known > longer > full


def test_a_long_prompt_that_only_looks_needy_is_given_nothing() -> None:
    long = PromptGate(0.95, characters=3 * KNOWN_CHARACTERS)

    assert long.certainty(0.01) < FLOOR < PromptGate(0.95).certainty(0.01)
    assert long.certainty(0.7) > FLOOR


def test_a_prompt_with_a_whole_text_in_it_needs_more_relevance() -> None:
    pasted = PromptGate(0.2, characters=8 * FULL_CHARACTERS)

    assert (
        pasted.certainty(0.8) < FLOOR < PromptGate(0.2, characters=FULL_CHARACTERS).certainty(0.8)
    )


def test_what_fits_the_prompt_is_not_shown_to_a_prompt_that_needs_nothing() -> None:
    assert PromptGate(0.05).certainty(0.6) < FLOOR < PromptGate(0.9).certainty(0.2)


def test_in_the_middle_of_a_session_a_prompt_must_need_the_memory_more() -> None:
    assert PromptGate(0.5, 6).certainty(0.6) < FLOOR < PromptGate(0.5).certainty(0.6)
    assert PromptGate(0.9, 6).certainty(0.6) > FLOOR
    assert PromptGate(1.0, 6).certainty(0.1) < FLOOR < PromptGate(1.0).certainty(0.1)


def test_messages_from_before_a_long_pause_are_not_in_sight() -> None:
    pause = LONG_PAUSE / MINUTE

    assert messages_in_sight(latest_events(1, 2, 3), 0, NOON) == 3
    assert messages_in_sight(latest_events(1, 2, pause + 3, pause + 4), 0, NOON) == 2
    assert messages_in_sight(latest_events(pause + 1, pause + 2), 0, NOON) == 0


def test_messages_from_before_a_compaction_are_not_in_sight() -> None:
    assert messages_in_sight(latest_events(1, 2, 3, 4), 2, NOON) == 2


ORDERS = (
    "commit this and update the changelog",
    "now run the tests once more",
    "please push that",
    "rebase it onto main, then merge",
    "bau das nochmal und lass die Tests laufen",
    "commit und dann push bitte",
    "fais un commit et pousse",
    "vuelve a correr los tests",
    "fix the lint warnings and commit",
    "show me that diff again",
)
WORK = (
    "add a discount field to the invoice form",
    "deploy the parking app to the town's server",
    "raise the night tariff for lorries",
    "write the export of the members for the tax office",
    "schreib den Export der Mitglieder für das Finanzamt",
)


@pytest.mark.parametrize("prompt", ORDERS)
def test_a_short_order_within_a_session_needs_no_memory(
    real_embedder: Embedder, prompt: str
) -> None:
    need = prompt_need(prompt, real_embedder)

    assert need is not None
    assert PromptGate(need, 4).certainty(0.05) < FLOOR


@pytest.mark.parametrize("prompt", WORK)
def test_work_on_the_projects_own_things_needs_its_memory(
    real_embedder: Embedder, prompt: str
) -> None:
    need = prompt_need(prompt, real_embedder)

    assert need is not None
    assert PromptGate(need).certainty(0.05) > FLOOR


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 9))
def test_an_error_is_as_much_in_need_late_in_a_session_as_at_its_beginning(
    relevance: float, need: float, messages: int
) -> None:
    late = PromptGate(need, messages, has_error=True)

    assert late.certainty(relevance) == PromptGate(need, 0).certainty(relevance)

"""A model that is counted: never beyond the day's ceiling, and every call written down."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.condense.metered_llm import LlmCallOrigin, MeteredModel
from ai_smartness.model.errors import AisError, RefusedError, StoreError
from ai_smartness.model.journal import Actor, JournalEntry
from ai_smartness.ports import Completion, ThreadStore
from ai_smartness.testing import SetClock
from ai_smartness.text.token_count import estimate_tokens
from engines import open_store

LATE = datetime(2026, 3, 2, 23, 59, 59, tzinfo=UTC)
WHO = Actor("agent", "claude-code")
PROMPT = "sum it up " * 100


class Told:
    """A model that does what it is told, and takes its time."""

    provider, name, window_tokens, seconds = "script", "told", 1_000, 1.0

    def __init__(self, clock: SetClock, does: Iterable[Completion | Exception]) -> None:
        self.clock = clock
        self.does = list(does)

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        del prompt, max_tokens
        self.clock.advance(seconds=2.5)
        done = self.does.pop(0)
        if isinstance(done, Exception):
            raise done
        return done


@pytest.fixture
def store() -> Iterator[ThreadStore]:
    opened = open_store()
    yield opened
    opened.close()


def metered(
    store: ThreadStore, *does: Completion | Exception, ceiling: int = 10_000, at: datetime = LATE
) -> MeteredModel:
    clock = SetClock(at)
    occasion = LlmCallOrigin("demo", WHO, "condense thread_1")
    return MeteredModel(Told(clock, does), occasion, store, clock, ceiling)


def log(store: ThreadStore) -> list[JournalEntry]:
    return store.journal.latest_entries("demo", 100)


def test_a_call_is_counted_as_the_model_reports_it_and_written_down(store: ThreadStore) -> None:
    metered(store, Completion("done", 1_000, 20)).complete(PROMPT, 500)

    (entry,) = log(store)
    assert store.spending.tokens_on(LATE.date()) == 1_020
    assert (entry.verb, entry.who, bool(entry.change)) == ("llm", WHO, False)
    assert entry.arguments == {
        "provider": "script",
        "model": "told",
        "purpose": "condense thread_1",
        "tokens_in": 1_000,
        "tokens_out": 20,
        "estimated": False,
        "seconds": 2.5,
        "failed": "",
    }
    assert entry.said == (
        "Asked told (script) to condense thread_1: 1,000 tokens in, 20 out, 2.5 s."
    )


def test_what_the_model_does_not_report_is_estimated_and_said_to_be(store: ThreadStore) -> None:
    metered(store, Completion("done and dusted")).complete(PROMPT, 500)

    (entry,) = log(store)
    assert store.spending.tokens_on(LATE.date()) == estimate_tokens(PROMPT) + estimate_tokens(
        "done and dusted"
    )
    assert entry.arguments["estimated"] is True
    assert "about" in entry.said


@pytest.mark.parametrize(
    ("error", "counted"),
    [
        (RefusedError("it answered 401."), 0),
        (StoreError("it took too long."), estimate_tokens(PROMPT) + 500),
        (OSError("something of its own"), estimate_tokens(PROMPT) + 500),
    ],
)
def test_a_call_that_failed_is_written_down_and_counted_unless_it_was_turned_down(
    store: ThreadStore, error: Exception, counted: int
) -> None:
    with pytest.raises(type(error)):
        metered(store, error).complete(PROMPT, 500)

    (entry,) = log(store)
    assert store.spending.tokens_on(LATE.date()) == counted
    assert entry.arguments["failed"]
    assert "It failed:" in entry.said


def test_beyond_the_ceiling_nothing_is_asked(store: ThreadStore) -> None:
    store.spending.add(LATE.date(), 9_900)
    model = metered(store)

    with pytest.raises(RefusedError, match=r"10,000 tokens of today 9,900 are used.*daily_tokens"):
        model.complete(PROMPT, 500)

    assert log(store) == []
    assert store.spending.tokens_on(LATE.date()) == 9_900


def test_a_call_counts_to_the_day_it_began_on_and_the_next_day_is_a_new_one(
    store: ThreadStore,
) -> None:
    model = metered(store, Completion("a", 5_000, 100), Completion("b", 7_000, 100))
    model.complete(PROMPT, 500)
    model.complete(PROMPT, 500)

    assert store.spending.tokens_on(LATE.date()) == 5_100
    assert store.spending.tokens_on(LATE.date().replace(day=3)) == 7_100


def test_a_ceiling_of_none_means_that_none_is_asked(store: ThreadStore) -> None:
    with pytest.raises(RefusedError):
        metered(store, ceiling=0).complete("", 1)


def test_one_that_nobody_waits_for_any_longer_is_not_asked(store: ThreadStore) -> None:
    model = metered(store, Completion("done"))

    model.close()
    with pytest.raises(RefusedError, match="nobody waits"):
        model.complete(PROMPT, 500)

    assert log(store) == []
    assert store.spending.tokens_on(LATE.date()) == 0


def honest(how: str, prompt: str, limit: int) -> Completion | Exception:
    """Do something that takes no more than was asked for."""
    match how:
        case "reports":
            return Completion("x" * limit, estimate_tokens(prompt), limit)
        case "is silent":
            return Completion("x" * limit)
        case "turns down":
            return RefusedError("turned down.")
    return StoreError("took too long.")


hows = st.sampled_from(["reports", "is silent", "turns down", "breaks off"])


@given(st.lists(st.tuples(hows, st.integers(1, 400), st.integers(0, 100)), max_size=12))
def test_an_honest_model_never_takes_more_than_the_ceiling(
    calls: list[tuple[str, int, int]],
) -> None:
    store = open_store()
    noon, made = LATE.replace(hour=12), 0
    for how, size, limit in calls:
        prompt = "x" * 4 * size
        model = metered(store, honest(how, prompt, limit), ceiling=1_000, at=noon)
        try:
            model.complete(prompt, limit)
            made += 1
        except AisError as error:
            made += "of today" not in str(error)
        assert store.spending.tokens_on(noon.date()) <= 1_000

    entries = log(store)
    counted = [entry.arguments["tokens_in"] + entry.arguments["tokens_out"] for entry in entries]  # type: ignore[operator] # numbers
    assert len(entries) == made
    assert sum(counted) == store.spending.tokens_on(noon.date())
    store.close()

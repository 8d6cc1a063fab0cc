"""A thread that was shown is said to be of use, or not, and ranks by that."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.short_ids import short_id
from ai_smartness.model.thread import Rating
from ai_smartness.testing import SetClock
from ai_smartness.threads.rate import rated_thread, relevance_of, unrated_thread, usage_rating
from asking import QUESTION, a_told_memory, answered, saved, shown, thread_of
from builders import NOON, a_memory, a_thread, said

pytestmark = pytest.mark.every_engine

THIRD_WAS_BAD = tuple(
    Rating(useful=number != 2, at=NOON + timedelta(minutes=number)) for number in range(5)
)


def an_old_api(memory: Memory) -> str:
    """Keep a thread under the source document's id, rated five times."""
    store = memory._store  # noqa: SLF001 - as if it had come about
    thread = replace(a_thread("thread_old_api"), ratings=THIRD_WAS_BAD)
    store.threads.save(replace(thread, relevance=relevance_of(thread.ratings)))
    return thread.id


def test_it_is_said_as_in_the_source_document() -> None:
    memory = a_memory()
    id_ = an_old_api(memory)

    outcome = memory.rate(id_, useful=False, reason="API was redesigned")

    assert outcome.said == "Rated thread_old_api as not useful. Relevance score: 0.85 → 0.72"
    (thread,) = outcome.threads
    assert thread.ratings[-1] == Rating(useful=False, at=NOON, reason="API was redesigned")
    assert memory.thread(id_).relevance == pytest.approx(6.8 / 9.5)


def test_a_good_rating_is_said_too() -> None:
    memory = a_memory()

    assert memory.rate(an_old_api(memory), useful=True).said == (
        "Rated thread_old_api as useful. Relevance score: 0.85 → 0.87"
    )


def test_the_next_injection_goes_by_it() -> None:
    memory = a_told_memory()
    (before,) = memory.inject(QUESTION).entries

    memory.rate(before.thread.id, useful=False)

    (after,) = memory.inject(QUESTION).entries
    assert after.priority == pytest.approx(before.priority * (1 - 0.2 / 3) * 2 / 3)


def test_what_was_rated_is_not_shown_again_for_that() -> None:
    memory = a_told_memory()
    (entry,) = memory.inject(QUESTION, session="new").entries
    memory.rate(entry.thread.id, useful=False)

    assert memory.inject(QUESTION, session="new").text == ""


def test_a_thread_is_named_by_its_start_its_brackets_or_a_message_of_it() -> None:
    memory = a_memory(embedder=lambda: None)
    memory.capture(said("the keys live in vault"))
    (thread,) = memory.threads()
    (message,) = memory.events(thread.id)

    ids = (thread.id[:-3], f"[{thread.id}]", f" {thread.id}", thread.id[-6:])
    for named in (*ids, message.id, message.id[:10], short_id(message.id)):
        assert memory.rate(named, useful=True).threads[0].id == thread.id

    memory.capture(said("and so do the tokens", id_="toolu_1"))
    assert memory.rate("toolu_1", useful=True).threads[0].id == thread_of(memory, "toolu_1")


@pytest.mark.parametrize("named", ["thread_nowhere", "msg_nowhere", "nowhere"])
def test_what_is_not_there_is_said(named: str) -> None:
    with pytest.raises(NotFoundError, match=named):
        a_told_memory().rate(named, useful=True)


def test_what_is_no_answer_is_refused() -> None:
    memory = a_told_memory()

    with pytest.raises(RefusedError, match="must be true or false, not 'yes'"):
        memory.rate(thread_of(memory), useful="yes")  # type: ignore[arg-type] # that is tested
    with pytest.raises(RefusedError, match="the id of a thread cannot be empty"):
        memory.rate("", useful=True)
    with pytest.raises(RefusedError, match="the reason of a rating must be text, not int"):
        memory.rate(thread_of(memory), useful=True, reason=3)  # type: ignore[arg-type] # tested
    assert memory.log() == []


def test_a_merged_thread_is_rated_as_its_survivor_and_that_is_said() -> None:
    memory = a_told_memory()
    logo, keys = thread_of(memory, "logo"), thread_of(memory)
    memory.merge(keys, logo)

    outcome = memory.rate(logo, useful=False)

    assert outcome.threads[0].id == keys
    assert outcome.said == (
        f"Rated {keys} as not useful. Relevance score: 1.00 → 0.67. "
        f"It has the messages of {logo}, which was merged into it."
    )


def test_it_is_undone_and_brought_back() -> None:
    memory = a_told_memory()
    before = memory.thread(thread_of(memory))
    memory.rate(before.id, useful=False, reason="stale")
    after = memory.thread(before.id)

    undone = memory.undo()
    assert memory.thread(before.id) == before
    memory.undo(undone.number)
    assert memory.thread(before.id) == after


def test_it_is_undone_though_the_thread_was_of_use_since() -> None:
    memory = a_told_memory()
    keys = thread_of(memory)
    done = memory.rate(keys, useful=False)
    memory.inject(QUESTION, session="new")
    answered(memory, "new", "They are in config/jwt_keys.yaml")
    used = memory.thread(keys)
    assert len(used.ratings) == 2

    memory.undo(done.number)

    assert memory.thread(keys).ratings == used.ratings[1:]
    assert memory.thread(keys).relevance == 1.0


def test_a_rating_under_a_later_one_is_not_undone_and_it_is_said_why() -> None:
    memory = a_told_memory()
    keys = thread_of(memory)
    first = memory.rate(keys, useful=False)
    memory.rate(keys, useful=True)

    with pytest.raises(RefusedError, match=r"of thread_.* is another now\. Undo change 2"):
        memory.undo(first.number)


def test_a_bad_rating_outweighs_a_better_match() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)
    memory.capture(
        said("the signing keys of the warehouse live on paper", id_="paper", session="p"),
    )
    prompt = "where do the signing keys live?"
    first, second = shown(memory.inject(prompt))

    for _ in range(6):
        clock.advance(seconds=1)
        memory.rate(thread_of(memory, first), useful=False)

    assert shown(memory.inject(prompt)) == [second, first]


def test_no_secret_is_kept_in_a_reason() -> None:
    memory = a_told_memory()
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory.rate(thread_of(memory), useful=False, reason=f"it named {secret}")

    assert secret not in str(memory.log()[0])
    assert secret not in str(memory.thread(thread_of(memory)).ratings)


def test_the_start_of_an_old_history_is_left_alone() -> None:
    memory = a_told_memory()
    saved(memory, "keys", ratings=THIRD_WAS_BAD * 2, relevance=relevance_of(THIRD_WAS_BAD * 2))
    before = memory.thread(thread_of(memory))
    memory.rate(before.id, useful=False)

    assert memory.thread(before.id).ratings[:9] == before.ratings[1:]
    memory.undo()
    assert memory.thread(before.id) == before


ratings = st.lists(
    st.builds(
        Rating,
        useful=st.booleans(),
        at=st.integers(0, 10**6).map(lambda n: NOON + timedelta(seconds=n)),
        strength=st.sampled_from([1.0, 0.25]),
    ),
    max_size=15,
)


@given(ratings)
def test_one_no_lowers_and_never_silences(history: list[Rating]) -> None:
    before = replace(a_thread(), ratings=tuple(history[-10:]))
    before = replace(before, relevance=relevance_of(before.ratings))

    no = rated_thread(before, Rating(useful=False, at=NOON))
    yes = rated_thread(before, Rating(useful=True, at=NOON))

    assert 0.0 < no.relevance <= 1.0
    assert no.relevance < yes.relevance <= 1.0
    full = len(before.ratings) == 10
    assert full or no.relevance < before.relevance <= yes.relevance


@given(ratings, st.integers(0, 12))
def test_to_unrate_is_never_to_have_rated(history: list[Rating], uses: int) -> None:
    was = replace(a_thread(), ratings=tuple(history[-10:]))
    left = rated_thread(was, Rating(useful=False, at=NOON, reason="no"))
    now, never = left, was
    for number in range(uses):
        use = usage_rating(NOON + timedelta(days=1, minutes=number))
        now, never = rated_thread(now, use), rated_thread(never, use)

    back = unrated_thread(now, left, was)

    assert back.ratings == never.ratings
    assert back.relevance == relevance_of(never.ratings)

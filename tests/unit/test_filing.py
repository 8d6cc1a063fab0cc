from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.capture.batch import grown_thread, shrunk_thread
from builders import NOON, a_thread, an_event

MINUTES = st.lists(st.integers(-500, 500), min_size=1, max_size=8)


@given(MINUTES)
def test_a_thread_lasts_from_its_earliest_event_to_its_latest_in_whatever_order_they_come(
    minutes: list[int],
) -> None:
    thread = a_thread(minute=minutes[0])

    for number, minute in enumerate(minutes):
        thread = grown_thread(thread, an_event(f"m{number}", thread, minute=minute))

    assert thread.created_at == NOON + timedelta(minutes=min(minutes))
    assert thread.last_active == NOON + timedelta(minutes=max(minutes))
    assert thread.revision == len(minutes)


@given(MINUTES)
def test_a_thread_that_events_have_left_lasts_as_long_as_those_that_stay(
    minutes: list[int],
) -> None:
    thread = grown_thread(a_thread(minute=0), an_event("gone", a_thread(), minute=600))
    staying = [an_event(f"m{n}", thread, minute=minute) for n, minute in enumerate(minutes)]

    left = shrunk_thread(thread, staying)

    assert left.created_at == NOON + timedelta(minutes=min(minutes))
    assert left.last_active == NOON + timedelta(minutes=max(minutes))
    assert left.revision == thread.revision + 1

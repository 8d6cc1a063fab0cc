"""What language models took is counted by day, whoever counts."""

from datetime import date

import pytest

from ai_smartness.ports import ThreadStore

MONDAY, TUESDAY = date(2026, 3, 2), date(2026, 3, 3)


def test_a_day_on_which_nothing_was_asked_has_none(store: ThreadStore) -> None:
    assert store.spending.tokens_on(MONDAY) == 0


def test_tokens_add_up_for_each_day_alone(store: ThreadStore) -> None:
    store.spending.add(MONDAY, 1_000)
    store.spending.add(TUESDAY, 5)
    store.spending.add(MONDAY, 20)

    assert (store.spending.tokens_on(MONDAY), store.spending.tokens_on(TUESDAY)) == (1_020, 5)


def test_what_was_set_aside_and_not_used_is_given_back_and_no_more(store: ThreadStore) -> None:
    store.spending.add(MONDAY, 1_000)
    store.spending.add(MONDAY, -400)
    assert store.spending.tokens_on(MONDAY) == 600

    store.spending.add(MONDAY, -5_000)

    assert store.spending.tokens_on(MONDAY) == 0


def test_what_was_not_written_is_not_counted(store: ThreadStore) -> None:
    def break_off() -> None:
        store.spending.add(MONDAY, 1_000)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), store.unit():
        break_off()

    assert store.spending.tokens_on(MONDAY) == 0

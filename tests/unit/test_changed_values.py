"""Whether a later statement gives a thing another value, or casts doubt on an earlier one."""

import pytest

from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.pair_features import (
    ComparedStatement,
    ComparedText,
    PairSurroundings,
)
from ai_smartness.statements.supersede import ComparedPair, may_be_changed, sets_new_value


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("hive notes can be 500 characters long", "apiary names may have 60 characters now"),
        ("the ticket printer waits 8 seconds", "the kiosk printer waits 15 seconds now"),
        ("tickets are valid for 2 hours", "for example, tickets of 5 hours would cost more now"),
        ("the Porto clinic uses MySQL 8", "Coimbra migrated from MySQL 5.7 to MariaDB"),
        ("tickets are valid for 2 hours", "only this Friday tickets are valid for 4 hours now"),
    ],
)
def test_another_value_of_another_thing_is_no_new_value(earlier: str, later: str) -> None:
    assert not sets_new_value(a_pair(earlier, later))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("tickets are valid for 2 hours", "the town wants tickets of 3 hours now"),
        ("routes are reset every 8 weeks", "from today routes get a reset every 10 weeks"),
        ("`RETRIES = 3` in `net.py`", "`RETRIES` is 5."),
    ],
)
def test_another_value_of_the_same_thing_is_a_new_value(earlier: str, later: str) -> None:
    assert sets_new_value(a_pair(earlier, later))


def a_pair(earlier: str, later: str) -> ComparedPair:
    older, newer = (
        ComparedStatement(text, Speaker.USER, StatementKind.DECISION, 0.9)
        for text in (earlier, later)
    )
    around = PairSurroundings(
        cosine=0.8,
        newer_deviation=1.0,
        older_deviation=1.0,
        rank=0,
        rarity=lambda _stem: 1.0,
        context=ComparedText(later),
        is_same_session=False,
    )
    return ComparedPair(older, newer, around)


def test_who_approves_every_change_casts_no_doubt_on_what_could_be_changed() -> None:
    older, newer, _ = a_pair(
        "prices in cents, integers only, never floats",
        "Frau Hagen from the town hall signs off every price change, ask me first",
    )

    assert not may_be_changed(older, newer)
    assert may_be_changed(older, a_pair("x", "the prices change to euro from Monday on")[1])

"""Which statements a few words choose."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.search.match_statements import matching_statements
from builders import a_statement, a_thread, an_event

TEXTS = (
    "We deploy on Tuesdays.",
    "Never log the session id.",
    "Sessions live in Postgres on the db host.",
    "CI runs on GitHub.",
    "数据库连接池的上限是二十。",
)
STATEMENTS = [a_statement(an_event(f"m{n}", a_thread(), text)) for n, text in enumerate(TEXTS)]


def texts_for(query: str) -> list[str]:
    return [statement.text for statement in matching_statements(STATEMENTS, query)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("deploy", 0),
        ("DEPLOY on tuesdays", 0),
        ("logging the session id", 1),
        ("session postgres", 2),
        ("CI", 3),
        ("数据库", 4),
    ],
)
def test_words_choose_the_statements_that_have_them(query: str, first: int) -> None:
    assert texts_for(query)[0] == TEXTS[first]


def test_nothing_is_chosen_that_has_less_than_half_of_the_words() -> None:
    assert texts_for("kubernetes ingress annotations") == []


def test_the_subject_of_a_statement_counts() -> None:
    about = replace(STATEMENTS[0], subject=("releases",))

    assert matching_statements([about], "release") == [about]


@given(st.text(max_size=40))
def test_whatever_is_typed_chooses_some_of_them_once(query: str) -> None:
    chosen = texts_for(query)

    assert len(chosen) == len(set(chosen))
    assert set(chosen) <= set(TEXTS)

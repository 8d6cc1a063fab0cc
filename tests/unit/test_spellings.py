import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.text.spellings import other_spellings


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("email", ["e mail"]),
        ("the e-mail server", ["email"]),
        ("log in", ["login", "sign in", "signin"]),
        ("who logged in", ["login", "sign in", "signin"]),
        ("filenames", ["file name"]),
        ("userName", ["user name"]),
        ("user_name", ["username"]),
        ("the directories of databases", ["data base"]),
        ("organisation", ["organize"]),
        ("k8s", ["kubernetes"]),
        ("regular expressions", ["regex", "regexp"]),
    ],
)
def test_a_word_has_the_other_spellings_of_its_group(query: str, expected: list[str]) -> None:
    assert other_spellings(query) == expected


@pytest.mark.parametrize("query", ["auth", "prod", "config", "db", "in log", "vault", "user", ""])
def test_most_words_have_one_spelling(query: str) -> None:
    assert other_spellings(query) == []


@given(st.lists(st.sampled_from(["log", "in", "login", "email", "e", "mail", "vault"])))
def test_spellings_are_distinct(words: list[str]) -> None:
    spellings = other_spellings(" ".join(words))

    assert len(spellings) == len(set(spellings))

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.text.keywords import MOST_QUERY_TERMS, query_terms


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("why drop JWT", ["why", "drop", "jwt"]),
        ("jwt jwt JWT", ["jwt"]),
        ("getUserById", ["getuserbyid", "get", "user", "by", "id"]),
        ("user_by_id", ["user", "by", "id", "user_by_id"]),
        ("src/auth/jwt.py:42", ["src", "auth", "jwt", "py", "42", "src/auth/jwt.py:42"]),
        ("数据库", ["数据库", "数据", "据库"]),
        ("l'été à Zürich", ["l", "été", "à", "zürich", "l'été"]),
        ("हिन्दी, भाषा।", ["हिन्दी", "भाषा"]),
        ("", []),
        ("!!! ???", []),
    ],
)
def test_a_query_looks_for_words_wholes_and_parts(query: str, expected: list[str]) -> None:
    assert query_terms(query) == expected


@given(st.text())
def test_terms_are_few_distinct_and_never_blank(query: str) -> None:
    found = query_terms(query)

    assert len(found) == len(set(found)) <= MOST_QUERY_TERMS
    assert all(term.strip() for term in found)

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.text.keywords import MAX_SUBWORDS, identifier_parts, search_subwords
from hang import no_hang

MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("getUserById", "get User By Id"),
        ("HTTPServer2", "HTTP Server 2"),
        ("user_by_id", "user by id"),
        ("src/auth/jwt.py:42", "src auth jwt py 42"),
        (r"C:\Users\me\Main.cs", "C Users me Main cs"),
        ("MAX_RETRIES", "MAX RETRIES"),
        ("react-router-dom", "react router dom"),
        ("std::vec::Vec", "std vec Vec"),
        ("parseURLs", "parse URLs"),
        ("sha256Sum", "sha 256 Sum"),
        ("ПолучитьДанные", "Получить Данные"),
        ("straßeÜber", "straße Über"),
        ("使用JWT认证", "使用 JWT 认证"),
        ("हिन्दीText", "हिन्दी Text"),
        ("e\u0301tatCivil", "e\u0301tat Civil"),
        ("plain", "plain"),
        ("__", ""),
        ("", ""),
    ],
)
def test_a_name_is_split_into_its_words_as_written(word: str, expected: str) -> None:
    assert identifier_parts(word) == tuple(expected.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call getUserById twice", "get user by id"),
        ("HTTPServer2", "http server 2"),
        ("user_by_id", ""),
        ("user_byId", "by id"),
        ("Plain prose, with OK and a 3.", ""),
        ("C'est l'été à Zürich, déjà.", ""),
        ("数据库", "数据 据库"),
        ("私", "私"),
        ("食べる", "食べ べる"),
        ("使用JWT认证", "使用 jwt 认证"),
        ("字_getUser", "字 get user"),
        ("JWT를 호출", "jwt 를 호출"),
        ("ไทย", "ไท ทย"),
        ("commit 3f2a9c8d of v2", "v 2"),
        ("ПолучитьДанные", "получить данные"),
        ("", ""),
    ],
)
def test_only_what_splitting_at_punctuation_misses_is_added(text: str, expected: str) -> None:
    assert search_subwords(text) == expected


@given(st.text())
def test_the_parts_of_a_word_are_in_it_in_order(word: str) -> None:
    position = 0

    for part in identifier_parts(word):
        position = word.index(part, position) + len(part)

    assert position <= len(word)


@given(st.text(st.sampled_from("aB1_ 字かไ를é-")))
def test_subwords_are_single_lower_case_tokens(text: str) -> None:
    found = search_subwords(text)

    assert found == found.lower()
    assert found == " ".join(found.split())
    assert re.search(r"[_-]", found) is None


@pytest.mark.parametrize(
    "unit",
    ["a", "A", "aA", "a1", "_a", "字", "字a", "ก", "e\u0301", "f0", "\n"],
)
def test_a_huge_text_gives_a_bounded_number_of_subwords(unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))

    with no_hang():
        found = search_subwords(text).split()

    assert len(found) <= MAX_SUBWORDS

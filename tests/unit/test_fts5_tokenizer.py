"""The words of a text are those that the full-text index stores, however they are found."""

import sqlite3
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ai_smartness.adapters.words.tokenizer import FTS5_TOKENIZE, Fts5Tokenizer


def indexed_words(text: str) -> frozenset[str]:
    """Return the words that FTS5 itself makes of a text."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5(text, tokenize="{FTS5_TOKENIZE}")')
    connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(t, row)")
    connection.execute("INSERT INTO t (text) VALUES (?)", (text,))
    words = frozenset(term for (term,) in connection.execute("SELECT term FROM words"))
    connection.close()
    return words


pieces = st.one_of(
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.sampled_from(
        ["Running", "ponies", "x86_64", "don't", "a — b", "→", "naïve", "日本語", "Größe"]
    ),
    st.text(alphabet="abcdeingsyABC019_-./ ", max_size=12),
)


NEW_SIGNS = ["b\u20bdb", "\u23fa done", "\ufdfe", "→ \ufdfe"]  # signs newer than FTS5's Unicode


@given(st.lists(st.lists(pieces, max_size=6).map(" ".join), max_size=4))
@example(texts=NEW_SIGNS)
def test_the_words_of_any_texts_are_those_of_the_index(texts: list[str]) -> None:
    tokenizer = Fts5Tokenizer()

    words = tokenizer.words_of(texts)

    assert words == [indexed_words(text) for text in texts]
    assert list(map(frozenset, tokenizer.tokens_of(texts))) == words
    assert tokenizer.words_of(texts) == words
    tokenizer.close()


@given(st.lists(st.lists(pieces, max_size=6).map(" ".join), max_size=4), st.lists(pieces))
def test_the_wanted_words_of_texts_are_those_of_all_their_words(
    texts: list[str], wanted: list[str]
) -> None:
    tokenizer = Fts5Tokenizer()
    (words,) = tokenizer.words_of([" ".join(wanted + texts[:1])])

    among = tokenizer.words_among(texts, words)

    assert among == [indexed_words(text) & words for text in texts]
    tokenizer.close()


def test_a_stem_whose_second_letter_is_another_one_is_wanted_too() -> None:
    tokenizer = Fts5Tokenizer()

    (among,) = tokenizer.words_among(["eyed oyed ies aed says"], ["ei", "oi", "ie", "a"])

    assert among == indexed_words("eyed oyed ies aed")
    tokenizer.close()


@pytest.mark.parametrize("text", ["", " ", "—", "caring — cared, CARES…", "“quotes” • bullet 3.14"])
def test_marks_beyond_ascii_only_separate_words(text: str) -> None:
    tokenizer = Fts5Tokenizer()

    assert tokenizer.words_of([text]) == [indexed_words(text)]
    tokenizer.close()


def test_each_sign_of_unicode_separates_words_where_the_index_does() -> None:
    signs = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    texts = [f"a{sign}b" for sign in signs if unicodedata.category(sign)[0] in "PSZ"]
    tokenizer = Fts5Tokenizer()

    words = tokenizer.words_of(texts)

    assert frozenset().union(*words) == indexed_words("\n".join(texts))
    tokenizer.close()


def test_tokens_come_in_the_order_of_the_text_each_as_often_as_it_stands_there() -> None:
    tokenizer = Fts5Tokenizer()

    tokens = tokenizer.tokens_of(["Token_store: the tokens, and a café", "日本 token 日本", ""])

    assert tokens == [
        ["token", "store", "the", "token", "and", "a", "cafe"],
        ["日本", "token", "日本"],
        [],
    ]
    tokenizer.close()

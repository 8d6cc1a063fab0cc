import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.text.keywords import query_terms, search_subwords
from ai_smartness.text.letter_ngrams import MARK, MOST_NGRAMS, is_inflected_text, letter_ngrams
from ai_smartness.text.search_terms import indexed_parts, search_terms
from ai_smartness.text.spellings import other_spellings
from kit.language_facts import ENGLISH, language_facts

FACTS = language_facts()
ENGLISH_TEXTS = [text for fact in FACTS[ENGLISH] for text in fact]
ENGLISH_WORDS = sorted({word for fact in FACTS[ENGLISH] for word in " ".join(fact).split()})
NAMES = ["Müller", "José", "Łukasz", "café", "de", "la", "El", "getUserById", "src/die/war.py"]


def without_mark(text: str) -> list[str]:
    return [ngram.removesuffix(MARK) for ngram in letter_ngrams(text)]


def test_the_words_of_an_inflected_language_are_cut_into_runs_of_four_letters() -> None:
    runs = without_mark("die Rechnungen sind im Tresor")

    assert " ".join(runs) == "rech echn chnu hnun nung unge ngen tres reso esor"


def test_words_in_another_alphabet_are_cut_in_any_text() -> None:
    assert without_mark("the word ключи means keys") == ["ключ", "лючи"]


@pytest.mark.parametrize(
    "code",
    [
        "getUserById",
        "src/auth/schluessel.py",
        "schluessel_id",
        "HTTPS",
        "`gitter`",
        "v2beta",
        "a.gitter",
    ],
)
def test_identifiers_files_and_code_are_not_cut(code: str) -> None:
    assert without_mark(f"wo ist das {code} für die Nacht") == ["nach", "acht"]


def test_a_long_text_has_a_bounded_number_of_runs() -> None:
    words = " ".join(f"{chr(0x430 + n % 32) * 3}{chr(0x430 + n // 32) * 3}" for n in range(1_024))

    assert len(letter_ngrams(words)) == MOST_NGRAMS


@pytest.mark.parametrize("language", ["de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr"])
def test_sentences_in_other_languages_are_told_from_english(language: str) -> None:
    texts = [text for fact in FACTS[language] for text in fact]

    missed = [text for text in texts if not letter_ngrams(text)]

    assert len(missed) <= len(texts) // 5, missed


@pytest.mark.parametrize("text", ENGLISH_TEXTS)
def test_an_english_text_is_indexed_and_searched_by_its_words_alone(text: str) -> None:
    assert indexed_parts(text) == search_subwords(text)
    assert {*search_terms(text)} == {*query_terms(text), *other_spellings(text)}


@given(st.lists(st.sampled_from(ENGLISH_WORDS), min_size=4), st.sampled_from(["", *NAMES]))
def test_no_order_of_english_words_is_another_language(words: list[str], name: str) -> None:
    text = " ".join([*words, name])

    assert not is_inflected_text(text)
    assert indexed_parts(text) == search_subwords(text)
    assert {*search_terms(text)} == {*query_terms(text), *other_spellings(text)}


@given(st.text(), st.text())
def test_any_text_can_be_cut(text: str, more: str) -> None:
    ngrams = letter_ngrams(f"{text} und das ist {more}")

    assert len(ngrams) == len({*ngrams}) <= MOST_NGRAMS

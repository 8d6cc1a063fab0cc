"""Patterns that are tried at few words of a text find what they find when tried everywhere."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.statements.change_words import (
    CHANGE,
    HYPOTHESIS,
    changes_and_supposes,
    given_up_words,
)
from ai_smartness.text.stretches import message_stretches
from ai_smartness.text.word_patterns import WordPatterns
from ai_smartness.text.words import ascii_words

PATTERNS = (
    r"no|don'?t|i'?ll|forbid\w*|at (?:most|least)|(?:(?:to |quick )?recap|in short)",
    r"=|->|is|(?:has|is) not .{1,9} yet|à faire|é\w+",
    r"k|s[aiu]nk|(?:ab)*c|x",
)
WORDS = """no don't dont i'll ILL Forbidden at most least recap to quick in short = -> is has not
    yet à À faire été k \u212a \u017fink sunk SANK abc c x now Instead no longer moved from today on
    might Redis gone out is rid of an idea würde just then back e.g this time replaced by — 改"""
words = st.sampled_from(["\n", *WORDS.split()])
texts = st.lists(
    st.one_of(words, st.text(alphabet="abciknosx \u0130\u0131\u017f'-=>_.", max_size=6))
).map(" ".join)


@given(texts)
def test_what_is_found_is_what_each_pattern_finds_by_itself(text: str) -> None:
    plain = [re.compile(rf"(?<![\w-])(?:{one})(?!\w)", re.IGNORECASE) for one in PATTERNS]

    found = WordPatterns(PATTERNS).found_in(text)

    assert found == [pattern.search(text) is not None for pattern in plain]


@given(texts)
def test_change_and_hypothesis_are_found_together_as_they_are_alone(text: str) -> None:
    alone = (CHANGE.search(text) is not None, HYPOTHESIS.search(text) is not None)

    assert changes_and_supposes(text) == alone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no more Redis, and Celery is gone", {"Redis", "Celery"}),
        ("NOT the staging host. Nothing is out of order", {"staging", "Nothing"}),
        ("больше не Redis", {"Redis"}),
        ("Redis stays", set()),
    ],
)
def test_the_words_that_are_given_up_stand_behind_or_before_its_words(
    text: str, words: set[str]
) -> None:
    assert given_up_words(text) == words


def test_a_pattern_that_may_begin_with_anything_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot begin"):
        WordPatterns([r"\w+ing"])


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_words_of_plain_text_are_its_runs_of_letters_and_digits(text: str) -> None:
    assert ascii_words(text) == re.findall(r"[^\W_]+", text.casefold())


LONG_WORD = "w1" + 60 * "x"  # as long as a stretch that stands alone


@given(st.lists(st.sampled_from([LONG_WORD, *".!?。！\"') \u3000"]), max_size=30).map("".join))  # noqa: RUF001
def test_a_sentence_ends_with_its_sign_and_with_the_space_behind_it(text: str) -> None:
    ends = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)|(?<=[。！？])")  # noqa: RUF001 - full width

    stretches = message_stretches(text, "user")

    sentences = [sentence.strip() for sentence in ends.split(text.strip())]
    assert list(stretches) == [sentence for sentence in sentences if LONG_WORD in sentence]


@pytest.mark.parametrize(
    "text",
    ["ask Dr. Meyer about it", "as approx. ten did", "i.e. the old one", "2. run the migration"],
)
def test_a_short_form_or_the_number_of_an_item_ends_no_sentence(text: str) -> None:
    filled = f"{text} {LONG_WORD}"

    assert message_stretches(filled, "user") == (filled,)


def test_a_sentence_may_end_with_letters_of_a_short_form() -> None:
    stretches = message_stretches(f"{LONG_WORD}approx. {LONG_WORD}", "user")

    assert stretches == (f"{LONG_WORD}approx.", LONG_WORD)

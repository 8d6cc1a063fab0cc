"""A message is split into sentences that can be judged one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.statement import Speaker
from ai_smartness.statements.sentences import last_line, message_sentences


def words_of(text: str, speaker: Speaker = Speaker.USER, before: str = "") -> list[str]:
    return [sentence.words for sentence in message_sentences(text, speaker, before)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Move sessions to Postgres. No more Redis",
            ["Move sessions to Postgres.", "No more Redis"],
        ),
        ("use port 8080. Never 80.", ["use port 8080.", "Never 80."]),
        ("e.g. the staging box is slow", ["e.g. the staging box is slow"]),
        ("Dr. Weber signs off, etc. and so on", ["Dr. Weber signs off, etc. and so on"]),
        ("Abgabe ist am 12. März, nicht früher", ["Abgabe ist am 12. März, nicht früher"]),
        ("1. no ids\n2) use UTC\n- [ ] ship it", ["no ids", "use UTC", "ship it"]),
        ("indent like\n```\nx = 1. y = 2.\n```\nwith tabs", ["indent like", "with tabs"]),
        ("> old quote\nship on Friday", ["ship on Friday"]),
        ("ok, thanks!\n\n---\n# Heading\n| a | b |\ndeploy", ["deploy"]),
        ("本番はTokyoです。ログは残さない。", ["本番はTokyoです。", "ログは残さない。"]),
    ],
)
def test_sentences_and_list_items_stand_alone(text: str, sentences: list[str]) -> None:
    assert words_of(text) == sentences


def test_a_wrapped_line_is_read_as_one_sentence() -> None:
    text = (
        "The deploy job needs the token of the release bot, which stands in the\nvault of the team"
    )

    assert words_of(text) == [text.replace("\n", " ")]


def test_a_diff_and_a_log_are_no_sentences() -> None:
    diff = "staging patch:\ndiff --git a/x b/x\n@@ -1 +1 @@\n-old = 1\n+new = 2"
    log = "\n".join(f"12:00:0{second} worker started" for second in range(6))

    assert words_of(diff) == ["staging patch:"]
    assert words_of(f"staging log\n{log}") == ["staging log"]


def test_a_short_answer_is_shown_with_its_question() -> None:
    question = "Before I start: float or fixed point?"

    (answer,) = message_sentences("Q16.16. soft-float lib costs 6 KB", Speaker.USER, question)

    assert answer.text == f"Q16.16. soft-float lib costs 6 KB (asked: {question})"


def test_a_sentence_that_points_back_carries_the_line_before_it_in_its_vector_only() -> None:
    first, second = message_sentences("Prod deploys from main.\nsame for staging", Speaker.USER)

    assert first.judged_text == first.text
    assert second.text == "same for staging"
    assert second.judged_text == "same for staging (Prod deploys from main.)"


def test_of_a_tool_only_telling_lines_are_read() -> None:
    output = "$ node --version\nv20.11.0\n....\n}\nerror: port 8080 is in use\nplain words here"

    assert words_of(output, Speaker.TOOL) == ["$ node --version", "error: port 8080 is in use"]


def test_the_last_line_is_what_the_next_message_may_answer() -> None:
    assert last_line("Both work. Which one?\n```\ncode\n```") == "Which one?"


@given(st.text(max_size=600), st.sampled_from(Speaker), st.text(max_size=80))
def test_every_sentence_is_one_line_and_not_blank(text: str, speaker: Speaker, before: str) -> None:
    for sentence in message_sentences(text, speaker, before):
        assert sentence.text.strip()
        assert "\n" not in sentence.text

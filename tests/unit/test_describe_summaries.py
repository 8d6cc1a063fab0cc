# ruff: noqa: RUF001 - the examples are in several languages

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.describe.description import Description, thread_description
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.word_weights import Vocabulary

TALK = [
    ThreadLine("Anna", "The nightly backup of the billing database fails. Can you find out why?"),
    ThreadLine("agent", "Let me check.", by_agent=True),
    ThreadLine(
        "agent",
        "The backup fails because pg_dump runs out of disk on /var/backups. "
        "The dump is not compressed, and seven of them are kept.\n\n"
        "```\nNo space left on device\n```",
        by_agent=True,
    ),
    ThreadLine("Anna", "thanks"),
    ThreadLine("Anna", "Then compress each dump with zstd and keep only three of them."),
    ThreadLine(
        "agent", "The backup pipes pg_dump through zstd now, and keeps three dumps.", by_agent=True
    ),
]


def summary_of(*talk: ThreadLine) -> list[tuple[str, str]]:
    lines = thread_description(talk, Vocabulary(threads=1)).summary.splitlines()
    return [
        (speaker, sentence) for speaker, _, sentence in (line.partition(": ") for line in lines)
    ]


def test_a_summary_is_two_to_five_sentences_with_who_said_them() -> None:
    found = summary_of(*TALK)

    assert 2 <= len(found) <= 5
    assert ("Anna", "The nightly backup of the billing database fails.") in found
    assert ("agent", "The backup pipes pg_dump through zstd now, and keeps three dumps.") in found


def test_a_summary_is_in_the_order_things_were_said() -> None:
    whole = "\n".join(line.text for line in TALK)

    places = [whole.index(sentence) for _, sentence in summary_of(*TALK)]

    assert places == sorted(places)


def test_a_sentence_said_twice_is_told_once() -> None:
    found = summary_of(TALK[0], TALK[0], TALK[2])

    assert len(found) == len(set(found))


def test_code_is_not_summed_up() -> None:
    assert not any("No space left" in sentence for _, sentence in summary_of(*TALK))


@pytest.mark.parametrize(
    "text",
    [
        "验证码刷新后图片不显示。请检查登录页面的缓存设置！谢谢。",
        "ログイン画面が遅いです。キャッシュを確認してください。",
        "Резервная копия базы данных не создаётся. Проверь свободное место на диске.",
    ],
)
def test_sentences_of_any_script_are_found(text: str) -> None:
    found = summary_of(ThreadLine("user", text))

    assert len(found) >= 2
    assert all(sentence in text for _, sentence in found)


said = st.text(alphabet=st.sampled_from("abc JWT.!?\n。字, -#*|\u2028\r\x1d`"), max_size=200)


@given(
    st.lists(
        st.builds(ThreadLine, st.sampled_from(["Anna", "agent"]), said, st.booleans()), max_size=6
    )
)
def test_every_sentence_of_a_summary_was_said_by_the_one_it_names(talk: list[ThreadLine]) -> None:
    for speaker, sentence in summary_of(*talk):
        assert any(line.speaker == speaker and sentence in line.text for line in talk)


def topics_of(*texts: str) -> tuple[str, ...]:
    found: Description = thread_description(
        [ThreadLine("user", text) for text in texts], Vocabulary(threads=1)
    )
    return found.topics


def test_topics_are_the_names_and_the_phrases_that_come_back() -> None:
    topics = topics_of(
        "the refresh token is lost when verifyToken() throws",
        "store the refresh token before verifyToken() runs",
    )

    assert "refresh token" in topics
    assert "verifyToken()" in topics


def test_topics_of_chinese_are_whole_words() -> None:
    topics = topics_of("验证码刷新失败", "请检查验证码刷新的缓存", "缓存和验证码刷新都有问题")

    assert "验证码刷新" in topics
    assert "缓存" in topics
    assert not any(topic in "证码刷新" for topic in topics)


def test_a_word_and_its_plural_are_one_topic() -> None:
    topics = topics_of("the webhook is retried", "webhooks are signed", "sign each webhook")

    assert sum(topic.startswith("webhook") for topic in topics) == 1


def test_numbers_hashes_and_small_words_are_nobodys_topics() -> None:
    topics = topics_of("commit 9fceb02d0ae598e95dc970b74767f19372d61af8 is on 42 machines")

    assert topics == ("machines",)

# ruff: noqa: RUF001 - the examples are in several languages
"""When a thread is described, its summary and topics, and what its tools' records say."""

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.describe.description import (
    Description,
    ThreadDescriber,
    subject_text,
    thread_description,
)
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.word_weights import Vocabulary
from ai_smartness.model.event import EventType
from builders import a_thread, an_event

IN_A_PROCESS = """
from ai_smartness.describe.description import ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine
describer, titles = ThreadDescriber(), {}
for number in range(60):
    thread = f"t{number % 7}"
    text = f"fix the cache of page{number % 5} in src/p{number % 7}.py. Слово 缓存刷新问题"
    if describer.add(thread, ThreadLine("user", text, by_agent=number % 3 == 0)):
        found = describer.description_of(thread, titles.get(thread, ""), set(titles.values()))
        titles[thread] = found.title
        print(ascii(found))
"""


def test_a_thread_is_due_at_its_first_messages_and_then_at_every_two_fifths_more() -> None:
    describer = ThreadDescriber()

    due = [n for n in range(1, 200) if describer.add("t", ThreadLine("user", "rotate the keys"))]

    assert due == [1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 79, 111, 156]
    assert all(after >= before * 1.4 for before, after in pairwise(due[2:]))


def test_a_describer_counts_its_threads() -> None:
    describer = ThreadDescriber()
    assert len(describer) == 0

    for thread in ("a", "b", "a"):
        describer.add(thread, ThreadLine("user", "rotate the keys"))

    assert len(describer) == 2


def test_a_thread_never_heard_of_has_nothing_to_say() -> None:
    found = ThreadDescriber().description_of("t1")

    assert (found.title, found.topics, found.summary) == ("untitled", (), "")


def test_the_beginning_and_the_latest_messages_of_a_long_thread_are_remembered() -> None:
    describer = ThreadDescriber()
    for number in range(200):
        describer.add(
            "t", ThreadLine("user", f"Consider item{number}a together with item{number}b please.")
        )

    summary = describer.description_of("t").summary

    assert "item0a" in summary
    assert any(f"item{number}a" in summary for number in range(160, 200))
    assert not any(f"item{number}a" in summary for number in range(40, 160))


def test_only_the_beginning_of_a_long_message_is_remembered() -> None:
    describer = ThreadDescriber()
    describer.add(
        "t", ThreadLine("user", "Rotate the signing keys now. " * 70 + "Never mention giraffes.")
    )

    assert "giraffes" not in describer.description_of("t").summary


messages = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(
            ["rotate the JWT keys", "fix the PDF font", "thanks", "", "src/app.py 缓存"]
        ),
    ),
    min_size=1,
    max_size=30,
)


@given(messages)
def test_asking_for_descriptions_does_not_change_later_ones(told: list[tuple[str, str]]) -> None:
    asked, silent = ThreadDescriber(), ThreadDescriber()
    for thread, text in told:
        line = ThreadLine("user", text)
        assert asked.add(thread, line) == silent.add(thread, line)
        asked.description_of(thread)

    for thread, _ in told:
        assert asked.description_of(thread) == silent.description_of(thread)


def test_nothing_depends_on_the_hash_seed() -> None:
    def output(seed: str) -> bytes:
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        return subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS], env=env, check=True, capture_output=True
        ).stdout

    first = output("1")

    assert first.count(b"Description(") > 20
    assert first == output("2")


def test_a_thread_that_is_left_out_again_was_never_there() -> None:
    plain, other = ThreadDescriber(), ThreadDescriber()
    for describer in (plain, other):
        describer.add("a", ThreadLine("user", "rotate the login token every fifteen minutes"))
    other.add("b", ThreadLine("user", "rotate the tomatoes, and the token of the greenhouse"))
    other.add("b", ThreadLine("user", "water the tomatoes"))

    other.forget("b")
    other.forget("unknown")

    assert len(other) == 1
    assert other.description_of("a") == plain.description_of("a")
    for describer in (plain, other):
        describer.add("c", ThreadLine("user", "tomatoes and the greenhouse"))
    assert other.description_of("c") == plain.description_of("c")


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


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("$ python -m pytest\n[exit code 1]\n[… 12 lines …]\nKeyError: 'a'", "KeyError: 'a'"),
        ("Edited src/auth/token.py\n@@ -1,2 +1,3 @@\n-ttl = 900\n+ttl = 1800",
         "src/auth/token.py\n\nttl = 900\nttl = 1800"),
        ("$ python manage.py migrate\n[exit code 0]", "manage.py migrate"),
        ("Read docs/rounding.md", "docs/rounding.md"),
    ],
)  # fmt: skip
def test_the_words_of_our_records_are_left_out(text: str, subject: str) -> None:
    event = an_event("e", a_thread(), text)

    assert subject_text(replace(event, type=EventType.TOOL_RESULT)) == subject
    assert subject_text(event) == text

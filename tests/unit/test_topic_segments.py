from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.text.keywords import extract_keywords
from ai_smartness.threads.split_proposal import SegmentMessage, topic_segments
from builders import a_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNRELATED = 0.0

LOGIN = [
    "The login page rejects every password since the session cookie changed.",
    "The session cookie is set for the wrong domain, so the login forgets the password.",
    "Set the cookie for the login domain and keep the session an hour.",
    "Done: the login sets the session cookie for its own domain.",
    "Does the login test cover a session whose cookie is too old?",
    "It does now: an old session cookie sends one back to the login page.",
]
CHARTS = [
    "Draw the sales chart with bars for each month.",
    "The sales chart has bars now, one for each month of the year.",
    "Colour the bars of the chart by region and sort the months.",
    "The months are sorted and the bars take the colour of their region.",
    "Put a legend with the regions below the chart.",
    "The chart has a legend of the regions below its bars.",
]
GERMAN = (
    [
        "Die Anmeldung verweigert jedes Kennwort seit gestern.",
        "Das Kennwort der Anmeldung läuft nach einer Stunde ab.",
        "Dann soll die Anmeldung das Kennwort einen Tag behalten.",
        "Die Anmeldung behält das Kennwort jetzt einen Tag.",
        "Prüft ein Test die Anmeldung mit altem Kennwort?",
        "Ja, ein altes Kennwort führt zurück zur Anmeldung.",
    ],
    [
        "Zeichne ein Diagramm der Umsätze je Monat.",
        "Das Diagramm zeigt die Umsätze jetzt je Monat.",
        "Färbe im Diagramm die Umsätze nach Region.",
        "Die Umsätze im Diagramm sind nach Region gefärbt.",
        "Setze eine Legende der Regionen unter das Diagramm.",
        "Das Diagramm der Umsätze hat eine Legende.",
    ],
)
CHINESE = (
    [
        "登录页面拒绝所有密码",
        "登录密码的会话过期了",
        "让登录会话保留密码一天",
        "登录会话现在保留密码",
    ],
    [
        "画一张每月销售额图表",
        "销售额图表已经按月显示",
        "图表按地区给销售额上色",
        "销售额图表按地区上色了",
    ],
)
RUSSIAN = (
    [
        "Страница входа отвергает каждый пароль",
        "Пароль для входа устаревает через час",
        "Пусть вход хранит пароль целый день",
        "Теперь вход хранит пароль целый день",
    ],
    [
        "Нарисуй график продаж по месяцам",
        "График показывает продажи по месяцам",
        "Раскрась график продаж по регионам",
        "График продаж раскрашен по регионам",
    ],
)


def spoken(texts: Sequence[str]) -> list[SegmentMessage]:
    return [SegmentMessage([*extract_keywords(text)]) for text in texts]


def wordless(messages: int) -> list[SegmentMessage]:
    return [SegmentMessage([]) for _ in range(messages)]


def about(*subjects: int) -> "list[NDArray[np.float32] | None]":
    """Return a vector a message: close for the same subject, far for another."""
    vectors: list[NDArray[np.float32] | None] = []
    for number, subject in enumerate(subjects):
        vector = a_vector(subject, 64) + 0.4 * a_vector(1_000 + number, 64)
        vectors.append((vector / np.linalg.norm(vector)).astype(np.float32))
    return vectors


def starts(
    messages: Sequence[SegmentMessage], vectors: "Sequence[NDArray[np.float32] | None]" = ()
) -> list[int]:
    return [each.start for each in topic_segments(messages, vectors, UNRELATED)]


def test_a_clear_change_of_subject_is_found_by_words_alone() -> None:
    assert starts(spoken(LOGIN + CHARTS)) == [0, 6]


def test_a_clear_change_of_subject_is_found_by_meaning_alone() -> None:
    assert starts(wordless(16), about(*[1] * 6, *[2] * 6, *[3] * 4)) == [0, 6, 12]


def test_meaning_and_words_together_find_it_too() -> None:
    assert starts(spoken(LOGIN + CHARTS), about(*[1] * 6, *[2] * 6)) == [0, 6]


@pytest.mark.parametrize("texts", [LOGIN, CHARTS])
def test_a_single_subject_stays_whole(texts: list[str]) -> None:
    assert starts(spoken(texts)) == [0]
    assert starts(spoken(texts), about(*[1] * 6)) == [0]


@pytest.mark.parametrize(
    ("one", "other"), [GERMAN, CHINESE, RUSSIAN], ids=["German", "Chinese", "Russian"]
)
def test_a_change_is_found_in_other_languages(one: list[str], other: list[str]) -> None:
    assert starts(spoken(one + other)) == [0, len(one)]


def test_one_odd_line_is_no_change_of_subject() -> None:
    texts = [*LOGIN[:3], "By the way, lunch is at the new noodle bar today.", *LOGIN[3:]]

    assert starts(spoken(texts)) == [0]
    assert starts(spoken(texts), about(1, 1, 1, 2, 1, 1, 1)) == [0]


def test_an_answer_that_says_nothing_of_its_own_makes_no_subject() -> None:
    texts = [*LOGIN, "ok", *CHARTS[:5], "ok", CHARTS[5]]

    assert len(starts(spoken(texts))) == 2


def test_what_is_said_over_and_over_is_one_subject() -> None:
    texts = ["All 412 tests passed in 3.1 seconds."] * 400

    assert starts(spoken(texts)) == [0]
    assert starts(spoken(texts), [a_vector(1)] * 400) == [0]


def test_an_agents_long_work_on_one_request_is_not_cut_where_two_requests_would_be() -> None:
    asked = spoken(LOGIN + CHARTS)
    done = [SegmentMessage(each.words, by_person=number == 0) for number, each in enumerate(asked)]

    assert starts(asked) == [0, 6]
    assert starts(done) == [0]


def test_a_message_without_a_vector_goes_by_its_words() -> None:
    vectors = about(*[1] * 6, *[2] * 6)
    vectors[3] = None
    vectors[9] = np.zeros(64, np.float32)

    assert starts(spoken(LOGIN + CHARTS), vectors) == [0, 6]


def test_a_vector_that_is_no_number_counts_as_none() -> None:
    broken = np.full(64, np.nan, np.float32)

    assert starts(spoken(LOGIN + CHARTS), [broken] * 12) == starts(spoken(LOGIN + CHARTS))


def test_messages_of_which_nothing_is_known_stay_together() -> None:
    assert starts(wordless(30)) == [0]
    assert starts(wordless(30), [np.zeros(8, np.float32)] * 30) == [0]


def test_no_messages_have_no_subject_and_one_has_one() -> None:
    assert topic_segments([], [], UNRELATED) == []
    assert topic_segments(spoken(LOGIN[:1]), [], UNRELATED) == [range(1)]


conversations = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 4)),
        st.lists(st.sampled_from("abcdefgh"), max_size=4),
        st.booleans(),
        st.booleans(),
    ),
    max_size=60,
)
Conversation = list[tuple[int | None, list[str], bool, bool]]


def taken_apart(
    conversation: Conversation,
) -> "tuple[list[SegmentMessage], list[NDArray[np.float32] | None]]":
    said = [SegmentMessage(words, person, goes_on) for _, words, person, goes_on in conversation]
    vectors = [None if subject is None else a_vector(subject) for subject, *_ in conversation]
    return said, vectors


@given(conversations)
def test_the_stretches_are_all_the_messages_in_order_and_none_is_a_single_one(
    conversation: Conversation,
) -> None:
    said, vectors = taken_apart(conversation)

    for known in (vectors, []):
        found = topic_segments(said, known, UNRELATED)

        assert [*chain.from_iterable(found)] == [*range(len(said))]
        assert len(found) <= 1 or min(map(len, found)) >= 2


@given(conversations)
def test_nothing_that_goes_on_begins_a_subject(conversation: Conversation) -> None:
    said, vectors = taken_apart(conversation)

    assert not any(said[start].goes_on for start in starts(said, vectors)[1:])


@given(conversations)
def test_the_same_messages_are_always_cut_alike(conversation: Conversation) -> None:
    said, vectors = taken_apart(conversation)

    assert topic_segments(said, vectors, UNRELATED) == topic_segments(said, vectors, UNRELATED)


@given(conversations)
def test_vectors_that_are_all_missing_are_no_vectors(conversation: Conversation) -> None:
    said, _ = taken_apart(conversation)

    assert starts(said, [None] * len(said)) == starts(said)

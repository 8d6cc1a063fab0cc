"""How much what is in focus adds to a thread."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.entrypoints.hooks.offline_search import focus_boost as boost_by_the_hook
from ai_smartness.model.focus import Focus, folded_topic
from ai_smartness.model.thread import Thread
from ai_smartness.threads.focus import MOST_BOOST, focus_boost, is_focused
from builders import NOON, a_thread


def a_focus(topic: str, weight: float = 1.0) -> Focus:
    return Focus(topic=topic, weight=weight, set_at=NOON)


def about(*topics: str, title: str = "Untold", id_: str = "thread_1") -> Thread:
    return replace(a_thread(id_), topics=topics, title=title)


@pytest.mark.parametrize(
    ("thread", "topic", "boost"),
    [
        (about("solana"), "solana", 0.3),
        (about(id_="thread_20260201"), "thread_20260201", 0.5),
        (about(title="Solana validators"), "solana", 0.2),
        (about("solana", title="Solana validators"), "solana", 0.5),
        (about("rust"), "solana", 0.0),
    ],
)
def test_the_boost_is_that_of_the_source_document(thread: Thread, topic: str, boost: float) -> None:
    assert focus_boost(thread, [a_focus(topic)]) == pytest.approx(boost)
    assert focus_boost(thread, [a_focus(topic, 0.5)]) == pytest.approx(boost / 2)


@pytest.mark.parametrize(
    ("topic", "focus"),
    [
        ("Authentication", "authentication"),
        ("user authentication", "AUTHENTICATION"),
        ("user_authentication", "authentication"),
        ("src/auth/token.py", "auth"),
        ("token  refresh", " Token Refresh "),
        ("Straße", "STRASSE"),
        ("用户认证流程", "认证"),
        ("cafe\u0301", "café"),
    ],
)
def test_a_topic_is_matched_whatever_its_case_and_as_a_whole_word(topic: str, focus: str) -> None:
    assert focus_boost(about(topic), [a_focus(focus)]) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("topic", "focus"), [("author", "auth"), ("reauth", "auth"), ("v16", "v1"), ("", "auth")]
)
def test_a_part_of_a_word_is_not_the_topic(topic: str, focus: str) -> None:
    assert focus_boost(about(topic), [a_focus(focus)]) == 0.0


def test_several_foci_add_up_to_the_most_there_is() -> None:
    thread = about("solana", "rust")

    assert focus_boost(thread, [a_focus("rust", 0.5), a_focus("solana", 0.5)]) == pytest.approx(0.3)
    assert focus_boost(thread, [a_focus("rust"), a_focus("solana")]) == MOST_BOOST


def test_only_the_id_puts_the_thread_itself_in_focus() -> None:
    thread = about("solana", title="Solana")

    assert is_focused(thread, [a_focus(thread.id)])
    assert not is_focused(thread, [a_focus("solana"), a_focus("thread_2")])
    assert not is_focused(thread, [a_focus(thread.id, 0.0)])


words = st.text(max_size=12)
foci = st.lists(st.builds(a_focus, words, st.floats(0, 1)), max_size=6)
threads = st.builds(lambda topics, title: about(*topics, title=title), st.lists(words), words)


@given(threads, foci)
def test_the_boost_is_never_negative_and_never_over_the_most(
    thread: Thread, several: list[Focus]
) -> None:
    assert 0.0 <= focus_boost(thread, several) <= MOST_BOOST


@given(threads, foci, st.builds(a_focus, words, st.floats(0, 1)))
def test_one_more_focus_never_lowers_a_thread(
    thread: Thread, several: list[Focus], more: Focus
) -> None:
    assert focus_boost(thread, [*several, more]) >= focus_boost(thread, several) - 1e-12


@given(words)
def test_to_fold_words_twice_is_to_fold_them_once(text: str) -> None:
    assert folded_topic(folded_topic(text)) == folded_topic(text)


plain = st.text("ab é/_", min_size=1, max_size=6).filter(str.strip)


@given(st.lists(plain, max_size=3), plain, st.lists(st.tuples(plain, st.floats(0, 1)), max_size=4))
def test_the_hook_measures_alike_without_a_daemon(
    topics: list[str], title: str, several: list[tuple[str, float]]
) -> None:
    thread = about(*topics, title=title)
    written_down = json.dumps(topics, ensure_ascii=False, separators=(",", ":"))
    read = [(folded_topic(topic), weight) for topic, weight in several]

    by_the_hook = boost_by_the_hook(thread.id, title, written_down, read)

    tidy = about(*(" ".join(topic.split()) for topic in topics), title=" ".join(title.split()))
    if (tidy.topics, tidy.title) == (thread.topics, thread.title):
        foci = [a_focus(topic, weight) for topic, weight in several]
        assert by_the_hook == pytest.approx(focus_boost(thread, foci))

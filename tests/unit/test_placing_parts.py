"""What placing is made of: its words, its state, its answers, its promises to the machine."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.capture.assign import AssignmentState, IncomingMessage, incoming_message
from ai_smartness.model.annotation import RecordedPlacement
from ai_smartness.text.keywords import message_terms, word_count
from builders import a_thread, a_vector, an_event

PLACED = """
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ai_smartness.capture.assign import (
    AssignmentState, AssignWeights, decide_placement, incoming_message, record_placement
)
from ai_smartness.model.event import Event, EventType

words = "login token expiry invoice rate subtotal theme editor kernel sound driver".split()
state, at = AssignmentState(), datetime(2026, 1, 1, tzinfo=UTC)
for n in range(150):
    said = " ".join(words[(n // 9 * 3 + n * k) % 11] + str(n // 20) * (k % 2) for k in range(1, 16))
    event = Event(
        id=str(n), project="p", thread_id="", session=[None, "s1", "s2"][n % 3], role="user",
        type=EventType.USER_MESSAGE, text=said, source="user", at=at + timedelta(minutes=n),
    )
    if n % 4 == 3:
        event = replace(event, role=["ann", "bob", "assistant"][n % 5 % 3])
    message = incoming_message(event, None, state.known_names(event.session))
    decided = decide_placement(message, state, AssignWeights())
    print(record_placement(state, message, decided, f"t{n}"), decided)
print("numpy" in sys.modules)
"""


def placed_in_a_process_of_its_own(seed: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PLACED],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()


def test_the_same_messages_get_the_same_threads_and_numbers_in_every_process() -> None:
    one, other = (placed_in_a_process_of_its_own(seed) for seed in ("1", "2"))

    assert one == other
    assert len({line.split()[0] for line in one}) > 3


def test_placing_without_an_embedder_does_not_load_numpy() -> None:
    assert placed_in_a_process_of_its_own("0")[-1] == "False"


@pytest.mark.parametrize(
    ("text", "some"),
    [
        ("see src/auth/middleware.py.", {"src/auth/middleware.py", "auth", "middleware"}),
        ("call getUserById twice", {"getuserbyid", "user", "twice"}),
        ("Fixes #4521", {"fixes", "#4521"}),
        ("l'authentification d’accès", {"authentification", "accès"}),  # noqa: RUF001
        ("Ошибка авторизации", {"ошибка", "авторизации"}),
        ("die Größe", {"die", "grösse"}),
        ("数据库连接", {"数据", "据库", "库连", "连接"}),
        ("好", {"好"}),
    ],
)
def test_wholes_parts_and_pairs_are_terms(text: str, some: set[str]) -> None:
    assert some <= set(message_terms(text))


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("yes, do it", 3), ("👍", 0), ("请检查数据库连接", 5)],
)
def test_words_are_counted_also_where_no_space_is_between_them(text: str, count: int) -> None:
    assert word_count(text) == count


@given(st.text())
def test_any_text_has_terms_each_once_and_none_empty(text: str) -> None:
    found = message_terms(text)

    assert len(set(found)) == len(found)
    assert all(found)


@pytest.mark.parametrize(
    ("role", "speaker", "by_agent"),
    [
        ("user", None, False),
        ("Assistant", None, True),
        ("agent", None, True),
        ("model", None, True),
        ("tool", None, True),
        ("system", None, True),
        ("Yohannes", "yohannes", False),
    ],
)
def test_a_role_is_a_plain_one_or_a_name(role: str, speaker: str | None, *, by_agent: bool) -> None:
    message = said_by(role, "words")

    assert (message.speaker, message.by_agent) == (speaker, by_agent)


@pytest.mark.parametrize(
    ("text", "addressed"),
    [
        ("yohannes, why not WinRAR?", ("yohannes",)),
        ("Will: which one?", ("will",)),
        ("I think @will knows", ("will",)),
        ("it will work", ()),
        ("that is what Yohannes said", ("yohannes",)),
        ("ann and nobody else", ()),
        ("", ()),
    ],
)
def test_whom_a_message_speaks_to_is_read_from_the_known_names(
    text: str,
    addressed: tuple[str, ...],
) -> None:
    assert said_by("ann", text, ("ann", "will", "yohannes")).addressed == addressed


def test_a_state_knows_who_spoke_in_which_session() -> None:
    state = AssignmentState()
    state.add_message(said_by("Ann", "hello"), "t1")

    assert list(state.known_names("s1")) == ["ann"]
    assert list(state.known_names("s2")) == []


def test_a_state_finds_threads_by_rare_words_and_by_meaning() -> None:
    state = AssignmentState()
    for number in range(1200):
        text = f"the word{number} of it"
        state.add_message(said_by("user", text, vector_of=number), f"t{number}")

    by_words = state.threads_by_words(state.term_weights(("the", "word900", "it")), 3)

    assert by_words == ["t900"]
    assert state.threads_by_vector(a_vector(900), 2)[0] == "t900"


def test_what_was_held_counts_once_it_is_settled() -> None:
    state = AssignmentState()
    state.add_message(said_by("user", "the login page"), "t1")
    state.hold_message(said_by("user", "invoices for Norway"), "t1")
    assert state.message_count == 1

    state.settle_held("s1", "t2")

    assert state.message_count == 2
    assert "invoices" in state.threads["t2"].terms
    assert state.session_state("s1").held_messages == []


def test_a_thread_has_heard_the_words_of_its_last_messages_only() -> None:
    state = AssignmentState()
    state.add_message(said_by("user", "the login page"), "t1")
    for number in range(12):
        state.add_message(said_by("user", f"the invoice {number}"), "t1")

    thread = state.threads["t1"]

    assert "login" in thread.terms
    assert "login" not in thread.recent_terms
    assert thread.recent_terms["the"] == 12


def test_a_message_can_be_held_on_a_thread_the_state_does_not_know() -> None:
    state = AssignmentState()

    state.hold_message(said_by("user", "words"), "t_old")

    assert state.session_state("s1").current_thread == "t_old"
    assert "t_old" in state.threads


def test_a_placement_says_its_reason_and_its_numbers() -> None:
    grounds = (("last", 1.24), ("shared", 0.8), ("gap", -0.31), ("cover", 0.01))
    placement = RecordedPlacement("continues", 2.1, 1.4, grounds)

    assert placement.explanation() == (
        "continues the session's thread (score 2.1, 1.4 over a new one): "
        "like the last message +1.2, shared rare words +0.8, time since −0.3"  # noqa: RUF001
    )
    assert RecordedPlacement("opens", 0.0, 0.0).explanation() == "opens a thread"
    assert "held until" in RecordedPlacement("continues", 0.0, 0.0, held=True).explanation()


def said_by(
    role: str,
    text: str,
    names: tuple[str, ...] = (),
    *,
    vector_of: int | None = None,
) -> IncomingMessage:
    event = replace(an_event("m1", a_thread(), text), role=role)
    return incoming_message(event, None if vector_of is None else a_vector(vector_of), names)

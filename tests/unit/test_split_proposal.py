from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.event import Event, EventType
from ai_smartness.model.split import SplitPart
from ai_smartness.threads.split_proposal import MOST_GROUPS, proposed_parts
from ai_smartness.threads.subject_change import announces_subject
from builders import a_thread, a_vector, an_event

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
SHIPS = [
    "Book a ferry to Gothenburg with a cabin for the captain.",
    "The ferry to Gothenburg has one cabin left, next to the captain.",
    "Then take the cabin on the ferry and tell the captain.",
    "The captain knows, the cabin on the Gothenburg ferry is ours.",
]
CALL, RESULT = EventType.TOOL_CALL, EventType.TOOL_RESULT


def a_talk(*texts: str) -> list[Event]:
    return [an_event(f"m{n}", a_thread(), text, minute=n) for n, text in enumerate(texts)]


def split(events: Sequence[Event], taken: Sequence[str] = ()) -> tuple[SplitPart, ...]:
    return proposed_parts(events, [], UNRELATED, taken)


def about(*subjects: int) -> "list[NDArray[np.float32]]":
    """Return a vector a message: close for the same subject, far for another."""
    return [
        a_vector(subject, 64) + np.float32(0.4) * a_vector(1_000 + number, 64)
        for number, subject in enumerate(subjects)
    ]


def ids(*numbers: int) -> tuple[str, ...]:
    return tuple(f"m{number}" for number in numbers)


def test_what_the_thread_is_less_about_is_proposed_to_leave_it() -> None:
    (group,) = split(a_talk(*LOGIN, *CHARTS[:4]))

    assert group.messages == ids(6, 7, 8, 9)
    assert "chart" in group.title.casefold()


def test_the_subject_that_stays_need_not_be_the_first() -> None:
    (group,) = split(a_talk(*CHARTS[:4], *LOGIN))

    assert group.messages == ids(0, 1, 2, 3)


def test_several_groups_are_in_the_order_in_which_they_begin() -> None:
    charts, ships = split(a_talk(*CHARTS[:4], *LOGIN, *SHIPS))

    assert charts.messages == ids(0, 1, 2, 3)
    assert ships.messages == ids(10, 11, 12, 13)
    assert charts.title != ships.title


def test_a_subject_that_comes_back_is_one_group() -> None:
    vectors = about(*[1] * 6, *[2] * 6, *[1] * 6)

    (group,) = proposed_parts(a_talk(*LOGIN, *CHARTS, *LOGIN[::-1]), vectors, UNRELATED)

    assert group.messages == ids(6, 7, 8, 9, 10, 11)


def test_a_subject_that_leaves_takes_along_what_was_said_when_it_came_back() -> None:
    (group,) = split(a_talk(*CHARTS[:4], *LOGIN, *LOGIN, *CHARTS[:4]))

    assert group.messages == ids(0, 1, 2, 3, 16, 17, 18, 19)


def test_a_thread_about_one_subject_has_no_proposal() -> None:
    assert split(a_talk(*LOGIN)) == ()


def test_a_thread_of_a_few_messages_has_no_proposal() -> None:
    assert split(a_talk(LOGIN[0], CHARTS[0], SHIPS[0])) == ()
    assert split([]) == ()


def test_subjects_are_told_apart_by_their_vectors_where_words_do_not_tell() -> None:
    vectors = about(*[1] * 6, *[2] * 4)

    (group,) = proposed_parts(a_talk(*["…"] * 10), vectors, UNRELATED)

    assert group.messages == ids(6, 7, 8, 9)
    assert group.title


def test_a_call_stays_with_its_result_even_if_they_seem_to_be_about_two_things() -> None:
    events = a_talk(*LOGIN, *LOGIN, *CHARTS, *CHARTS)
    events[11] = replace(events[11], type=CALL)
    events[13] = replace(events[13], type=RESULT)

    groups = proposed_parts(events, about(*[1] * 12, *[2] * 12), UNRELATED)

    for group in groups:
        assert len({"m11", "m12", "m13"} & set(group.messages)) in (0, 3)


def test_a_call_that_never_had_a_result_binds_nothing() -> None:
    events = a_talk(*LOGIN, *CHARTS)
    events[5] = replace(events[5], type=CALL)

    assert split(events) == split(a_talk(*LOGIN, *CHARTS))


def test_a_title_that_is_taken_is_not_suggested() -> None:
    (first,) = split(a_talk(*LOGIN, *CHARTS))

    (other,) = split(a_talk(*LOGIN, *CHARTS), taken=[first.title])

    assert other.title not in ("", first.title)
    assert other.messages == first.messages


def test_of_many_subjects_the_largest_are_proposed() -> None:
    sizes = [4, 5, 6, 7, 8, 9, 10, 11, 12]
    vectors = about(*(subject for subject, size in enumerate(sizes) for _ in range(size)))

    groups = proposed_parts(a_talk(*["…"] * sum(sizes)), vectors, UNRELATED)

    assert [len(group.messages) for group in groups] == [6, 7, 8, 9, 10, 11]


talks = st.lists(
    st.tuples(
        st.sampled_from([*LOGIN, *CHARTS, *SHIPS, "ok", ""]),
        st.sampled_from([EventType.USER_MESSAGE, EventType.AGENT_MESSAGE, CALL, RESULT]),
        st.one_of(st.none(), st.integers(0, 3)),
    ),
    max_size=40,
)
Talk = list[tuple[str, EventType, int | None]]


def groups_of(talk: Talk) -> tuple[list[Event], tuple[SplitPart, ...]]:
    events = [
        replace(event, type=type_)
        for event, (_, type_, _) in zip(a_talk(*(text for text, *_ in talk)), talk, strict=True)
    ]
    vectors = [None if subject is None else a_vector(subject, 32) for *_, subject in talk]
    return events, proposed_parts(events, vectors, UNRELATED)


@given(talks)
def test_no_message_leaves_twice_and_some_always_stay(talk: Talk) -> None:
    events, groups = groups_of(talk)

    leaving = [message for group in groups for message in group.messages]
    assert len(set(leaving)) == len(leaving)
    assert set(leaving) <= {event.id for event in events}
    assert len(leaving) < len(events) or not events
    assert len(groups) <= MOST_GROUPS


@given(talks)
def test_every_group_has_a_title_of_its_own(talk: Talk) -> None:
    _, groups = groups_of(talk)

    titles = {group.title.strip() for group in groups}
    assert len(titles) == len(groups)
    assert "" not in titles


@given(talks)
def test_a_result_is_where_the_call_before_it_is(talk: Talk) -> None:
    events, groups = groups_of(talk)

    home = {message: number for number, group in enumerate(groups) for message in group.messages}
    for one, other in pairwise(events):
        if (one.type, other.type) == (CALL, RESULT):
            assert home.get(one.id) == home.get(other.id)


@given(talks)
def test_the_same_thread_always_gets_the_same_proposal(talk: Talk) -> None:
    assert groups_of(talk) == groups_of(talk)


def test_a_long_thread_on_one_subject_is_left_alone() -> None:
    texts = [LOGIN[n] for n in np.random.default_rng(1).integers(0, len(LOGIN), 1_000)]

    assert proposed_parts(a_talk(*texts), about(*[1] * 1_000), UNRELATED) == ()
    assert split(a_talk(*texts)) == ()


HOOKS_TO_SOLANA = (
    "Travaillons sur les hooks...",
    "Je vais implémenter...",
    "Passons à Solana maintenant...",
    "Pour Solana, il faut...",
)
HOOKS_TO_VALIDATORS = (
    "Let's work on the hooks.",
    "I will implement the PreToolUse hook first.",
    "It has to fail silently.",
    "OK, it always exits with code 0.",
    "Great, let's move on to Solana now.",
    "For Solana we need a validator on devnet.",
    "Which port?",
    "It listens on 8899.",
)
API_TO_SCHEMA = (
    "Let's design the API: one resource per invoice, one per customer.",
    "I sketched GET /invoices and GET /customers.",
    "How do we version it?",
    "By a header; the old version stays for a year.",
    "Now the database schema: what tables do we need?",
    "orders, payments and customers, with foreign keys.",
    "Index orders by date.",
    "Added an index on orders.created_at.",
)


@pytest.mark.parametrize("texts", [HOOKS_TO_SOLANA, HOOKS_TO_VALIDATORS, API_TO_SCHEMA])
def test_a_change_of_subject_that_somebody_announces_is_proposed(texts: tuple[str, ...]) -> None:
    thread = a_thread()
    events = [
        replace(
            an_event(f"m{n}", thread, text),
            role="assistant" if n % 2 else "user",
            type=EventType.AGENT_MESSAGE if n % 2 else EventType.USER_MESSAGE,
        )
        for n, text in enumerate(texts)
    ]

    (part,) = proposed_parts(events, [], 0.0)

    half = len(texts) // 2
    assert part.messages == tuple(f"m{n}" for n in range(half, len(texts)))


@pytest.mark.parametrize(
    "text",
    [
        "Now let's move on to Solana",
        "OK, moving on: the invoices",
        "next topic: the invoices",
        "Let\u2019s talk about the invoices",
        "Kommen wir zu den Rechnungen",
        "Pasemos a las facturas",
    ],
)
def test_phrases_that_announce_a_subject_are_known(text: str) -> None:
    assert announces_subject(text)


@pytest.mark.parametrize(
    "text",
    ["let's switch to pnpm", "move sessions to Postgres", "now it works", "the next thing fails"],
)
def test_phrases_that_announce_nothing_are_known(text: str) -> None:
    assert not announces_subject(text)

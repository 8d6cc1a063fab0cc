"""What a later statement may have superseded is shown with it, newest first, with both dates."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.memory import Memory
from ai_smartness.ports import Embedder
from ai_smartness.statements.judge import SentenceJudge
from ai_smartness.testing import SetClock
from builders import NOON, a_memory, a_statement, said

QUESTION = "where do the sessions of users live?"
OLD = "the sessions of users live in Redis"
NEW = "accounts get theirs kept in Postgres"
LIKELY, UNLIKELY = 0.3, 0.05
OTHERS = (
    "Prices are stored as integer cents.",
    "Never push to main, always open a pull request.",
    "The search index is rebuilt every night at two.",
    "The staging server is called heron and runs Debian 12.",
    "Run the linter with `make lint` before every commit.",
)
SENTENCES = tuple(f"the sessions of users live in store {name}" for name in "abcdef")


def a_memory_in_doubt(
    texts: tuple[str, ...], doubts: dict[tuple[int, int], float], days: int = 3
) -> Memory:
    """Keep sentences, some days apart, of which a later one may have superseded an earlier one."""
    clock = SetClock(NOON)
    memory = a_memory(clock=clock, embedder=lambda: None)
    for number, text in enumerate(texts):
        minute = number * days * 24 * 60
        memory.capture(said(text, id_=f"m{number}", session=f"s{number}", minute=minute))
        clock.advance(days=days)
    store = memory._store  # noqa: SLF001 - as if the doubts had been found
    events = [store.events.get("demo", f"m{number}") for number in range(len(texts))]
    statements = [a_statement(event) for event in events]
    store.statements.clear("demo")
    store.statements.save("demo", SentenceJudge(None).name, statements, events[-1].seq)
    store.statements.save_doubts(
        "demo",
        [(statements[old].id, statements[new].id, chance) for (old, new), chance in doubts.items()],
    )
    return memory


def quoted(memory: Memory) -> list[str]:
    text = memory.recall(QUESTION).text
    lines = (re.sub(r" \([0-9a-f]{6}\)$", "", line) for line in text.splitlines())
    return [line for line in lines if "- " in line[:4]]


def test_what_was_likely_superseded_stands_below_the_later_statement_and_is_not_outdated() -> None:
    shown = quoted(a_memory_in_doubt((OLD, NEW), {(0, 1): LIKELY}))

    assert shown == [f"- 5 Mar, user: {NEW}", f"  - before, on 2 Mar, user: {OLD}"]


def test_what_was_hardly_superseded_comes_after_the_later_statement_if_both_are_shown() -> None:
    first, second = SENTENCES[:2]
    asked = f"{second} or elsewhere"

    shown = quoted(a_memory_in_doubt((f"{QUESTION} {first}", asked), {(0, 1): UNLIKELY}))

    assert [line.partition(",")[0] for line in shown] == ["- 5 Mar", "- 2 Mar"]


def test_a_rejected_statement_casts_no_doubt() -> None:
    memory = a_memory_in_doubt((OLD, NEW), {(0, 1): LIKELY})
    (newer,) = [one for one in memory.statements() if one.text == NEW]

    memory.reject_statement(newer.id)

    assert quoted(memory) == [f"- 2 Mar, user: {OLD}"]


def test_before_a_prompt_both_are_shown_with_their_dates() -> None:
    memory = a_memory_in_doubt((OLD, NEW), {(0, 1): LIKELY})

    block = memory.inject(QUESTION, session="new").text

    assert f"5 Mar, user: {NEW} (on 2 Mar: {OLD})" in block


@settings(max_examples=25)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] < pair[1]),
        st.floats(LIKELY, 0.9),
        max_size=6,
    )
)
def test_a_doubtful_line_is_never_shown_before_a_later_one_or_without_any(
    doubts: dict[tuple[int, int], float],
) -> None:
    with a_memory_in_doubt(SENTENCES, doubts, days=1) as memory:
        shown = memory.recall(QUESTION).text

    places = {number: shown.find(text) for number, text in enumerate(SENTENCES)}
    for older in {old for old, _ in doubts}:
        later = [places[new] for old, new in doubts if old == older and places[new] >= 0]
        assert places[older] < 0 or any(place < places[older] for place in later)


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "Alerts go to Telegram on my phone.",
            "Alerts go through ntfy on our own box.",
            "how do alerts reach me?",
        ),
        (
            "Holds stay on the shelf for seven days.",
            "The members agreed on ten days for uncollected reservations.",
            "how many days does a hold stay on the shelf?",
        ),
        (
            "Backups go to the storage box in Falkenstein every night.",
            "The backup target is the NAS in the office now.",
            "where do the backups go?",
        ),
        (
            "The API listens on port 8080.",
            "nginx forwards to 9001 these days.",
            "on which port does the API listen?",
        ),
    ],
)
def test_a_change_in_other_words_comes_before_what_it_may_have_changed(
    real_embedder: Embedder, old: str, new: str, question: str
) -> None:
    with a_project_with_a_change(real_embedder, old, new) as memory:
        shown = memory.recall(question).text

    assert 0 <= shown.find(new) < shown.find(old)
    assert "until" not in shown


def test_an_address_of_the_same_project_casts_no_doubt_on_what_the_project_is(
    real_embedder: Embedder,
) -> None:
    old = "new project: a shop for cheese, Django and Postgres"
    new = "host db1.example.com, user shop, database shop_prod"

    with a_project_with_a_change(real_embedder, old, new) as memory:
        (older,) = [one for one in memory.statements() if one.text == old]
        changes = memory._store.statements.possible_changes("demo", [older.id])  # noqa: SLF001 - not shown

    assert older.holds
    assert changes == {}


def a_project_with_a_change(embedder: Embedder, old: str, new: str) -> Memory:
    memory = a_memory(embedder=lambda: embedder)
    memory.capture([said(old, id_="old"), *map(said, OTHERS)])
    memory.capture(said(new, id_="new", session="s2", minute=60 * 24 * 9))
    memory.embed()
    return memory


def test_the_same_of_another_team_is_not_in_doubt(real_embedder: Embedder) -> None:
    payments = "The staging cluster of the payments team runs in Frankfurt on eight nodes."
    search = "The staging cluster of the search team runs in Dublin on four nodes."
    with a_project_with_a_change(real_embedder, payments, search) as memory:
        shown = memory.recall("where does the staging cluster run, and on how many nodes?").text

    assert payments in shown
    assert search in shown
    assert "before, on" not in shown

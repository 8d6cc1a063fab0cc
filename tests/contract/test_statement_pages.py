"""What any `Statements` must do to be read page by page: exactly what holds, newest first."""

import random
from dataclasses import replace

import pytest

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import ReviewState, Statement, StatementKind, StatementReview
from ai_smartness.ports import ThreadStore
from builders import NOON, a_statement, a_thread, an_event

JUDGE = "model@1 heads 1"
WORDS = ("Redis", "Postgres", "tabs", "spaces", "Friday")
KINDS = (StatementKind.RULE, StatementKind.DECISION, StatementKind.ENVIRONMENT)


def reviewed_statements(store: ThreadStore, seed: int) -> list[Statement]:
    """Store statements of some kinds, not in the order of time, and review and supersede some."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    thread = a_thread()
    store.threads.save(thread)
    made = [
        an_event(f"m{n}", thread, f"We use {chance.choice(WORDS)}.", minute=chance.randrange(12))
        for n in range(24)
    ]
    statements = [
        replace(
            a_statement(event, confidence=chance.choice((0.0, 0.6, 0.9))), kind=chance.choice(KINDS)
        )
        for event in store.events.append(made)
    ]
    store.statements.save("demo", JUDGE, statements, statements[-1].seq)
    for older in chance.sample(statements, 8):
        newer = chance.choice([one for one in statements if one.id != older.id])
        change = (older.id, newer.id, Relation.REPLACES, newer.at)
        store.statements.supersede("demo", [change])
    for statement in chance.sample(statements, 8):
        review(store, statement, chance)
    return statements


def review(store: ThreadStore, statement: Statement, chance: random.Random) -> None:
    state = chance.choice((ReviewState.CONFIRMED, ReviewState.REJECTED, ReviewState.CORRECTED))
    kind = chance.choice(KINDS) if state is ReviewState.CORRECTED else None
    made = StatementReview(
        statement_id=statement.id, project="demo", state=state, at=NOON, kind=kind
    )
    store.statements.review("demo", made, statement.id)


def pages_in_force(store: ThreadStore, kind: StatementKind, size: int) -> list[Statement]:
    """Read all pages of a kind, one after the other."""
    read: list[Statement] = []
    while page := store.statements.in_force(
        "demo", kind, size, after=read[-1].id if read else None
    ):
        assert len(page) <= size
        read += page
    return read


@pytest.mark.parametrize("seed", range(6))
def test_the_pages_have_exactly_what_holds(store: ThreadStore, seed: int) -> None:
    reviewed_statements(store, seed)
    holding = store.statements.all("demo", superseded=False)

    for kind in StatementKind:
        expected = [one for one in holding if one.kind is kind]
        for size in (1, 3, 50):
            assert pages_in_force(store, kind, size) == expected
    counted = store.statements.count_in_force("demo")
    assert sum(counted.values()) == len(holding)
    assert counted == {kind: sum(one.kind is kind for one in holding) for kind in counted}


@pytest.mark.parametrize("seed", range(6))
def test_the_newest_rejected_ones_are_listed(store: ThreadStore, seed: int) -> None:
    reviewed_statements(store, seed)
    everything = store.statements.all("demo", rejected=True)

    rejected = [one for one in everything if one.review is ReviewState.REJECTED]

    assert store.statements.rejected("demo", 50) == rejected
    assert store.statements.rejected("demo", 2) == rejected[:2]


def test_a_project_without_statements_has_no_page(store: ThreadStore) -> None:
    assert store.statements.in_force("unknown", StatementKind.RULE, 5) == []
    assert store.statements.count_in_force("unknown") == {}
    assert store.statements.rejected("unknown", 5) == []

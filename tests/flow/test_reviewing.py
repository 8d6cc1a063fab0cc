"""Confirm, reject and correct statements: all of it is in the journal and can be undone."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Actor, Change, JournalEntry, ReviewEdit
from ai_smartness.model.statement import ReviewState, Statement, StatementKind, StatementReview
from ai_smartness.threads.change_plan import ChangePlan, carry_out
from ai_smartness.threads.review_statement import review_plan
from ai_smartness.threads.undo import last_change_in_force, undo
from builders import NOON, a_statement, stored
from engines import open_store

CONFIRM, REJECT, CORRECT, TAKE_BACK = (
    ReviewState.CONFIRMED,
    ReviewState.REJECTED,
    ReviewState.CORRECTED,
    ReviewState.PROPOSED,
)
TEXTS = ("We use Redis.", "Never log the session id.", "we use redis", "Tests run with pytest.")


class Reviewing:
    """A store with statements, and the verbs as `Memory` runs them: plan, then carry out."""

    def __init__(self) -> None:
        self.store = open_store()
        self.statements = [a_statement(event) for event in stored(self.store, *TEXTS)]
        self.store.statements.save("demo", "rules", self.statements, len(TEXTS))
        self.now = NOON

    def review(
        self,
        statement: Statement,
        state: ReviewState,
        text: str = "",
        kind: StatementKind | None = None,
    ) -> int:
        self.now += timedelta(minutes=1)
        plan = review_plan(self.store, "demo", statement.id, state, text, kind, self.now)
        return self.carry_out(plan, state.value)

    def undo(self, number: int) -> int:
        return self.carry_out(undo(self.store, number), "undo", undoes=number)

    def undo_last(self) -> int:
        return self.undo(last_change_in_force(self.store, "demo").seq)

    def carry_out(self, plan: ChangePlan, verb: str, undoes: int | None = None) -> int:
        entry = JournalEntry(
            project=plan.project,
            at=self.now,
            who=Actor(),
            verb=verb,
            arguments={},
            said=plan.sentence,
            change=plan.change,
            undoes=undoes,
        )
        return carry_out(self.store, entry).seq

    def state(self) -> tuple[list[Statement], list[StatementReview]]:
        return (
            self.store.statements.all("demo", rejected=True),
            self.store.statements.reviews("demo"),
        )


def test_a_rejection_is_undone_and_brought_back() -> None:
    memory = Reviewing()
    first = memory.state()
    number = memory.review(memory.statements[0], REJECT)
    rejected = memory.state()

    undone = memory.undo(number)
    assert memory.state() == first
    memory.undo(undone)

    assert memory.state() == rejected
    assert memory.store.statements.get("demo", memory.statements[2].id).review is REJECT


def test_a_correction_of_the_kind_keeps_the_corrected_text() -> None:
    memory = Reviewing()
    statement = memory.statements[3]
    memory.review(statement, CORRECT, "Run tests with scripts/test.")

    memory.review(statement, CORRECT, kind=StatementKind.COMMAND)

    now = memory.store.statements.get("demo", statement.id)
    assert (now.text, now.kind) == ("Run tests with scripts/test.", StatementKind.COMMAND)

    memory.undo_last()

    now = memory.store.statements.get("demo", statement.id)
    assert (now.text, now.kind) == ("Run tests with scripts/test.", StatementKind.DECISION)


def test_an_earlier_review_is_not_undone_before_the_later_one() -> None:
    memory = Reviewing()
    first = memory.review(memory.statements[0], CONFIRM)
    later = memory.review(memory.statements[0], REJECT)

    with pytest.raises(RefusedError, match=f"Undo change {later}"):
        undo(memory.store, first)


def test_an_undone_review_can_be_undone_after_the_statements_were_judged_again() -> None:
    memory = Reviewing()
    number = memory.review(memory.statements[0], CORRECT, "We use Valkey.")

    memory.store.statements.clear("demo")
    memory.store.statements.save("demo", "rules", memory.statements, len(TEXTS))

    assert memory.store.statements.get("demo", memory.statements[0].id).text == "We use Valkey."
    memory.undo(number)
    assert memory.store.statements.reviews("demo") == []


@pytest.mark.parametrize(
    ("before", "state", "problem"),
    [
        ([CONFIRM], CONFIRM, "is confirmed already"),
        ([REJECT], REJECT, "is rejected already"),
        ([CORRECT], CONFIRM, "which confirms it"),
        ([], TAKE_BACK, "has none"),
        ([], CORRECT, "already. Give another text"),
    ],
)
def test_a_review_that_changes_nothing_is_refused(
    before: list[ReviewState], state: ReviewState, problem: str
) -> None:
    memory = Reviewing()
    for earlier in before:
        memory.review(memory.statements[0], earlier, "We use Valkey." if earlier is CORRECT else "")

    with pytest.raises(RefusedError, match=problem):
        memory.review(memory.statements[0], state)


def test_an_unknown_statement_is_not_reviewed() -> None:
    memory = Reviewing()

    with pytest.raises(NotFoundError, match="ais statements"):
        review_plan(memory.store, "demo", "s_none", CONFIRM, "", None, NOON)


def test_a_review_is_read_back_from_the_journal_as_it_was_written() -> None:
    memory = Reviewing()
    number = memory.review(memory.statements[0], CORRECT, "We use Ünïcode.", StatementKind.RULE)

    change = memory.store.journal.get(number).change

    (edit,) = change.reviews
    assert edit == ReviewEdit(None, memory.store.statements.reviews("demo")[0])
    assert change.inverse.inverse == change
    assert change
    assert Change(reviews=(edit,)).touched_threads == ()


steps = st.lists(
    st.tuples(
        st.integers(0, len(TEXTS) - 1),
        st.sampled_from([CONFIRM, REJECT, CORRECT, TAKE_BACK, None]),
        st.sampled_from(["", "Corrected once.", "Corrected twice."]),
        st.none() | st.sampled_from(StatementKind),
    ),
    max_size=12,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_any_mix_of_reviews_and_undos_is_undone_to_the_first_state(
    mix: list[tuple[int, ReviewState | None, str, StatementKind | None]],
) -> None:
    memory = Reviewing()
    first = memory.state()

    for which, state, text, kind in mix:
        before = memory.state()
        try:
            if state is None:
                memory.undo_last()
            else:
                memory.review(memory.statements[which], state, text, kind)
        except (RefusedError, NotFoundError):
            assert memory.state() == before
    while True:
        try:
            memory.undo_last()
        except NotFoundError:
            break

    assert memory.state() == first

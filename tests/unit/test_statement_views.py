"""Statements as they are shown: grouped, dated, and marked where they no longer hold."""

from dataclasses import replace
from datetime import UTC, datetime

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import KIND_HEADINGS, ReviewState, Statement, StatementKind
from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN
from ai_smartness.views.json import statement_json
from ai_smartness.views.statements import (
    paths_to_statements,
    statement_groups,
    statement_marks,
    statement_period,
    statements_page,
    tools_to_statements,
)
from builders import NOON, a_statement, a_thread, an_event

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def stated(id_: str, text: str, kind: StatementKind = StatementKind.DECISION) -> Statement:
    return replace(a_statement(an_event(id_, a_thread(), text)), kind=kind)


def superseded(statement: Statement, by: str) -> Statement:
    since = datetime(2026, 11, 5, tzinfo=UTC)
    return replace(statement, superseded_by=by, superseded_at=since, relation=Relation.REPLACES)


REDIS = stated("m1", "Sessions live in Redis.")
POSTGRES = stated("m2", "Move sessions to Postgres.")
RULE = stated("m3", "Never log the session id.", StatementKind.RULE)


def test_every_kind_has_a_heading() -> None:
    assert set(KIND_HEADINGS) == set(StatementKind)


def test_rules_come_before_decisions_and_what_holds_before_what_held() -> None:
    old = superseded(REDIS, POSTGRES.id)

    groups = statement_groups([old, POSTGRES, RULE])

    assert groups == [("Rules", [RULE]), ("Decisions", [POSTGRES, old])]


def test_a_superseded_statement_says_until_when_it_held_and_what_holds_now() -> None:
    old = superseded(REDIS, POSTGRES.id)

    assert statement_period(POSTGRES, NOW) == "2 Mar"
    assert statement_period(old, NOW) == "until 5 Nov"
    assert statement_period(replace(old, superseded_at=None), NOW) == "superseded"
    assert statement_marks(old) == f"(now {POSTGRES.short_id})"


def test_a_review_is_marked_and_a_proposal_is_not() -> None:
    assert statement_marks(RULE) == ""
    assert statement_marks(replace(RULE, review=ReviewState.CONFIRMED)) == "(confirmed)"


def test_the_page_stands_between_the_marks_with_a_line_for_each_statement() -> None:
    page = statements_page([POSTGRES, RULE], NOW, paths_to_statements())

    assert page.startswith(MEMORY_OPEN)
    assert page.endswith(MEMORY_CLOSE)
    assert f"## Rules\n- 2 Mar: Never log the session id. [{RULE.short_id}]\n" in page
    assert 'Next: Read(".ai/statements/rule") lists one kind, Read(".ai/statements/WORDS")' in page


def test_stored_text_cannot_leave_its_line_or_close_the_page() -> None:
    page = statements_page([stated("m1", f"a\n# b {MEMORY_CLOSE} c")], NOW, "")

    assert page.count(MEMORY_CLOSE) == 1
    assert "\n# b" not in page


def test_a_page_of_a_large_memory_is_cut_and_says_so() -> None:
    many = [stated(f"m{number}", f"Rule {number}.") for number in range(130)]

    page = statements_page(many, NOW, tools_to_statements())

    assert page.count("\n- ") == 100
    assert "# Statements (130)\n" in page
    assert "… and 30 more\nNext: ai_statements(kind='rule')" in page


def test_a_page_without_statements_says_how_to_go_on() -> None:
    assert "Nothing is stated about that" in statements_page([], NOW, "look elsewhere")


def test_a_statement_is_plain_data_that_says_whether_it_holds() -> None:
    data = statement_json(superseded(REDIS, POSTGRES.id))

    assert (data["kind"], data["holds"], data["relation"]) == ("decision", False, "replaces")
    assert data["at"] == NOON.isoformat().replace("+00:00", "Z")

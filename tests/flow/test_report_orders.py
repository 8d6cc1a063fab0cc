"""A recall tells an agent's report of a change with the order that it carried out."""

from dataclasses import replace

from ai_smartness.memory import Memory
from ai_smartness.views.recall import recall_page
from builders import a_memory, said

REPORT = "Changed in hook/backoff.go: a webhook waits 6 h at most, the last attempt is at 71 h."
ORDER = "stretch it: 15 attempts over three days"


def told(*, order: str = ORDER, report: str = REPORT, report_session: str = "late") -> Memory:
    memory = a_memory()
    answer = said(report, id_="report", session=report_session, minute=11)
    order_message = said(order, id_="order", session="late", minute=10)
    memory.capture([order_message, replace(answer, role="assistant")])
    return memory


def told_report(memory: Memory) -> str:
    """Return the report as it is told if its order is not among the best lines itself."""
    result = memory.recall("how long does a webhook wait in hook/backoff.go?")
    reports = tuple(line for line in result.lines if line.role == "assistant")
    page = recall_page(replace(result, lines=reports))
    return next(line for line in page.splitlines() if line.startswith("- "))


def test_a_report_of_a_change_is_told_with_its_order() -> None:
    assert f"{REPORT} (asked: {ORDER})" in told_report(told())


def test_a_long_order_a_question_and_the_order_of_another_session_are_not_told() -> None:
    assert "asked" not in told_report(told(order=f"{ORDER}, {'and so on ' * 12}"))
    assert "asked" not in told_report(told(order="can you stretch it to 15 attempts?"))
    assert "asked" not in told_report(told(report_session="other"))


def test_what_is_no_report_of_a_change_stands_alone() -> None:
    fact = "A webhook waits 6 h at most in hook/backoff.go, the last attempt is at 71 h."

    assert "asked" not in told_report(told(report=fact))


def test_an_order_that_is_quoted_itself_is_not_told_twice() -> None:
    page = told().recall("how long does a webhook wait in hook/backoff.go?").text

    assert REPORT in page
    assert page.count(ORDER) == 1


def test_a_rejected_order_is_not_told() -> None:
    memory = told()
    memory.pin(ORDER, kind="decision")
    (statement,) = memory.statements()

    memory.reject_statement(statement.id)

    assert ORDER not in told_report(memory)


PROPOSAL = "The budget is not used. I would try 15 attempts over three days, because hooks recover."


def agreed(consent: str, proposal: str = PROPOSAL) -> Memory:
    """Return a memory in which the agent proposes something, and reports it after a consent."""
    memory = a_memory()
    proposed = said(proposal, id_="proposal", session="late", minute=9)
    answer = said(REPORT, id_="report", session="late", minute=11)
    memory.capture(
        [
            replace(proposed, role="assistant"),
            said(consent, id_="consent", session="late", minute=10),
            replace(answer, role="assistant"),
        ]
    )
    return memory


def test_a_report_of_what_was_only_agreed_to_is_told_with_the_proposal() -> None:
    told_line = told_report(agreed("Agreed in every respect."))

    assert f"{REPORT} (asked: {PROPOSAL})" in told_line


def test_a_consent_with_a_value_of_its_own_is_an_order() -> None:
    assert f"{REPORT} (asked: ok, but 12 attempts)" in told_report(agreed("ok, but 12 attempts"))


def test_what_is_proposed_stands_before_the_question_whether_to_do_it() -> None:
    proposal = "With 15 attempts over three days a hook would outlive a weekend. Shall I?"

    assert f"(asked: {proposal})" in told_report(agreed("yes please", proposal))

"""An open task ends when somebody says that it is done."""

from dataclasses import replace

import pytest

from ai_smartness import Memory
from ai_smartness.model.statement import StatementKind
from ai_smartness.ports import Embedder
from builders import a_memory, said

TASK = "todo: convert the wind gusts from knots to m/s before they are stored"


def open_tasks(memory: Memory) -> list[str]:
    return [one.text for one in memory.statements(StatementKind.OPEN_TASK)]


def after(embedder: Embedder, text: str) -> list[str]:
    """Return the tasks that are open after the task and a later message."""
    with a_memory(embedder=lambda: embedder) as memory:
        memory.capture(said(TASK, id_="m1", session="s1"))
        memory.capture(said(text, id_="m2", session="s2", minute=900))
        memory.embed()
        return open_tasks(memory)


@pytest.mark.parametrize(
    "text",
    [
        "ok, the gusts are converted from knots to m/s now, that's done",
        "The task to convert the wind gusts to m/s is done, close it.",
    ],
)
def test_a_task_that_is_said_to_be_done_is_open_no_longer(
    real_embedder: Embedder, text: str
) -> None:
    assert after(real_embedder, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The login page is done.",
        "The wind gusts from knots to m/s are not done yet.",
        "When the conversion of the wind gusts to m/s is done, tell Ingrid.",
    ],
)
def test_a_task_stays_open_if_something_else_is_done_or_it_is_not_yet(
    real_embedder: Embedder, text: str
) -> None:
    assert TASK in after(real_embedder, text)


@pytest.mark.parametrize(
    "report",
    [
        "the trainer form is live, they like it, scratch that off",
        "The form for the trainer is merged and deployed.",
        "trainer form: tick it off, it went live on monday",
    ],
)
def test_a_task_ends_when_its_work_is_live_or_ticked_off(
    real_embedder: Embedder, report: str
) -> None:
    task = "we still need to write a form where the trainer can pick tomorrow's court"
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(task, id_="m1", session="s1"))
        memory.embed()
        before = open_tasks(memory)
        memory.capture(said(report, id_="m2", session="s2", minute=900))
        memory.embed()

        assert before == [task]
        assert open_tasks(memory) == []


@pytest.mark.parametrize(
    ("task", "order", "report"),
    [
        (TASK, "ok, do the gusts now", "Gusts are stored in m/s. The conversion is finished."),
        (
            "we still have to write the page for the parking garage",
            "do the garage page",
            "The garage page is finished and linked from the menu.",
        ),
        (
            "Still open: the invoice export needs a test.",
            "write the test for the export",
            "I have finished the invoice export test, all 12 pass.",
        ),
        (
            "TODO: die Rechnungen brauchen noch eine Fußzeile",
            "mach die Fußzeile der Rechnungen",
            "Die Fußzeile der Rechnungen ist fertig.",
        ),
    ],
)
def test_an_agents_report_that_it_is_done_ends_the_task(
    real_embedder: Embedder, task: str, order: str, report: str
) -> None:
    assert after_work(real_embedder, task, order, report) == []


@pytest.mark.parametrize(
    "report",
    [
        "The build is finished, 40 tests pass.",
        "I read `store.py` and have finished the first of two parts.",
        "The login page is done.",
    ],
)
def test_a_report_of_something_else_leaves_the_task_open(
    real_embedder: Embedder, report: str
) -> None:
    assert after_work(real_embedder, TASK, "go on with the login page", report) == [TASK]


def after_work(embedder: Embedder, task: str, order: str, report: str) -> list[str]:
    """Return the tasks that are open after an order and the agent's report."""
    with a_memory(embedder=lambda: embedder) as memory:
        memory.capture(said(task, id_="m1", session="s1"))
        memory.capture(said(order, id_="m2", session="s2", minute=900))
        answer = said(report, id_="m3", session="s2", minute=901)
        memory.capture(replace(answer, role="assistant"))
        memory.embed()
        return open_tasks(memory)


def test_an_error_in_a_log_is_no_task(real_embedder: Embedder) -> None:
    line = "ERROR pump: valve 2: pressure lost, supply at 1.2 bar"
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(f"the pump just died, the log says\n{line}", session="s1"))
        memory.embed()

        assert open_tasks(memory) == []

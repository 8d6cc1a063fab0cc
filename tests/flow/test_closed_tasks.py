"""An open task ends when somebody says that it is done."""

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

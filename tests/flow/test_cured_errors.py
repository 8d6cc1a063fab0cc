"""An error goes with the cure of its own turn, and not with what is told of the next request."""

from dataclasses import replace

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.ports import Embedder
from builders import a_memory, said

ERROR = "psycopg.OperationalError: connection is closed"
CURE = "The pool handed out dead connections; `check=ConnectionPool.check_connection` cures that."
LATER = "I rewrote the importer with COPY; the memory leak is gone."


def agent_said(text: str, *, id_: str, minute: float) -> Message:
    return replace(said(text, id_=id_, minute=minute), role="assistant")


def a_session(embedder: Embedder, asked: str, *, is_stepwise: bool) -> Memory:
    memory = a_memory(embedder=lambda: embedder)
    messages = [
        said(f"the worker dies:\n{ERROR}", id_="m1"),
        agent_said(CURE, id_="m2", minute=1),
        said(asked, id_="m3", minute=2),
        agent_said(LATER, id_="m4", minute=3),
    ]
    for batch in [[one] for one in messages] if is_stepwise else [messages]:
        memory.capture(batch)
        memory.embed()
    return memory


@pytest.mark.parametrize("is_stepwise", [True, False])
def test_a_report_on_the_next_request_is_no_cure_of_an_error_that_has_one(
    real_embedder: Embedder,
    is_stepwise: bool,  # noqa: FBT001 - a case
) -> None:
    asked = "the importer is not fast enough, it can't keep up"
    with a_session(real_embedder, asked, is_stepwise=is_stepwise) as memory:
        texts = [one.text for one in memory.statements()]

    assert f"{CURE} (error: {ERROR})" in texts
    assert LATER in texts

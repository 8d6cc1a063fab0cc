"""What a person agrees to is decided: "yes, do that" after an agent's proposal."""

from dataclasses import replace

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.ports import Embedder
from ai_smartness.statements.agreed_proposals import is_consent
from builders import a_memory, said

OLD = "The events go through Kafka on broker-1."
PROPOSAL = "Kafka needs three nodes for that. I propose to move the events to RabbitMQ on queue-2."
DECIDED = "move the events to RabbitMQ on queue-2."


def agent_said(text: str, *, id_: str, minute: float) -> Message:
    return replace(said(text, id_=id_, session="s2", minute=minute), role="assistant")


def a_proposal_answered(embedder: Embedder, proposal: str, answer: str) -> Memory:
    memory = a_memory(embedder=lambda: embedder)
    memory.capture(said(OLD, id_="old"))
    later = 60 * 24 * 3
    memory.capture(
        [
            said("the broker is down every night, ideas?", id_="ask", session="s2", minute=later),
            agent_said(proposal, id_="idea", minute=later + 1),
            said(answer, id_="answer", session="s2", minute=later + 2),
            agent_said("Done.", id_="done", minute=later + 3),
        ]
    )
    memory.embed()
    return memory


def stated(memory: Memory) -> list[Statement]:
    return [one for one in memory.statements(superseded=True) if one.session == "s2"]


def test_what_a_person_agrees_to_is_a_decision_of_its_own_and_ends_the_one_before(
    real_embedder: Embedder,
) -> None:
    with a_proposal_answered(real_embedder, PROPOSAL, "yes, do that") as memory:
        (decided,) = [one for one in stated(memory) if one.text == DECIDED]
        brief = memory.greeting("next")

    assert (decided.kind, decided.speaker) == (StatementKind.DECISION, Speaker.USER)
    assert f"5 Mar: {DECIDED}" in brief  # without the rest, which is the agent's
    assert brief.index(DECIDED) < brief.find(OLD) or OLD not in brief


@pytest.mark.parametrize(
    ("proposal", "answer"),
    [
        (PROPOSAL, "no, leave it"),
        (PROPOSAL, "hm, what would that cost?"),
        (PROPOSAL, "ok, but only on staging"),
        ("I moved the events to another partition.", "ok"),
        ("Shall I run the tests first?", "yes"),
        ("Shall I commit this and push?", "yes please"),
        ("I could not reproduce it. Should I move it to RabbitMQ or to NATS?", "yes"),
        ("I'd move the events to RabbitMQ. I'd also drop the consumer group.", "ok"),
    ],
)
def test_an_answer_that_does_not_agree_to_one_lasting_thing_decides_nothing(
    real_embedder: Embedder, proposal: str, answer: str
) -> None:
    with a_proposal_answered(real_embedder, proposal, answer) as memory:
        found = [one.text for one in stated(memory) if one.text in proposal]

    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes, please do.",
        "ok do it",
        "sounds good, go ahead!",
        "fine with me",
        "ja, mach das",
    ],
)
def test_who_agrees_and_says_nothing_else_consents(text: str) -> None:
    assert is_consent(text)


@pytest.mark.parametrize(
    "text", ["no", "yes?", "ok, but at 4 am", "not now", "thanks, bye", "yes, and rename it to q2"]
)
def test_who_says_more_or_less_than_that_does_not(text: str) -> None:
    assert not is_consent(text)

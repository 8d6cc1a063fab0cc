"""A memory in which a few things were stated, and one of them was reversed."""

from dataclasses import replace

from ai_smartness.memory import Memory
from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import Statement, StatementKind
from ai_smartness.statements.judge import SentenceJudge
from builders import a_statement, said

__all__ = ["POSTGRES", "REDIS", "RULE", "TASK", "state_things"]

REDIS = "Sessions live in Redis."
POSTGRES = "Move sessions to Postgres. No more Redis."
RULE = "Never log the session id."
TASK = "The invoice export still needs a test."

KINDS = {
    REDIS: StatementKind.DECISION,
    POSTGRES: StatementKind.DECISION,
    RULE: StatementKind.RULE,
    TASK: StatementKind.OPEN_TASK,
}


def state_things(memory: Memory) -> dict[str, Statement]:
    """Capture four sentences and save them as statements, by their text."""
    messages = [said(text, id_=f"m{n}", minute=n) for n, text in enumerate(KINDS)]
    memory.capture(messages)
    memory.embed()
    events = [memory.message(f"m{n}") for n in range(len(KINDS))]
    stated = {
        event.text: replace(a_statement(event), kind=KINDS[event.text], confidence=0.8)
        for event in events
    }
    store = memory._store.statements  # noqa: SLF001 - no verb saves a statement that was found
    store.clear(memory.project)
    # Under the name of the judge in use, so that the messages are not judged again.
    judge = SentenceJudge(memory.embedder).name
    store.save(memory.project, judge, [*stated.values()], events[-1].seq)
    newer = stated[POSTGRES]
    change = (stated[REDIS].id, newer.id, Relation.REPLACES, newer.at)
    store.supersede(memory.project, [change])
    return stated

"""Two projects of one memory, each with something of every kind that has an id."""

from dataclasses import dataclass

from ai_smartness import Memory
from ai_smartness.model.bridge import BridgeDraft, Relation
from builders import said

__all__ = ["PANGOLIN", "Ids", "a_draft", "filled"]

PANGOLIN = "pangolin"
"""Said in the other project alone."""


@dataclass(frozen=True)
class Ids:
    """Everything of a project that has an id."""

    thread: str
    second: str
    message: str
    bridge: str
    statement: str
    change: int
    compaction: str
    session: str


def a_draft(source: str, target: str) -> BridgeDraft:
    return BridgeDraft(source=source, relation=Relation.EXTENDS, target=target)


def filled(memory: Memory, word: str) -> Ids:
    """Say, change and condense something in a project; its ids come back."""
    session = f"session-{word}"
    texts = [
        f"the {word} keys rotate every month",
        f"a {word} login page",
        f"{word} eats ants. " * 60,
    ]
    messages = [
        said(text, minute=number, id_=f"{word}-{number}", session=session)
        for number, text in enumerate(texts)
    ]
    memory.capture(messages[0])
    first = memory.message(f"{word}-0").thread_id
    second = memory.create(f"the {word} pages", session=session)
    memory.append(second, messages[1])
    for message in messages[2:]:
        memory.append(first, message)
    memory.pin(f"Never deploy the {word} on a Friday.", kind="rule", session=session)
    memory.link(a_draft(first, second))
    change = memory.rename(second, f"{word} pages").number
    assert change is not None
    condensed = memory.condense(first, target=100)
    return Ids(
        thread=first,
        second=second,
        message=f"{word}-1",
        bridge=memory.bridges(first)[0].id,
        statement=memory.statements()[0].id,
        change=change,
        compaction=condensed.compaction.id,
        session=session,
    )

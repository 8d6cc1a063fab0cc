"""A made-up project: facts that were said once, among talk about other things, and questions."""

import random
from datetime import timedelta

from ai_smartness.model.event import Message
from kit.conversations import Conversation, Query
from kit.made_up import START

__all__ = ["made_up_conversations"]

FACTS = (
    ("we deploy the {} on Tuesdays only", "on which day does the {} go live?"),
    ("the {} listens on port 8443", "what port does the {} use?"),
    ("never restart the {} without draining its queue first", "how do I restart the {} safely?"),
    ("we chose Postgres over MongoDB for the {}", "which database is behind the {}?"),
    ("the {} fails with error E1042 when the disk is full", "what does E1042 of the {} mean?"),
    ("Ann owns the {} since the summer", "who is responsible for the {}?"),
)
PARTS = ("billing service", "login page", "search index", "mail worker", "image cache", "exporter")
TALK = (
    "the {} has two more tests now",
    "I renamed a variable in the {}",
    "reading the {} again, it looks fine to me",
    "let us look at the {} after lunch",
    "the review of the {} is done, thanks",
    "formatted the {} and fixed a typo",
)
TALK_LINES = 12  # between two facts


def made_up_conversations(seed: int = 1) -> list[Conversation]:
    """Return one project with a question about each of its facts."""
    chance = random.Random(seed)
    pairs = [(part, fact) for part in PARTS for fact in FACTS]
    chance.shuffle(pairs)
    texts: list[str] = []
    queries: list[Query] = []
    for part, (statement, question) in pairs:
        texts += (chance.choice(TALK).format(chance.choice(PARTS)) for _ in range(TALK_LINES))
        queries.append(_query(question.format(part), f"m{len(texts)}"))
        texts.append(statement.format(part))
    messages = [
        Message(
            id=f"m{number}",
            session=f"s{number // 40}",
            role=("user", "assistant")[number % 2],
            text=text,
            at=START + timedelta(minutes=number),
        )
        for number, text in enumerate(texts)
    ]
    return [Conversation("made up", messages, queries, [])]


def _query(text: str, answer: str) -> Query:
    nothing = frozenset[str]()
    return Query(
        text=text,
        gold=frozenset({answer}),
        gold_sessions=nothing,
        gold_new=nothing,
        gold_old=nothing,
        cutoff=10**9,
        place=10**9,
        at=None,
        session=None,
    )

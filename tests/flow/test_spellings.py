"""A word is found by the other spellings that the field uses, without an embedding model."""

import pytest

from ai_smartness.memory import Memory
from builders import a_memory, said

LINES = {
    "mail": "Every e-mail goes out by the relay.",
    "login": "The login expires after an hour.",
    "zone": "Show it in the timezone of the browser.",
    "cluster": "kubernetes restarts whatever crashes.",
    "colour": "Use the dark colour.",
    "hook": "Call `register_web_hook` first.",
    "other": "The queue overflows at noon.",
}


@pytest.fixture
def memory() -> Memory:
    memory = a_memory(embedder=lambda: None)
    memory.capture(said(text, id_=id_, session=f"of-{id_}") for id_, text in LINES.items())
    return memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("email", "mail"),
        ("emails", "mail"),
        ("sign-in", "login"),
        ("logging in", "login"),
        ("time zones", "zone"),
        ("k8s", "cluster"),
        ("coloring", "colour"),
        ("webhooks", "hook"),
    ],
)
def test_a_question_finds_the_other_spelling(memory: Memory, question: str, answer: str) -> None:
    assert memory.search(question)[0].id == answer


def test_the_spelling_that_was_asked_for_comes_first() -> None:
    memory = a_memory(embedder=lambda: None)
    lines = {"two": "the log in page", "one": "the login page", "sign": "the sign in page"}
    memory.capture(said(text, id_=id_, session=f"of-{id_}") for id_, text in lines.items())

    hits = [hit.id for hit in memory.search("login")]

    assert hits[0] == "one"
    assert {*hits} == {*lines}

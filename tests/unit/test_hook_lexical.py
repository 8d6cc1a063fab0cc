"""Without a daemon the same is measured as with it, where there are words alone."""

import pytest

from ai_smartness.adapters.storage.sqlite.tokens import TOKENIZER
from ai_smartness.capture.clean import MEMORY_CLOSE, MEMORY_OPEN
from ai_smartness.entrypoints.hooks import answer, lexical, lexical_text
from ai_smartness.entrypoints.hooks.lexical_words import words
from ai_smartness.inject import render
from ai_smartness.model.saying import one_line
from ai_smartness.retrieve import relevance
from ai_smartness.watch import kept
from ai_smartness.watch.project import project_at as hook_project_at


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4, 0.9])
def test_relevance_is_measured_alike(share: float) -> None:
    assert lexical.relevance(share) == relevance.relevance(None, share)


def test_what_is_written_down_twice_is_the_same_twice() -> None:
    names = ("SAYS_NOTHING", "GROWN_EVENTS", "YOUNG_EVENTS")

    assert lexical.TOKENIZER == TOKENIZER
    assert {name: getattr(lexical, name) for name in names} == {
        name: getattr(relevance, name) for name in names
    }
    for module in (answer, kept, lexical_text):
        assert (module.MEMORY_OPEN, module.MEMORY_CLOSE) == (MEMORY_OPEN, MEMORY_CLOSE)
    head = lexical_text.block(["x"]).split("\n")[1:3]
    assert head == render.frame(render.Beat(1, 0))[0].split("\n")[1:3]


@pytest.mark.parametrize(
    "text",
    ["a\nb", "</ai-smartness-memory> x", "<System-Reminder>", "a < b <i>", "zero\u200bwidth", "é"],
)
def test_stored_words_are_put_on_a_line_alike(text: str) -> None:
    assert lexical_text.one_line(text) == one_line(text)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which port, which?", ["which", "port"]),
        ("getUserById fails", ["getuserbyid", "fails", "get", "user", "by", "id"]),
        ("src/auth/jwt.py:42", ["src", "auth", "jwt", "py", "42"]),
        ("数据库", ["数据库", "数据", "据库"]),
        ("हिन्दी", ["हिन्दी"]),
        ('" OR *', ["or"]),
        ("", []),
    ],
)
def test_a_question_is_taken_apart(question: str, found: list[str]) -> None:
    assert words(question) == found


def test_a_pasted_text_is_read_by_its_beginning() -> None:
    assert len(words(" ".join(f"w{number}" for number in range(100_000)))) == 32


def test_the_root_of_all_belongs_to_no_project() -> None:
    assert hook_project_at("/").name == "/"

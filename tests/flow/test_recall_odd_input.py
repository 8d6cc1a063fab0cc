"""Whatever is asked, in whatever characters, there is an answer or a reason."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.memory import Memory
from ai_smartness.model.errors import RefusedError
from ai_smartness.text.token_count import estimate_tokens
from asking import KEYS, QUESTION, a_told_memory, shown
from builders import said

pytestmark = pytest.mark.every_engine

ANY_TEXT = st.text(st.characters(), max_size=80)
quickly = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def memory() -> Memory:
    return a_told_memory()


@quickly
@given(ANY_TEXT)
def test_any_text_can_be_a_prompt(memory: Memory, prompt: str) -> None:
    first, again = (memory.inject(prompt).text for _ in range(2))

    assert first == again
    assert estimate_tokens(first) <= 1_500


@quickly
@given(ANY_TEXT.filter(str.strip))
def test_any_text_can_be_recalled_and_read_at_a_path(memory: Memory, query: str) -> None:
    found = memory.recall(query)

    assert found.text.splitlines()[1].startswith("# Memory Recall:")
    assert found.text.encode()
    assert memory.read_virtual(f".ai/recall/{query}")


@pytest.mark.parametrize("prompt", [5, None, [5], ["words", None], b"words"])
def test_what_is_no_prompt_is_refused(memory: Memory, prompt: Any) -> None:  # noqa: ANN401 - the point of it
    with pytest.raises(RefusedError, match="a prompt must be text"):
        memory.inject(prompt)


@pytest.mark.parametrize("session", ["half \ud800", "nul \x00", 5, "x" * 600])
def test_what_no_session_is_called_is_refused(memory: Memory, session: Any) -> None:  # noqa: ANN401 - the point of it
    with pytest.raises(RefusedError, match="session"):
        memory.inject(QUESTION, session=session)


def test_a_prompt_of_a_megabyte_is_answered(memory: Memory) -> None:
    assert shown(memory.inject(f"{QUESTION} {'filler ' * 150_000}")) in ([], ["keys"])


def test_a_thread_of_a_very_long_line_is_shown_by_what_matters_of_it() -> None:
    memory = a_told_memory()
    long = f"{'lorem ipsum dolor ' * 200} the zeppelin hangar code is 4711. {'sit amet ' * 200}"
    memory.append(
        memory.message("logo").thread_id, said(long, id_="long", session="long", minute=3)
    )

    text = memory.inject("what is the zeppelin hangar code?").text

    assert "the zeppelin hangar code is 4711" in text
    assert len(text) < 1_500
    assert KEYS not in text


def test_a_question_of_megabytes_is_refused_with_the_way_out(memory: Memory) -> None:
    with pytest.raises(RefusedError, match=r"20,000 at most\. Ask with the words that matter"):
        memory.recall("why " * 10_000)

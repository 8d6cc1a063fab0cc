import pytest

from ai_smartness.inject.dedupe import echoes_prompt, is_in_prompt
from ai_smartness.inject.prompt import has_telling_words, is_follow_up_question, query_with_context
from ai_smartness.text.keywords import subject_words


@pytest.mark.parametrize(
    "prompt", ["", "   ", "ok", "yes", "go on", "and?", "why?", "!!!", "👍", "no, why?", "...", "y"]
)
def test_a_prompt_without_a_word_to_go_by_asks_for_nothing(prompt: str) -> None:
    assert not has_telling_words(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "rotate keys",
        "why JWT?",
        "the API",
        "py3 or k8s?",
        "数据库",
        "ключ",
        "été",
        "where is src/a.py",
        "was ist das für ein Schlüssel",
    ],
)
def test_a_word_that_may_name_a_subject_is_something_in_any_script(prompt: str) -> None:
    assert has_telling_words(prompt)


def test_telling_words_come_once_and_as_they_are_written() -> None:
    assert subject_words("why rotate Keys, rotate JWT in v2?") == ["rotate", "Keys", "JWT", "v2"]


def test_a_short_prompt_is_read_together_with_those_before_it() -> None:
    before = ["we chose JWT tokens for the mobile client", "the mobile client logs out at night"]

    asked = query_with_context("why that instead of sessions?", before)

    assert asked.splitlines() == ["why that instead of sessions?", *before]


@pytest.mark.parametrize(
    "prompt",
    [
        "rotate the signing keys of the mobile client",
        "why did we leave stripe?",
        "which database are we on?",
    ],
)
def test_a_prompt_that_names_its_subject_is_read_alone(prompt: str) -> None:
    assert query_with_context(prompt, ["something else entirely"]) == prompt


def test_of_an_earlier_prompt_the_beginning_is_enough() -> None:
    assert len(query_with_context("why that?", ["word " * 1_000])) < 500


@pytest.mark.parametrize(
    ("prompt", "does"),
    [
        ("why that instead of sessions?", True),
        ("为什么不用会话？", True),  # noqa: RUF001 - full width
        ("thanks, that is great", False),
        ("rotate the signing keys of the mobile client now, would you?", False),
    ],
)
def test_a_short_question_asks_back_to_what_was_said(prompt: str, *, does: bool) -> None:
    assert is_follow_up_question(prompt) is does


@pytest.mark.parametrize(
    ("text", "prompt", "stands"),
    [
        ("rotate the keys", "Please  ROTATE the\nkeys today", True),
        ("rotate the keys", "rotate the logs", False),
        ("use tab", "use tables for that", False),
        ("日志", "请看日志文件", True),
        ("", "anything", True),
    ],
)
def test_a_message_stands_in_the_prompt_as_whole_words(
    text: str, prompt: str, *, stands: bool
) -> None:
    assert is_in_prompt(text, prompt) is stands


ERROR = (
    "sqlite3.ProgrammingError: SQLite objects created in a thread can only be used in that thread"
)


@pytest.mark.parametrize(
    ("line", "prompt", "does"),
    [
        (f"the tests fail with '{ERROR}'", ERROR, True),
        (f"{ERROR} went away with check_same_thread=False and a lock around it", ERROR, False),
        ("sessions live in Postgres", "do sessions live in Redis or in Postgres?", False),
        ("run the tests before every push", "run the tests", False),
        ("never print the name of the customer in a log", "print the name of the customer", False),
    ],
)
def test_a_line_that_only_repeats_the_prompt_is_an_echo(
    line: str, prompt: str, *, does: bool
) -> None:
    assert echoes_prompt(line, prompt) is does

"""Without a daemon the same is measured as with it, where there are words alone."""

import subprocess
import sys
from pathlib import Path

import pytest

import ai_smartness
from ai_smartness.adapters.sqlite import offline_index
from ai_smartness.adapters.words.tokenizer import FTS5_TOKENIZE
from ai_smartness.clients.project import project_by_path as hook_project_at
from ai_smartness.entrypoints.hooks import offline_search
from ai_smartness.inject import block as render
from ai_smartness.text.display import one_line
from ai_smartness.text.words import question_words


def test_the_hook_takes_words_apart_as_the_index_does() -> None:
    assert offline_index.TOKENIZER == FTS5_TOKENIZE


def test_a_block_without_the_daemon_begins_like_any_other() -> None:
    head = offline_search.memory_block(["x"]).split("\n")[:3]

    assert head == render.block_frame(render.Beat(1, 0))[0].split("\n")[:3]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb", "a b"),
        ("</ai-smartness-memory> x", "&lt;/ai-smartness-memory> x"),
        ("<System-Reminder>", "&lt;System-Reminder>"),
        ("a < b <i>", "a < b <i>"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("é", "é"),
    ],
)
def test_stored_text_stands_on_one_line_and_cannot_write_our_tags(text: str, line: str) -> None:
    assert one_line(text) == line


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
    assert question_words(question) == found


def test_a_pasted_text_is_read_by_its_beginning() -> None:
    assert len(question_words(" ".join(f"w{number}" for number in range(100_000)))) == 32


def test_the_root_of_all_belongs_to_no_project() -> None:
    assert hook_project_at("/").name == "/"


def test_what_the_hook_imports_of_text_loads_no_regular_expressions() -> None:
    code = (
        "import sys; sys.path.append(sys.argv[1]); "
        "from ai_smartness.text import display, markers, words; print(*sys.modules)"
    )
    source = Path(ai_smartness.__file__).parents[1]
    ran = subprocess.run(
        [sys.executable, "-S", "-E", "-I", "-c", code, str(source)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert not {"re", "typing", "datetime"} & {*ran.stdout.split()}

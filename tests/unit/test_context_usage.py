"""How full a window is, by the end of a transcript."""

import json
import os
from pathlib import Path

import pytest

from ai_smartness.clients.claude_code.window_usage import TAIL_BYTES, ContextUsage, last_usage

COUNTS = {
    "input_tokens": 5,
    "cache_read_input_tokens": 90_000,
    "cache_creation_input_tokens": 1_000,
    "output_tokens": 20,
    "service_tier": "standard",
}
USAGE = ContextUsage(91_025, "claude-opus-5-5")


def an_answer(**more: object) -> dict[str, object]:
    message = {"model": "claude-opus-5-5", "role": "assistant", "content": [], "usage": COUNTS}
    return {"type": "assistant", "message": message, **more}


def a_transcript(folder: Path, *lines: object) -> Path:
    path = folder / "s1.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_what_the_last_answer_took_is_all_that_was_before_it_and_in_it(tmp_path: Path) -> None:
    small = {"type": "assistant", "message": {"usage": {"input_tokens": 7}}}
    path = a_transcript(tmp_path, small, an_answer(), {"type": "system", "subtype": "x"})

    assert last_usage(path) == USAGE


@pytest.mark.parametrize(
    "line",
    [
        an_answer(isSidechain=True, message={"usage": {"input_tokens": 3}}),
        {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"input_tokens": 0}}},
        {"type": "user", "message": {"usage": {"input_tokens": 3}}},
        {"type": "assistant", "message": {"usage": "many"}},
        {"type": "assistant", "message": None},
        [1],
        "words",
    ],
)
def test_lines_that_say_nothing_of_the_window_are_passed_over(tmp_path: Path, line: object) -> None:
    assert last_usage(a_transcript(tmp_path, an_answer(), line)) == USAGE


def test_after_a_compaction_nothing_is_known_until_the_next_answer(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary"}

    assert last_usage(a_transcript(tmp_path, an_answer(), boundary)) is None
    assert last_usage(a_transcript(tmp_path, boundary, an_answer())) == USAGE


def test_only_the_end_of_the_file_is_read(tmp_path: Path) -> None:
    path = a_transcript(tmp_path, an_answer(), {"type": "user", "text": "x" * TAIL_BYTES})
    assert last_usage(path) is None

    with path.open("a") as file:
        file.write(f"{json.dumps(an_answer())}\n" + '{"type": "assis')
    assert last_usage(path) == USAGE


def test_what_is_no_transcript_says_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe{}\n{\x00\n")

    for name in ("missing", "pipe", "bytes", "."):
        assert last_usage(tmp_path / name) is None


def test_a_window_is_wide_where_the_model_or_its_use_says_so() -> None:
    assert ContextUsage(1_000, "claude-opus-5-5").window_tokens(200_000) == 200_000
    assert ContextUsage(1_000, "claude-opus-5-5[1m]").window_tokens(200_000) == 1_000_000
    assert ContextUsage(300_000, "claude-opus-5-5").window_tokens(200_000) == 1_000_000
    assert ContextUsage(3_000_000, "mine").window_tokens(2_000_000) == 2_000_000

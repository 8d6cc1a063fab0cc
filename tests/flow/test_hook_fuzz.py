"""Real events, changed at random: the hook answers with nothing or with one JSON object."""

import contextlib
import io
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.entrypoints.hooks.main import attempt_step
from ai_smartness.entrypoints.hooks.run import run
from hooking import an_event, hooked, keep_alone, kept_in

ABOUT = {
    "session_id": "13f9504d-e324-4edd-b0f1-d3d2dac205f5",
    "transcript_path": "/CASE/home/.claude/projects/-CASE-proj/13f9504d.jsonl",
    "cwd": "/CASE/proj",
    "prompt_id": "4d1463ff-4599-4c20-bb9d-d52c8b854b88",
    "permission_mode": "default",
    "effort": {"level": "medium"},
    "tool_use_id": "toolu_db1cd8f812b74793b9db4f",
}
HUNK = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": ["-beta", "+gamma"]}
SAMPLES: list[dict[str, object]] = [
    an_event("SessionStart", source="compact", model="claude-opus-5-5"),
    an_event("UserPromptSubmit", prompt="hello <private>x</private>, what of solana?"),
    an_event("PreToolUse", tool_name="Read", tool_input={"file_path": "/p/.ai/recall/solana"}),
    an_event("PreToolUse", tool_name="Bash", tool_input={"command": "cat '.ai/recall/x y' | head"}),
    an_event(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "echo hi; echo err >&2", "description": "say hi"},
        tool_response={"stdout": "hi\nerr", "stderr": "", "interrupted": False},
    ),
    an_event(
        "PostToolUse",
        tool_name="Edit",
        tool_input={"file_path": "/CASE/proj/a.txt", "old_string": "beta", "new_string": "gamma"},
        tool_response={"filePath": "a.txt", "structuredPatch": [HUNK], "originalFile": "beta"},
    ),
    an_event(
        "PostToolUse",
        tool_name="Read",
        tool_input={"file_path": "/CASE/proj/a.txt"},
        tool_response={"type": "text", "file": {"content": "a", "numLines": 3, "startLine": 1}},
    ),
    an_event("PostToolUseFailure", tool_name="Bash", tool_input={}, error="Exit code 3"),
    an_event(
        "PostToolUse", tool_name="mcp__x__y", tool_input={"q": 1}, tool_response=[{"text": 1}]
    ),
    an_event("Stop", stop_hook_active=False, last_assistant_message="Final"),
    an_event("PostCompact", trigger="auto", compact_summary="<summary>S</summary>"),
    an_event("SessionEnd", reason="other"),
]

odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=40)
    | st.sampled_from(["<private>", "</private>", "../..", "\x00", ".ai/recall/", "cat .ai/help"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    fields = {**ABOUT, **draw(st.sampled_from(SAMPLES))}
    for _ in range(draw(st.integers(0, 4))):
        where = fields
        inside = draw(st.sampled_from(["", "tool_input", "tool_response"]))
        if isinstance(fields.get(inside), dict):
            where = fields[inside] = dict(fields[inside])  # type: ignore[call-overload]
        name = draw(st.sampled_from(sorted(where)) if where else st.text(max_size=5))
        if draw(st.booleans()):
            where[name] = draw(odd)
        else:
            where.pop(name, None)
    whole = json.dumps(fields).encode()
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 3]))):
        place = draw(st.integers(0, len(whole)))
        whole = whole[:place] + draw(st.binary(max_size=3)) + whole[place + 1 :]
    return whole


@contextmanager
def given_and_printed(folder: Path, whole: bytes) -> Iterator[Path]:
    """Put an event where the hook reads, and what it prints into a file."""
    (folder / "in").write_bytes(whole)
    before = [os.dup(0), os.dup(1)]
    for number, (name, how) in enumerate((("in", os.O_RDONLY), ("out", os.O_CREAT | os.O_RDWR))):
        handle = os.open(folder / name, how | (os.O_TRUNC if number else 0))
        os.dup2(handle, number)
        os.close(handle)
    try:
        yield folder / "out"
    finally:
        for number, handle in enumerate(before):
            os.dup2(handle, number)
            os.close(handle)


@given(changed())
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_event_is_too_odd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], whole: bytes
) -> None:
    monkeypatch.setenv("AIS_HOME", str(tmp_path / "home"))
    keep_alone(tmp_path / "home")

    with capfd.disabled(), given_and_printed(tmp_path, whole) as printed:
        run([], time.monotonic() + 60, attempt_step)

    told = printed.read_bytes()
    assert not told or isinstance(json.loads(told), dict)
    log = (tmp_path / "home" / "logs" / "hook.log").read_text().splitlines()[-1]
    with contextlib.suppress(ValueError):
        if isinstance(json.load(io.BytesIO(whole)), dict):
            assert "trouble" not in log, log


@given(changed())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nor_for_the_process_as_a_client_starts_it(tmp_path: Path, whole: bytes) -> None:
    assert hooked(tmp_path, whole).is_harmless


def test_every_sample_is_understood_as_it_is(tmp_path: Path) -> None:
    for sample in SAMPLES:
        assert hooked(tmp_path, {**ABOUT, **sample}).is_harmless

    assert len(kept_in(tmp_path)) == 9

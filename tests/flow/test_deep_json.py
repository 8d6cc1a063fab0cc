"""JSON that is nested too deep or has half a character in it: kept, answered, never dropped."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.fast_json import MAX_DEPTH, loads_bounded
from hooking import an_event, hooked, kept_in, log_of
from mcp_serving import Site

DEPTHS = [300, 900, 5_000, 100_000]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def nested(depth: int, opening: str, closing: str) -> str:
    return opening * depth + "1" + closing * depth


def deep_event(event: str, field: str, value: str) -> bytes:
    fields = an_event(
        event, prompt="keep this", tool_name="mcp__x__y", tool_use_id="t1", tool_response="done"
    )
    return f'{json.dumps(fields)[:-1]}, "{field}": {value}}}'.encode()


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_hook_keeps_an_event_however_deep_something_in_it_is(
    tmp_path: Path, depth: int, opening: str, closing: str
) -> None:
    deep = nested(depth, opening, closing)

    said = hooked(tmp_path, deep_event("UserPromptSubmit", "extra", deep))
    used = hooked(tmp_path, deep_event("PostToolUse", "tool_input", deep))

    assert said.is_harmless
    assert used.is_harmless
    assert len(kept_in(tmp_path)) == 2
    assert not any(name.startswith("trouble") for line in log_of(tmp_path) for name in line)


@pytest.mark.parametrize("field", ["prompt", "session_id", "cwd", "prompt_id"])
def test_a_hook_keeps_an_event_with_half_a_character(tmp_path: Path, field: str) -> None:
    event = {**an_event("UserPromptSubmit", prompt="keep this", cwd="/"), field: "/a \ud800 b"}

    assert hooked(tmp_path, event).is_harmless
    assert len(kept_in(tmp_path)) == 1
    assert len(log_of(tmp_path)) == 1


@pytest.mark.parametrize(("cwd", "path"), [("\0", "/proj/a.txt"), ("/", "/proj/\0.txt")])
def test_a_hook_keeps_an_event_with_a_path_that_cannot_be(
    tmp_path: Path, cwd: str, path: str
) -> None:
    wrote = {"file_path": path, "content": "x"}
    event = an_event(
        "PostToolUse", tool_name="Write", tool_use_id="t1", tool_input=wrote, tool_response={}
    )

    assert hooked(tmp_path, {**event, "cwd": cwd}).is_harmless
    assert len(kept_in(tmp_path)) == 1
    assert "trouble_keep" not in log_of(tmp_path)[-1]


def test_the_mcp_server_answers_every_call_however_odd_its_json_is(tmp_path: Path) -> None:
    site = Site.under(tmp_path)
    site.told(m1="rotate the keys")
    odd = [f'{{"query":{nested(depth, "[", "]")}}}' for depth in DEPTHS]
    odd += [r'{"query":"a \ud800 b"}', r'{"query":"\udfff"}', r'{"\ud800":"x"}']

    with site.line() as line:
        line.begin()
        for number, arguments in enumerate(odd, start=1):
            call = f'{{"name":"ai_recall","arguments":{arguments}}}'
            request = f'"id":{number},"method":"tools/call","params":{call}'
            line.write(f'{{"jsonrpc":"2.0",{request}}}\n'.encode())

            assert line.hear()["id"] == number


@given(values)
def test_what_is_not_deep_is_read_as_it_is(value: object) -> None:
    assert loads_bounded(json.dumps(value)) == value


@given(values, st.sampled_from([MAX_DEPTH + 1, 200, 3_000]))
def test_what_is_deep_is_cut_and_its_neighbours_stay(value: object, depth: int) -> None:
    text = f'{{"deep": {nested(depth, "[", "]")}, "beside": {json.dumps(value)}}}'

    read = loads_bounded(text)

    assert isinstance(read, dict)
    assert read["beside"] == value
    json.dumps(read)

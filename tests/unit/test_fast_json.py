"""The fast JSON gives what the library gives."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.fast_json import dumps, loads

texts = st.text(st.characters())
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_is_written_is_what_the_library_writes(value: object) -> None:
    assert dumps(value) == json.dumps(value, separators=(",", ":"))


@given(values)
def test_what_is_read_is_what_the_library_reads(value: object) -> None:
    assert loads(f"\n {json.dumps(value)}\t") == value


@given(st.text(max_size=30))
def test_what_the_library_refuses_is_refused(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011 - its kind is what callers rely on
            loads(text)
    else:
        assert loads(text) == expected or math.isnan(expected)


@pytest.mark.parametrize("text", ["", " ", "{", '{"a" 1}', "{} {}", "nul", '"\x01"', "[1,]"])
def test_what_is_no_json_is_said_in_the_library_s_words(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        loads(text)


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(TypeError):
        dumps({"a": object()})

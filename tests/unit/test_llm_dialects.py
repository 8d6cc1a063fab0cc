"""An answer is read or refused, whatever a server sends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.adapters.llm.provider_apis import PROVIDER_APIS, CompletionRequest
from ai_smartness.ports import Completion

STUMBLES = (ValueError, LookupError, TypeError, AttributeError)
NAMES = [
    "content",
    "type",
    "text",
    "usage",
    "input_tokens",
    "output_tokens",
    "choices",
    "message",
    "prompt_tokens",
    "eval_count",
]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("text"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("provider", list(PROVIDER_APIS))
@given(answer=anything)
def test_an_answer_gives_words_and_counts_or_stumbles(provider: str, answer: Any) -> None:  # noqa: ANN401 - any JSON
    try:
        read = PROVIDER_APIS[provider].read(answer)
    except STUMBLES:
        return

    assert isinstance(read.text, str)
    for count in (read.tokens_in, read.tokens_out):
        assert count is None or (type(count) is int and count >= 0)


def test_a_count_that_is_none_is_left_to_us() -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]
    for count in (True, -1, 1.5, "12", 10**30, None):
        usage = {"input_tokens": count, "output_tokens": count}
        read = PROVIDER_APIS["anthropic"].read({"content": content, "usage": usage})

        assert read == Completion("yes", None, None)


def test_openai_itself_is_asked_by_the_limit_it_takes_and_others_by_the_old_one() -> None:
    body = PROVIDER_APIS["openai"].body

    own = body(CompletionRequest("https://api.openai.com/v1/chat/completions", "m", "sum it up", 9))
    other = body(
        CompletionRequest("http://localhost:1234/v1/chat/completions", "m", "sum it up", 9),
    )

    assert (own["max_completion_tokens"], other["max_tokens"]) == (9, 9)
    assert "max_tokens" not in own

"""Check messages by the types of the official SDKs, and by the rules those types do not hold."""

import json
from typing import Any

from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

__all__ = ["assert_anthropic", "assert_openai"]

_ANTHROPIC = TypeAdapter(list[MessageParam])
_OPENAI = TypeAdapter(list[ChatCompletionMessageParam])


def assert_anthropic(messages: list[dict[str, Any]]) -> None:
    """Fail unless Anthropic's API would take the messages."""
    _validated(_ANTHROPIC, messages)
    assert [m["role"] for m in messages] == [("user", "assistant")[n % 2] for n in _up_to(messages)]
    asked: list[str] = []
    seen: set[str] = set()
    for message in messages:
        blocks = message["content"]
        assert blocks
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        assert results == asked
        assert [b["type"] for b in blocks[: len(results)]] == ["tool_result"] * len(results)
        assert all(b["text"].strip() for b in blocks if b["type"] == "text")
        asked = [b["id"] for b in blocks if b["type"] == "tool_use"]
        assert not asked or message["role"] == "assistant"
        assert not seen.intersection(asked)
        seen.update(asked)
    assert not asked


def assert_openai(messages: list[dict[str, Any]]) -> None:
    """Fail unless OpenAI's API would take the messages."""
    _validated(_OPENAI, messages)
    assert not messages or messages[0]["role"] == "user"
    asked: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == asked.pop(0)
            continue
        assert not asked
        assert message.get("content") or message.get("tool_calls")
        calls = message.get("tool_calls", [])
        assert all(isinstance(json.loads(c["function"]["arguments"]), dict) for c in calls)
        asked = [call["id"] for call in calls]
    assert not asked


def _validated(types: TypeAdapter[Any], messages: list[dict[str, Any]]) -> None:
    # Some fields are iterables in the types, and those are checked when they are read.
    json.dumps(types.dump_python(types.validate_python(messages, strict=False), mode="json"))


def _up_to(messages: list[dict[str, Any]]) -> range:
    return range(len(messages))

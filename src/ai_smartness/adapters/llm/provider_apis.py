"""How each API is spoken: what is sent, and where in the answer the words are.

Anthropic's Messages, the chat completions of OpenAI that many servers speak, and Ollama's
own, the only one that lets its window be set: by default it cuts a long prompt's beginning off.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ai_smartness.ports import Completion

__all__ = ["PROVIDER_APIS", "CompletionRequest", "ProviderApi"]

BYTES_PER_TOKEN = 3
"""So many at least: a window too large costs memory, one too small cuts the prompt."""

MAX_COUNTED_TOKENS = 1_000_000_000
"""What says that it took more has not counted."""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What is asked of whom."""

    url: str
    model: str
    prompt: str
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderApi:
    """One API; `read` raises what it stumbles over."""

    provider: str
    base_url: str
    path: str
    key_variable: str
    needs_key: bool
    headers: Callable[[str], dict[str, str]]
    body: Callable[[CompletionRequest], dict[str, object]]
    read: Callable[[Any], Completion]


def _anthropic_headers(key: str) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}


def _anthropic_body(asked: CompletionRequest) -> dict[str, object]:
    return {"model": asked.model, "max_tokens": asked.max_tokens, "messages": _chat_messages(asked)}


def _anthropic_read(answer: Any) -> Completion:  # noqa: ANN401 - anything a server may send
    blocks = [block["text"] for block in answer["content"] if block["type"] == "text"]
    usage = answer.get("usage") or {}
    kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    taken = [count for kind in kinds if (count := _token_count(usage, kind)) is not None]
    return Completion(
        "".join(blocks), sum(taken) if taken else None, _token_count(usage, "output_tokens")
    )


def _bearer_headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _openai_body(asked: CompletionRequest) -> dict[str, object]:
    # The newest models of OpenAI's own refuse the old name, other servers do not know the new one.
    own = "//api.openai.com" in asked.url
    limit = "max_completion_tokens" if own else "max_tokens"
    return {"model": asked.model, limit: asked.max_tokens, "messages": _chat_messages(asked)}


def _openai_read(answer: Any) -> Completion:  # noqa: ANN401 - anything a server may send
    text = answer["choices"][0]["message"]["content"] or ""
    usage = answer.get("usage") or {}
    return Completion(
        _checked_text(text),
        _token_count(usage, "prompt_tokens"),
        _token_count(usage, "completion_tokens"),
    )


def _ollama_body(asked: CompletionRequest) -> dict[str, object]:
    window = len(asked.prompt.encode()) // BYTES_PER_TOKEN + asked.max_tokens
    return {
        "model": asked.model,
        "messages": _chat_messages(asked),
        "stream": False,
        "options": {"num_predict": asked.max_tokens, "num_ctx": window},
    }


def _ollama_read(answer: Any) -> Completion:  # noqa: ANN401 - anything a server may send
    taken, given = _token_count(answer, "prompt_eval_count"), _token_count(answer, "eval_count")
    return Completion(_checked_text(answer["message"]["content"]), taken, given)


def _chat_messages(asked: CompletionRequest) -> list[dict[str, str]]:
    return [{"role": "user", "content": asked.prompt}]


def _checked_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _token_count(usage: Mapping[str, object], name: str) -> int | None:
    value = usage.get(name)
    return value if type(value) is int and 0 <= value <= MAX_COUNTED_TOKENS else None


PROVIDER_APIS: dict[str, ProviderApi] = {
    dialect.provider: dialect
    for dialect in (
        ProviderApi(
            provider="anthropic",
            base_url="https://api.anthropic.com",
            path="/v1/messages",
            key_variable="ANTHROPIC_API_KEY",
            needs_key=True,
            headers=_anthropic_headers,
            body=_anthropic_body,
            read=_anthropic_read,
        ),
        ProviderApi(
            provider="openai",
            base_url="https://api.openai.com/v1",
            path="/chat/completions",
            key_variable="OPENAI_API_KEY",
            needs_key=False,
            headers=_bearer_headers,
            body=_openai_body,
            read=_openai_read,
        ),
        ProviderApi(
            provider="ollama",
            base_url="http://localhost:11434",
            path="/api/chat",
            key_variable="",
            needs_key=False,
            headers=_bearer_headers,
            body=_ollama_body,
            read=_ollama_read,
        ),
    )
}

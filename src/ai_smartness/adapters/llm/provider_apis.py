"""The APIs of the providers: their requests, and the text in their answers.

Anthropic's Messages, OpenAI's chat completions, which many servers speak, and Ollama's own,
because only there the context window can be set: by default Ollama cuts the beginning of a
long prompt.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ai_smartness.ports import Completion
from ai_smartness.redact import redacted_text
from ai_smartness.text.display import one_line, shortened_text

__all__ = ["PROVIDER_APIS", "PROVIDER_DEFAULT", "CompletionRequest", "ProviderApi", "quoted_reply"]

BYTES_PER_TOKEN = 3  # at least: a window too large costs memory, one too small cuts the prompt
MAX_COUNTED_TOKENS = 1_000_000_000  # a larger count is an error of the server


SHOWN_CHARACTERS = 200

PROVIDER_DEFAULT = "default"  # the value of a setting that leaves it to the provider

Json: TypeAlias = Any  # anything a server may send


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A prompt for a model behind a URL."""

    url: str
    model: str
    prompt: str
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderApi:
    """One API; `read` raises on an answer of another form."""

    provider: str
    base_url: str
    path: str
    key_variable: str
    needs_key: bool
    headers: Callable[[str], dict[str, str]]
    body: Callable[[CompletionRequest], dict[str, object]]
    read: Callable[[Json], Completion]


def quoted_reply(reply: object) -> str:
    """Return the start of a model's reply in brackets, for an error message."""
    text = shortened_text(redacted_text(one_line(str(reply))), SHOWN_CHARACTERS).rstrip(".")
    return f" ({text})" if text else ""


def _anthropic_headers(key: str) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}


def _anthropic_body(request: CompletionRequest) -> dict[str, object]:
    return {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": _chat_messages(request),
    }


def _anthropic_read(answer: Json) -> Completion:
    blocks = [block["text"] for block in answer["content"] if block["type"] == "text"]
    usage = answer.get("usage") or {}
    kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    taken = [count for kind in kinds if (count := _token_count(usage, kind)) is not None]
    return Completion(
        "".join(blocks), sum(taken) if taken else None, _token_count(usage, "output_tokens")
    )


def _bearer_headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _openai_body(request: CompletionRequest) -> dict[str, object]:
    # OpenAI's newest models refuse the old name, other servers do not know the new one.
    own = "//api.openai.com" in request.url
    limit = "max_completion_tokens" if own else "max_tokens"
    return {"model": request.model, limit: request.max_tokens, "messages": _chat_messages(request)}


def _openai_read(answer: Json) -> Completion:
    text = answer["choices"][0]["message"]["content"] or ""
    usage = answer.get("usage") or {}
    return Completion(
        _checked_text(text),
        _token_count(usage, "prompt_tokens"),
        _token_count(usage, "completion_tokens"),
    )


def _ollama_body(request: CompletionRequest) -> dict[str, object]:
    window = len(request.prompt.encode()) // BYTES_PER_TOKEN + request.max_tokens
    return {
        "model": request.model,
        "messages": _chat_messages(request),
        "stream": False,
        "options": {"num_predict": request.max_tokens, "num_ctx": window},
    }


def _ollama_read(answer: Json) -> Completion:
    taken, given = _token_count(answer, "prompt_eval_count"), _token_count(answer, "eval_count")
    return Completion(_checked_text(answer["message"]["content"]), taken, given)


def _chat_messages(request: CompletionRequest) -> list[dict[str, str]]:
    return [{"role": "user", "content": request.prompt}]


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

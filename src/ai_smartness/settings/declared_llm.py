"""The settings of the language model: off by default, and the user's alone."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["LlmSettings"]


def _own(default: str | float, doc: str, **bounds: object) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "user_only": True, **bounds})


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """A language model, for those who want one; only the condenser `llm-summary` asks it."""

    provider: str = _own(
        "none",
        "Who is asked: `claude` (Claude Code's `claude -p`), `anthropic`, `openai` (and all that "
        "speak its chat completions) or `ollama`. With `none`, nothing leaves this machine and "
        "`llm-summary` does what `digest` does.",
        choices=("none", "claude", "anthropic", "openai", "ollama"),
    )
    model: str = _own(
        "default",
        "The model by its provider's name; `default` is Claude Code's own choice, and for the "
        "others none, since what is good and cheap changes too often to be chosen here.",
    )
    base_url: str = _own(
        "default",
        "Where the server is; `default` is the provider's own: `https://api.anthropic.com`, "
        "`https://api.openai.com/v1`, `http://localhost:11434`.",
    )
    key_variable: str = _own(
        "default",
        "The variable of the environment that holds the key, which is itself never kept; `default` "
        "is `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, and none for `ollama`.",
    )
    max_tokens: int = _own(
        4_000,
        "How many tokens an answer may have; as many as `condense.target_tokens`, for it must fit.",
        low=50,
        high=100_000,
    )
    prompt_tokens: int = _own(
        30_000,
        "How many tokens of a thread it is given at most, the tools' outputs cut first; what most "
        "models take. A small one on this machine may need less.",
        low=500,
        high=1_000_000,
    )
    timeout_seconds: float = _own(
        60.0,
        "How many seconds an answer may take, added to `condense.deadline_seconds`; a page takes "
        "some twenty.",
        low=0.1,
        high=3_600,
    )
    daily_tokens: int = _own(
        200_000,
        "How many tokens may be used in a day of UTC, by all projects and programs together, asked "
        "and answered; some six long threads. At the ceiling `digest` is used.",
        low=0,
        high=1_000_000_000,
    )

"""Which language model is asked, as the settings have it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ai_smartness.adapters.llm.claude import ClaudeProgram
from ai_smartness.adapters.llm.dialects import DIALECTS
from ai_smartness.adapters.llm.served import Limits, ServedModel, Server

__all__ = ["DEFAULT", "NO_PROVIDER", "Choice", "ChosenModel", "chosen"]

NO_PROVIDER = "none"
DEFAULT = "default"
"""What a setting says that leaves it to the provider."""

ChosenModel: TypeAlias = ClaudeProgram | ServedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A provider, a model of its, where it is and how far it may go."""

    provider: str = NO_PROVIDER
    model: str = DEFAULT
    base_url: str = DEFAULT
    key_variable: str = DEFAULT
    max_tokens: int = 4_000
    prompt_tokens: int = 30_000
    timeout_seconds: float = 60.0


def chosen(choice: Choice, environ: Mapping[str, str]) -> ChosenModel | None:
    """Return the model that is configured; what it lacks is said when it is asked."""
    if choice.provider == NO_PROVIDER:
        return None
    limits = Limits(
        window_tokens=choice.prompt_tokens,
        max_tokens=choice.max_tokens,
        seconds=choice.timeout_seconds,
    )
    model = "" if choice.model == DEFAULT else choice.model
    if choice.provider == ClaudeProgram.provider:
        return ClaudeProgram(model, limits, environ)
    dialect = DIALECTS[choice.provider]
    variable = dialect.key_variable if choice.key_variable == DEFAULT else choice.key_variable
    server = Server(
        url=dialect.base_url if choice.base_url == DEFAULT else choice.base_url,
        model=model,
        key_variable=variable,
        key=environ.get(variable, "").strip() if variable else "",
    )
    return ServedModel(dialect, server, limits)

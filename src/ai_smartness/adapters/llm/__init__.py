"""Which language model is asked, as the settings have it.

Language models, for those who configure one: a program on this machine, or a server.
"""

from collections.abc import Mapping
from typing import TypeAlias

from ai_smartness.adapters.llm.claude_program import ClaudeProgram
from ai_smartness.adapters.llm.provider_apis import PROVIDER_APIS
from ai_smartness.adapters.llm.served_model import ModelLimits, ModelServer, ServedModel
from ai_smartness.settings.schema import LlmSettings

__all__ = ["NO_PROVIDER", "PROVIDER_DEFAULT", "ChosenModel", "chosen_model"]


NO_PROVIDER = "none"
PROVIDER_DEFAULT = "default"
"""What a setting says that leaves it to the provider."""

ChosenModel: TypeAlias = ClaudeProgram | ServedModel


def chosen_model(choice: LlmSettings, environ: Mapping[str, str]) -> ChosenModel | None:
    """Return the model that is configured; what it lacks is said when it is asked."""
    if choice.provider == NO_PROVIDER:
        return None
    limits = ModelLimits(
        window_tokens=choice.prompt_tokens,
        max_tokens=choice.max_tokens,
        seconds=choice.timeout_seconds,
    )
    model = "" if choice.model == PROVIDER_DEFAULT else choice.model
    if choice.provider == ClaudeProgram.provider:
        return ClaudeProgram(model, limits, environ)
    dialect = PROVIDER_APIS[choice.provider]
    variable = (
        dialect.key_variable if choice.key_variable == PROVIDER_DEFAULT else choice.key_variable
    )
    server = ModelServer(
        url=dialect.base_url if choice.base_url == PROVIDER_DEFAULT else choice.base_url,
        model=model,
        key_variable=variable,
        key=environ.get(variable, "").strip() if variable else "",
    )
    return ServedModel(dialect, server, limits)

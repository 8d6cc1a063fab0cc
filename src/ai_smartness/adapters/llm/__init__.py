"""The optional language model: the program `claude`, or a server."""

from collections.abc import Mapping
from typing import TypeAlias

from ai_smartness.adapters.llm.claude_program import ClaudeProgram
from ai_smartness.adapters.llm.provider_apis import PROVIDER_APIS, ModelLimits
from ai_smartness.adapters.llm.served_model import ModelServer, ServedModel
from ai_smartness.settings.schema import LlmSettings

__all__ = ["ChosenModel", "chosen_model"]

NO_PROVIDER = "none"
PROVIDER_DEFAULT = "default"
"""The value of a setting that leaves it to the provider."""

ChosenModel: TypeAlias = ClaudeProgram | ServedModel


def chosen_model(settings: LlmSettings, environ: Mapping[str, str]) -> ChosenModel | None:
    """Return the configured model; incomplete settings are reported when it is asked."""
    if settings.provider == NO_PROVIDER:
        return None
    limits = ModelLimits(
        window_tokens=settings.prompt_tokens,
        max_tokens=settings.max_tokens,
        seconds=settings.timeout_seconds,
    )
    model = "" if settings.model == PROVIDER_DEFAULT else settings.model
    if settings.provider == ClaudeProgram.provider:
        return ClaudeProgram(model, limits, environ)
    api = PROVIDER_APIS[settings.provider]
    variable = settings.key_variable
    if variable == PROVIDER_DEFAULT:
        variable = api.key_variable
    server = ModelServer(
        url=api.base_url if settings.base_url == PROVIDER_DEFAULT else settings.base_url,
        model=model,
        key_variable=variable,
        key=environ.get(variable, "").strip() if variable else "",
    )
    return ServedModel(api, server, limits)

"""The optional language model: the program `claude`, or a server."""

from collections.abc import Mapping
from typing import TypeAlias

from ai_smartness.adapters.llm.claude_program import ClaudeProgram
from ai_smartness.adapters.llm.served_model import ServedModel
from ai_smartness.settings.schema import LlmSettings

__all__ = ["ChosenModel", "chosen_model"]

NO_PROVIDER = "none"

ChosenModel: TypeAlias = ClaudeProgram | ServedModel


def chosen_model(settings: LlmSettings, environ: Mapping[str, str]) -> ChosenModel | None:
    """Return the configured model; incomplete settings are reported when it is asked."""
    if settings.provider == NO_PROVIDER:
        return None
    if settings.provider == ClaudeProgram.provider:
        return ClaudeProgram(settings, environ)
    return ServedModel(settings, environ)

"""A memory with a language model to ask, and a model on a server that plays it."""

from pathlib import Path
from typing import Any

from ai_smartness.adapters.llm import chosen_model
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.journal import Actor
from ai_smartness.ports import LanguageModel
from ai_smartness.settings.schema import LlmSettings, Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON
from engines import TEMPORARY, open_store
from llm_server import Heard

__all__ = ["KEY", "a_memory", "served"]

KEY = "sk-sesame-0123456789"


def a_memory(
    model: LanguageModel | None,
    path: Path | str = TEMPORARY,
    **sections: Any,  # noqa: ANN401 - sections of the settings
) -> Memory:
    parts = MemoryParts(
        store=open_store(path),
        embedder=HashEmbedder,
        clock=SetClock(NOON),
        language_model=lambda: model,
    )
    return Memory(parts, "demo", Settings(**sections), Actor("agent", "claude-code"))


def served(server: Heard, **more: Any) -> LanguageModel | None:  # noqa: ANN401 - settings
    choice = LlmSettings(provider="anthropic", model="m", base_url=server.url, **more)
    return chosen_model(choice, {"ANTHROPIC_API_KEY": KEY})

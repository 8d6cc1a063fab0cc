"""Condense one thread: condensers, the working view, and the compactions they write.

`digest` is the default condenser. Add one with the entry point group
`ai_smartness.condensers` or with `Memory.register`.
"""

from ai_smartness.condense.condenser import Condenser, Context, Wrote
from ai_smartness.condense.condenser_registry import CondenserRegistry, plugin_condensers
from ai_smartness.condense.digest import Digest
from ai_smartness.condense.llm_summary import LlmSummary
from ai_smartness.condense.summarize import SummarizeAndReload
from ai_smartness.condense.trim import TrimToolResults

__all__ = [
    "Condenser",
    "CondenserRegistry",
    "Context",
    "Digest",
    "LlmSummary",
    "SummarizeAndReload",
    "TrimToolResults",
    "Wrote",
    "plugin_condensers",
]

"""Ways to write a compaction, each a pure rule: events in, what stands for them out.

`digest` is the default. Others come by the entry point group `ai_smartness.condensers`
or by `Memory.register`.
"""

from ai_smartness.compact.condensers.condenser import Condenser, Context, Wrote
from ai_smartness.compact.condensers.digest import Digest
from ai_smartness.compact.condensers.llm_summary import LlmSummary
from ai_smartness.compact.condensers.registry import Condensers, plugged_in
from ai_smartness.compact.condensers.summarize import SummarizeAndReload
from ai_smartness.compact.condensers.trim import TrimToolResults

__all__ = [
    "Condenser",
    "Condensers",
    "Context",
    "Digest",
    "LlmSummary",
    "SummarizeAndReload",
    "TrimToolResults",
    "Wrote",
    "plugged_in",
]

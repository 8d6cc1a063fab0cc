"""The language model, examined by `ais doctor`: how it is set, and whether it is within reach.

It is not asked anything: that could cost something.
"""

import os

from ai_smartness.entrypoints.cli.doctor_case import Case

__all__ = ["is_configured", "usable"]


def is_configured(case: Case) -> bool:
    """Say whether there is one to examine."""
    return case.loaded.settings.llm.provider != "none"


def usable(case: Case) -> str:
    """Say which it is and what it took today; refuse where it cannot be asked."""
    from ai_smartness.wiring import language_model, wired  # noqa: PLC0415 - not for --help

    settings = case.loaded.settings
    model = language_model(settings, case.environ)
    said = "none" if model is None else model.check()
    if not os.access(case.places.database, os.F_OK):
        return said
    with wired(case.places, settings, case.project) as memory:
        used = memory.tokens_today()
    return f"{said}; {used:,} of {settings.llm.daily_tokens:,} tokens used today"

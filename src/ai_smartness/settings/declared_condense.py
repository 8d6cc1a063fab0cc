"""The settings of condensing a thread that grew long."""

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["CondenseSettings"]


def _condensers() -> Sequence[str]:
    from ai_smartness.compact.condensers import Condensers, plugged_in  # noqa: PLC0415 - only to check a name

    return [each.id for each in Condensers(plugged_in)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseSettings:
    """How a long thread is said in few words."""

    default: str = field(
        default="digest",
        metadata={
            "doc": "The condenser that is used where none is named: one of ours (`digest`, "
            "`trim-tool-results`, `summarize-and-reload`, `llm-summary`) or of an installed "
            "package. The default needs no language model and keeps most of what was named.",
            "names": _condensers,
            "user_only": True,
        },
    )
    target_tokens: int = field(
        default=4_000,
        metadata={
            "doc": "How many tokens a thread's working view may take once it is condensed; some "
            "pages, a small part of any window.",
            "low": 100,
            "high": 1_000_000,
        },
    )
    deadline_seconds: float = field(
        default=30.0,
        metadata={
            "doc": "How many seconds a condenser may take; one that has not ended by then writes "
            "nothing. Ours take a second, a language model some ten.",
            "low": 0.1,
            "high": 3_600,
        },
    )
    window_tokens: int = field(
        default=200_000,
        metadata={
            "doc": "How many tokens the agent's window has, where it does not say. At 0.6 and 0.9 "
            "of it the threads of the session are condensed; most models have the default.",
            "low": 1_000,
            "high": 100_000_000,
        },
    )

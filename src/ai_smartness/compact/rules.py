"""The numbers condensing goes by."""

from dataclasses import dataclass

__all__ = ["CondenseRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseRules:
    """Which condenser, how small, how long it may take, and the window that fills."""

    default: str = "digest"
    target_tokens: int = 4_000
    deadline_seconds: float = 30.0
    window_tokens: int = 200_000

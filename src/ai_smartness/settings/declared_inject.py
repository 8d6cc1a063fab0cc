"""The settings of recall and of what is shown before each prompt."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["InjectSettings", "RecallSettings"]


def _share(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 0, "high": 1})


def _count(default: int, doc: str, *, low: int = 1, high: int = 100) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """What a recall answers."""

    floor: float = _share(
        0.1,
        "How relevant a thread must be to be an answer; who asks wants to see more than what is "
        "shown unasked, but not everything that shares a word.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectSettings:
    """What is shown to an agent before each prompt, unasked."""

    budget_tokens: int = _count(
        1_500,
        "How many tokens are shown at most; some twenty lines, a small part of any window.",
        low=100,
        high=2_500,
    )
    floor: float = _share(
        0.45,
        "How relevant the best must be for anything to be shown; what comes after it need be two "
        "thirds as relevant. Best over five sets of conversations: see docs/recall.md.",
    )
    standing_share: float = _share(
        0.25,
        "Which share of the tokens pins, identity and preferences may take; they are shown "
        "whatever is asked, and must not crowd out what answers.",
    )
    most_threads: int = _count(
        20,
        "How many threads are shown at most (`max_injection_count`); the tokens are used up before "
        "in most cases.",
    )
    depth_turns: int = _count(
        10,
        "After how many turns something may be shown again (`context_window_depth`); until then "
        "the agent has it in sight.",
        high=1_000,
    )
    recent_hours: float = field(
        default=6.0,
        metadata={
            "doc": "Within how many hours a thread counts as recent (`recent_duration`), and need "
            "be a little less relevant; a working day's half.",
            "low": 0,
            "high": 8_760,
        },
    )
    recent_session_only: bool = field(
        default=False,
        metadata={
            "doc": "Whether only threads of the same session count as recent (`channel_scope`); "
            "off, for what another session did this morning is of interest here."
        },
    )
    important: float = _share(
        0.8,
        "From which importance on a thread need be a little less relevant; decisions and "
        "constraints are, work is not.",
    )
    same: float = _share(
        0.85,
        "From which similarity on two texts say the same, and only one is shown "
        "(`semantic_threshold`).",
    )
    in_sight: int = _count(
        100,
        "How many of the entries shown last are compared with (`max_semantic_buffer`).",
        high=100,
    )
    lines: int = _count(
        3, "How many messages are shown of one thread, those that match best.", high=10
    )
    turns_before: int = _count(
        2,
        "With how many earlier prompts a short one is read together; what it leans on was said "
        "just before.",
        low=0,
        high=10,
    )
    beat_minutes: float = field(
        default=5.0,
        metadata={
            "doc": "How many minutes one beat of the memory's time is; five tell a pause from a "
            "night.",
            "low": 0.1,
            "high": 1_440,
        },
    )

"""The settings of bridges: from where on two threads have to do with each other."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["BridgeSettings"]


def _share(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 0, "high": 1})


def _count(default: int, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 1, "high": 100})


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeSettings:
    """When a thread is linked to an earlier one, and how much that says."""

    most: int = _count(
        5, "How many bridges lead from one thread; more would be a list to read, not a way to go."
    )
    rare_share: float = _share(
        0.02,
        "Up to which share of the threads may have a word that counts as rare; a project's own "
        "words are in more.",
    )
    rare_threads: int = _count(
        4,
        "Up to how many threads may have it in any case; in a young project a share is less than "
        "one thread.",
    )
    shared_terms: int = _count(
        2,
        "How many rare words two values must share to be of one thing; one alone is often chance.",
    )
    shared_choice_terms: int = _count(
        3, "The same for two choices; two tools can well serve one purpose side by side."
    )
    contradicting_terms: int = _count(
        3,
        "The same for two values that both stand; without a word of change only the thing itself "
        "tells.",
    )
    contradicting_share: float = _share(
        0.5,
        "Which share of the words around the value that has fewer must be shared then; else the "
        "two speak of other things.",
    )
    related_weight: float = _share(
        0.12,
        "From which weight on two threads are linked at all; under it they share words as any two "
        "of a project do.",
    )
    extending_names: int = _count(
        2,
        "How many rare identifiers it takes to go on with the same code; a path is enough alone.",
    )
    telling_terms: int = _count(
        20, "How many words of a thread are compared; more add time and common words."
    )
    replaced: float = _share(
        0.85, "How sure a bridge is when the old value was named and given up: nearly always right."
    )
    updated: float = _share(
        0.65,
        "How sure it is when a value of the same thing is said to be another now; the thing may "
        "still be another.",
    )
    contradicted: float = _share(
        0.4, "How sure it is when two values stand; nothing says which holds, if it is one thing."
    )
    needed: float = _share(
        0.6, "How sure it is when words of dependence name what the other thread is about."
    )
    extended: float = _share(
        0.5, "How sure it is when a later session has rare files or identifiers in common."
    )
    surer: float = _share(
        0.05, "What each shared rare word beyond those asked for adds; ten make one in two sure."
    )
    surest: float = _share(
        0.95, "How sure a bridge can be at most; words alone never make it certain."
    )
    agent_share: float = _share(
        0.8,
        "What is left of how sure it is when an agent said it; it reports, the user decides.",
    )

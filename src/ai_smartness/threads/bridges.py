"""The rules by which bridges between threads are made, strengthened and fade.

A bridge leaves from the later thread. Its relation is as strong as what the
words show: a related thread without more to be said is a `sibling`, and to say
nothing is better than to say that something was replaced when it was not.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.threads import decay

__all__ = ["BridgeRules", "bridge_id", "faded", "reinforced"]

REINFORCED_SHARE = 0.2
"""Of the way to 1, by each use: five uses lift a bridge of 0.3 to 0.77."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeRules:
    """From where on two threads have to do with each other, and how much that says."""

    most: int = 5
    """Bridges from one thread: more would be a list to read, not a way to go."""
    rare_share: float = 0.02
    """A term is rare in up to this share of the threads: a project's own words are in more."""
    rare_threads: int = 4
    """And always in up to this many: in a young project a share is less than one thread."""
    shared_terms: int = 2
    """Rare terms that two values must share to be of one thing: one alone is often chance."""
    shared_choice_terms: int = 3
    """For two choices: two tools can well serve one purpose side by side."""
    contradicting_terms: int = 3
    """For two values that both stand: without a word of change only the thing itself tells."""
    contradicting_share: float = 0.5
    """And of the terms around the value that has fewer: else the two speak of other things."""
    related_weight: float = 0.12
    """Under it two threads share words as any two of a project do."""
    extending_names: int = 2
    """Rare identifiers that going on with the same code takes; a path is enough alone."""
    telling_terms: int = 20
    """Of a thread, the most telling: more add time and common words."""
    replaced: float = 0.85
    """Confidence, when the old value was named and given up."""
    updated: float = 0.65
    """Confidence, when a value of the same thing is said to be another now."""
    contradicted: float = 0.4
    """Confidence, when two values stand and nothing says which holds."""
    needed: float = 0.6
    """Confidence, when words of dependence name what the other is about."""
    extended: float = 0.5
    """Confidence, when a later session has rare files or identifiers in common."""
    surer: float = 0.05
    """Added for each shared rare term beyond those that are asked for."""
    surest: float = 0.95
    """No bridge made by words is surer."""
    agent_share: float = 0.8
    """Of the confidence, when an agent said it: it reports, the user decides."""


def bridge_id(source: str, target: str, relation: Relation) -> str:
    """Return the id of the one bridge of this relation between two threads."""
    ends = f"{source}\0{target}\0{relation}".encode(errors="surrogatepass")
    return f"bridge_{blake2b(ends, digest_size=8).hexdigest()}"


def reinforced(bridge: Bridge, now: datetime) -> Bridge:
    """Return the bridge after it was of use: heavier, and fresh."""
    weight = bridge.weight + REINFORCED_SHARE * (1.0 - bridge.weight)
    return replace(bridge, weight=min(1.0, weight), last_used=max(bridge.last_used, now))


def faded(bridge: Bridge, now: datetime, half_life_days: float) -> float:
    """Return what the bridge weighs now, after its time without use."""
    return decay.faded(bridge.weight, now - bridge.last_used, timedelta(days=half_life_days))

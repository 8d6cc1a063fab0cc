"""The settings of placing: when a thread is left, gone back to or opened.

A weight is in units of a factor e in the odds: two weights can be compared,
and all of them with the thresholds.

The settings of bridges: from where on two threads have to do with each other.
"""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["BridgeSettings", "PlaceSettings"]


HEAVIEST = 20
"""A weight beyond it would decide alone whatever else is said."""


def _weight_key(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": -HEAVIEST, "high": HEAVIEST})


def _share_key(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 0, "high": 1})


def _amount_key(default: float, doc: str, *, low: float = 0, high: float = 1_000) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSettings:
    """On which thread a message belongs; the weights were fitted together, so turn few of them."""

    leave: float = _weight_key(
        0.3,
        "How ready a session is to leave its thread, before anything is weighed: raise it for more "
        "and smaller threads. Chosen by reading: at 0.3 four in five coding sessions stay whole.",
    )
    sure: float = _amount_key(
        0.5,
        "How clearly a message must leave to open a thread at once; a less clear one is held until "
        "the next message leaves too. At 0.5 only 4 % of the messages that continue would go.",
        high=20,
    )
    sure_words: int = _amount_key(
        12,
        "How many words such a message must have; a shorter one is held however clear it seems, so "
        "that a question in passing opens no thread.",
        high=1_000,
    )
    back: float = _amount_key(
        2.0,
        "How much an older thread of the session must want a message to be gone back to; high, "
        "because a wrong return mixes two subjects and a new thread can still be merged.",
        high=20,
    )
    back_aside: float = _amount_key(
        1.0,
        "The same after a single question on the present thread: that was most likely an aside, "
        "and the talk goes on where it was.",
        high=20,
    )
    min_words: int = _amount_key(
        4,
        "A shorter message answers: it neither leaves its thread nor looks elsewhere. `yes, do it` "
        "has three words.",
        high=100,
    )
    leave_length: float = _weight_key(
        1.5,
        "How much the length of a message speaks for leaving: a whole sentence can change the "
        "subject, `commit` cannot.",
    )
    leave_untold: float = _weight_key(
        2.3,
        "How much it speaks for leaving that a message tells what the thread has not heard; of all "
        "that speaks for leaving, the fit gave it most.",
    )
    untold_half: float = _amount_key(
        30.0,
        "At how much unheard information that counts half: six rare words of a project of a few "
        "hundred messages.",
        low=0.1,
    )
    stay_last: float = _weight_key(
        1.7,
        "How much similarity to the last message speaks for staying; less than to the nearest "
        "one, since the last is often an agent's status line.",
    )
    stay_near: float = _weight_key(
        2.4,
        "How much similarity to the nearest of the recent messages speaks for staying; of all that "
        "speaks for staying, the fit gave it most.",
    )
    stay_subject: float = _weight_key(
        1.0,
        "How much similarity to the moving average of the thread speaks for staying; it steadies "
        "the other two, which see single messages.",
    )
    stay_cover: float = _weight_key(
        1.3,
        "How much it speaks for staying that the thread has heard a message's words; less than "
        "similarity, which sees them too.",
    )
    stay_shared: float = _weight_key(
        1.1,
        "How much rare words, identifiers and files in common speak for staying.",
    )
    stay_blind: float = _weight_key(
        2.35,
        "What speaks for staying without an embedder, in the place of the three similarities: what "
        "they come to on average.",
    )
    kin: float = _share_key(
        0.65,
        "How close, in vectors and words, a session's first words must be to the thread of an "
        "earlier session to take it up again; at 0.65 all returns found were read, and at most a "
        "third were debatable.",
    )
    kin_live: float = _share_key(
        0.8,
        "The same while another session is at work on that thread: two sessions at once should not "
        "get mixed up.",
    )
    kin_words: float = _share_key(
        0.6,
        "The same by words alone, without an embedder, where the numbers come out a little lower.",
    )
    kin_terms: int = _amount_key(
        2,
        "How many words that few other threads have must be in common: one can be chance.",
        low=1,
        high=100,
    )
    live_minutes: float = _amount_key(
        20.0,
        "How long after its last message a session still counts as at work; set by hand, long "
        "enough for an agent's slow run.",
        high=10_080,
    )
    current: float = _weight_key(
        0.4,
        "Where several people talk: how much it counts that the last message was on the thread; "
        "little, because in a busy room the next line is often another talk's.",
    )
    alone: float = _weight_key(
        1.4,
        "What that counts more where nobody is named: one person goes on with one thing.",
    )
    recent: float = _weight_key(
        0.48,
        "What a thread loses with each doubling of the messages since its last one.",
    )
    gap: float = _weight_key(
        0.4,
        "What a thread loses with each doubling of the minutes since its last message. Only in "
        "company: with one person a night's sleep is no new subject.",
    )
    answers: float = _weight_key(
        1.1,
        "How much it counts for an agent's message that the last question was on the thread.",
    )
    last: float = _weight_key(
        2.7,
        "Where several people talk: how much similarity to a thread's last message counts.",
    )
    near: float = _weight_key(
        2.0,
        "How much similarity to the nearest of its recent messages counts there.",
    )
    shared: float = _weight_key(
        2.1,
        "How much rare words, identifiers and files in common count there.",
    )
    shared_older: float = _weight_key(
        1.9,
        "What they count more for a thread one has to go back to: there they are no echo of the "
        "line before.",
    )
    shared_half: float = _amount_key(
        10.0,
        "At how much information in common that counts half: two rare words.",
        low=0.1,
    )
    cover: float = _weight_key(
        0.7,
        "How much it counts there that a thread has heard a message's words; little beside the "
        "rare ones.",
    )
    spoke: float = _weight_key(
        1.4,
        "How much it counts that the speaker's last message was on the thread.",
    )
    takes_part: float = _weight_key(
        1.9,
        "How much it counts that the speaker takes part in a thread at all.",
    )
    told: float = _weight_key(
        0.75,
        "How much it counts that the speaker was last spoken to on the thread.",
    )
    spoken_to: float = _weight_key(
        1.4,
        "How much it counts that the last message of the one spoken to was on the thread.",
    )
    partner: float = _weight_key(
        1.8,
        "How much it counts that the one spoken to takes part in a thread.",
    )
    partner_fresh: float = _weight_key(
        1.8,
        "What that counts more when they were heard there just now; it halves every 20 messages.",
    )
    stranger: float = _weight_key(
        -2.3,
        "What speaks against a thread on which the one spoken to never was.",
    )
    talked: float = _weight_key(
        0.6,
        "How much it counts that these two have talked on the thread before.",
    )
    new: float = _weight_key(
        2.4,
        "Where several people talk: how ready they are to open a thread, before anything is "
        "weighed. Fitted, as all the weights of company, on talk whose threads people marked.",
    )
    blind: float = _weight_key(
        1.9,
        "What is taken from that without an embedder: what similarity says of a message that "
        "continues.",
    )
    new_speaker: float = _weight_key(
        1.7,
        "How much it speaks for a new thread that the speaker was not heard before: people come "
        "with a question of their own.",
    )
    new_to_all: float = _weight_key(
        0.3,
        "How much it speaks for a new thread that a message is to nobody in particular.",
    )
    new_length: float = _weight_key(
        2.1,
        "How much the length of a message speaks for a new thread.",
    )
    new_words: int = _amount_key(
        12,
        "From how many words on a message counts as a whole sentence, for the length.",
        low=1,
        high=1_000,
    )
    new_by_agent: float = _weight_key(
        -6.0,
        "What speaks against an agent's message opening a thread: it answers.",
    )
    new_by_agent_after: float = _weight_key(
        4.0,
        "What is given back after a silence, where its question may be missing.",
    )
    silence_minutes: float = _amount_key(
        10.0,
        "How long such a silence is; set by hand, and of little effect on what was measured.",
        high=10_080,
    )
    candidates_recent: int = _amount_key(
        24,
        "How many of a session's latest threads are looked at; 24 are more than go on at once even "
        "in a busy channel.",
        low=1,
    )
    candidates_words: int = _amount_key(
        8,
        "How many threads are looked up by a message's rare words; further ones share too little "
        "to win.",
    )
    candidates_vector: int = _amount_key(
        8,
        "How many threads are looked up by similarity to their centre when a session begins.",
    )


def _bridge_share(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 0, "high": 1})


def _bridge_count(default: int, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 1, "high": 100})


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeSettings:
    """When a thread is linked to an earlier one, and how much that says."""

    most: int = _bridge_count(
        5,
        "How many bridges lead from one thread; more would be a list to read, not a way to go.",
    )
    rare_share: float = _bridge_share(
        0.02,
        "Up to which share of the threads may have a word that counts as rare; a project's own "
        "words are in more.",
    )
    rare_threads: int = _bridge_count(
        4,
        "Up to how many threads may have it in any case; in a young project a share is less than "
        "one thread.",
    )
    shared_terms: int = _bridge_count(
        2,
        "How many rare words two values must share to be of one thing; one alone is often chance.",
    )
    shared_choice_terms: int = _bridge_count(
        3,
        "The same for two choices; two tools can well serve one purpose side by side.",
    )
    contradicting_terms: int = _bridge_count(
        3,
        "The same for two values that both stand; without a word of change only the thing itself "
        "tells.",
    )
    contradicting_share: float = _bridge_share(
        0.5,
        "Which share of the words around the value that has fewer must be shared then; else the "
        "two speak of other things.",
    )
    related_weight: float = _bridge_share(
        0.12,
        "From which weight on two threads are linked at all; under it they share words as any two "
        "of a project do.",
    )
    extending_names: int = _bridge_count(
        2,
        "How many rare identifiers it takes to go on with the same code; a path is enough alone.",
    )
    telling_terms: int = _bridge_count(
        20,
        "How many words of a thread are compared; more add time and common words.",
    )
    replaced: float = _bridge_share(
        0.85,
        "How sure a bridge is when the old value was named and given up: nearly always right.",
    )
    updated: float = _bridge_share(
        0.65,
        "How sure it is when a value of the same thing is said to be another now; the thing may "
        "still be another.",
    )
    contradicted: float = _bridge_share(
        0.4,
        "How sure it is when two values stand; nothing says which holds, if it is one thing.",
    )
    needed: float = _bridge_share(
        0.6,
        "How sure it is when words of dependence name what the other thread is about.",
    )
    extended: float = _bridge_share(
        0.5,
        "How sure it is when a later session has rare files or identifiers in common.",
    )
    surer: float = _bridge_share(
        0.05,
        "What each shared rare word beyond those asked for adds; ten make one in two sure.",
    )
    surest: float = _bridge_share(
        0.95,
        "How sure a bridge can be at most; words alone never make it certain.",
    )
    agent_share: float = _bridge_share(
        0.8,
        "What is left of how sure it is when an agent said it; it reports, the user decides.",
    )

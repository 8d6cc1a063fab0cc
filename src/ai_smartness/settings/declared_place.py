"""The settings of placing: when a thread is left, gone back to or opened.

A weight is in units of a factor e in the odds: two weights can be compared,
and all of them with the thresholds.
"""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["PlaceSettings"]

HEAVIEST = 20
"""A weight beyond it would decide alone whatever else is said."""


def _weight(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": -HEAVIEST, "high": HEAVIEST})


def _share(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 0, "high": 1})


def _amount(default: float, doc: str, *, low: float = 0, high: float = 1_000) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSettings:
    """On which thread a message belongs; the weights were fitted together, so turn few of them."""

    leave: float = _weight(
        0.3,
        "How ready a session is to leave its thread, before anything is weighed: raise it for more "
        "and smaller threads. Chosen by reading: at 0.3 four in five coding sessions stay whole.",
    )
    sure: float = _amount(
        0.5,
        "How clearly a message must leave to open a thread at once; a less clear one is held until "
        "the next message leaves too. At 0.5 only 4 % of the messages that continue would go.",
        high=20,
    )
    sure_words: int = _amount(
        12,
        "How many words such a message must have; a shorter one is held however clear it seems, so "
        "that a question in passing opens no thread.",
        high=1_000,
    )
    back: float = _amount(
        2.0,
        "How much an older thread of the session must want a message to be gone back to; high, "
        "because a wrong return mixes two subjects and a new thread can still be merged.",
        high=20,
    )
    back_aside: float = _amount(
        1.0,
        "The same after a single question on the present thread: that was most likely an aside, "
        "and the talk goes on where it was.",
        high=20,
    )
    min_words: int = _amount(
        4,
        "A shorter message answers: it neither leaves its thread nor looks elsewhere. `yes, do it` "
        "has three words.",
        high=100,
    )
    leave_length: float = _weight(
        1.5,
        "How much the length of a message speaks for leaving: a whole sentence can change the "
        "subject, `commit` cannot.",
    )
    leave_untold: float = _weight(
        2.3,
        "How much it speaks for leaving that a message tells what the thread has not heard; of all "
        "that speaks for leaving, the fit gave it most.",
    )
    untold_half: float = _amount(
        30.0,
        "At how much unheard information that counts half: six rare words of a project of a few "
        "hundred messages.",
        low=0.1,
    )
    stay_last: float = _weight(
        1.7,
        "How much similarity to the last message speaks for staying; less than to the nearest "
        "one, since the last is often an agent's status line.",
    )
    stay_near: float = _weight(
        2.4,
        "How much similarity to the nearest of the recent messages speaks for staying; of all that "
        "speaks for staying, the fit gave it most.",
    )
    stay_subject: float = _weight(
        1.0,
        "How much similarity to the moving average of the thread speaks for staying; it steadies "
        "the other two, which see single messages.",
    )
    stay_cover: float = _weight(
        1.3,
        "How much it speaks for staying that the thread has heard a message's words; less than "
        "similarity, which sees them too.",
    )
    stay_shared: float = _weight(
        1.1,
        "How much rare words, identifiers and files in common speak for staying.",
    )
    stay_blind: float = _weight(
        2.35,
        "What speaks for staying without an embedder, in the place of the three similarities: what "
        "they come to on average.",
    )
    kin: float = _share(
        0.65,
        "How close, in vectors and words, a session's first words must be to the thread of an "
        "earlier session to take it up again; at 0.65 all returns found were read, and at most a "
        "third were debatable.",
    )
    kin_live: float = _share(
        0.8,
        "The same while another session is at work on that thread: two sessions at once should not "
        "get mixed up.",
    )
    kin_words: float = _share(
        0.6,
        "The same by words alone, without an embedder, where the numbers come out a little lower.",
    )
    kin_terms: int = _amount(
        2,
        "How many words that few other threads have must be in common: one can be chance.",
        low=1,
        high=100,
    )
    live_minutes: float = _amount(
        20.0,
        "How long after its last message a session still counts as at work; set by hand, long "
        "enough for an agent's slow run.",
        high=10_080,
    )
    current: float = _weight(
        0.4,
        "Where several people talk: how much it counts that the last message was on the thread; "
        "little, because in a busy room the next line is often another talk's.",
    )
    alone: float = _weight(
        1.4,
        "What that counts more where nobody is named: one person goes on with one thing.",
    )
    recent: float = _weight(
        0.48,
        "What a thread loses with each doubling of the messages since its last one.",
    )
    gap: float = _weight(
        0.4,
        "What a thread loses with each doubling of the minutes since its last message. Only in "
        "company: with one person a night's sleep is no new subject.",
    )
    answers: float = _weight(
        1.1,
        "How much it counts for an agent's message that the last question was on the thread.",
    )
    last: float = _weight(
        2.7,
        "Where several people talk: how much similarity to a thread's last message counts.",
    )
    near: float = _weight(
        2.0,
        "How much similarity to the nearest of its recent messages counts there.",
    )
    shared: float = _weight(
        2.1,
        "How much rare words, identifiers and files in common count there.",
    )
    shared_older: float = _weight(
        1.9,
        "What they count more for a thread one has to go back to: there they are no echo of the "
        "line before.",
    )
    shared_half: float = _amount(
        10.0,
        "At how much information in common that counts half: two rare words.",
        low=0.1,
    )
    cover: float = _weight(
        0.7,
        "How much it counts there that a thread has heard a message's words; little beside the "
        "rare ones.",
    )
    spoke: float = _weight(
        1.4,
        "How much it counts that the speaker's last message was on the thread.",
    )
    takes_part: float = _weight(
        1.9,
        "How much it counts that the speaker takes part in a thread at all.",
    )
    told: float = _weight(
        0.75,
        "How much it counts that the speaker was last spoken to on the thread.",
    )
    spoken_to: float = _weight(
        1.4,
        "How much it counts that the last message of the one spoken to was on the thread.",
    )
    partner: float = _weight(
        1.8,
        "How much it counts that the one spoken to takes part in a thread.",
    )
    partner_fresh: float = _weight(
        1.8,
        "What that counts more when they were heard there just now; it halves every 20 messages.",
    )
    stranger: float = _weight(
        -2.3,
        "What speaks against a thread on which the one spoken to never was.",
    )
    talked: float = _weight(
        0.6,
        "How much it counts that these two have talked on the thread before.",
    )
    new: float = _weight(
        2.4,
        "Where several people talk: how ready they are to open a thread, before anything is "
        "weighed. Fitted, as all the weights of company, on talk whose threads people marked.",
    )
    blind: float = _weight(
        1.9,
        "What is taken from that without an embedder: what similarity says of a message that "
        "continues.",
    )
    new_speaker: float = _weight(
        1.7,
        "How much it speaks for a new thread that the speaker was not heard before: people come "
        "with a question of their own.",
    )
    new_to_all: float = _weight(
        0.3,
        "How much it speaks for a new thread that a message is to nobody in particular.",
    )
    new_length: float = _weight(
        2.1,
        "How much the length of a message speaks for a new thread.",
    )
    new_words: int = _amount(
        12,
        "From how many words on a message counts as a whole sentence, for the length.",
        low=1,
        high=1_000,
    )
    new_by_agent: float = _weight(
        -6.0,
        "What speaks against an agent's message opening a thread: it answers.",
    )
    new_by_agent_after: float = _weight(
        4.0,
        "What is given back after a silence, where its question may be missing.",
    )
    silence_minutes: float = _amount(
        10.0,
        "How long such a silence is; set by hand, and of little effect on what was measured.",
        high=10_080,
    )
    candidates_recent: int = _amount(
        24,
        "How many of a session's latest threads are looked at; 24 are more than go on at once even "
        "in a busy channel.",
        low=1,
    )
    candidates_words: int = _amount(
        8,
        "How many threads are looked up by a message's rare words; further ones share too little "
        "to win.",
    )
    candidates_vector: int = _amount(
        8,
        "How many threads are looked up by similarity to their centre when a session begins.",
    )

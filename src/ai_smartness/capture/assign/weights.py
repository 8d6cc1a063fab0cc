"""The weights and thresholds that decide on which thread a message belongs.

They are constants: fitted together, so changing one alone makes the others wrong.
"""

from dataclasses import dataclass

__all__ = ["AssignWeights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignWeights:
    """One unit of weight is a factor e in the odds, so weights compare with thresholds.

    Fitted as a conditional logit on three very different kinds of conversation at once (IRC,
    hidden coding sessions, people with an assistant) and rounded. `docs/capture.md` names those
    that were chosen by reading instead.
    """

    unrelated_cosine: float = 0.62
    """Of two unrelated documents; a property of the embedding model, here of arctic-embed-s."""

    # One person and an agent: evidence for leaving the thread, and for staying.
    leave: float = 0.3  # by reading: four in five coding sessions stay whole
    leave_length: float = 1.5  # a whole sentence can change the subject, `commit` cannot
    leave_untold: float = 2.3  # says what the thread has not heard: the strongest sign of leaving
    stay_last: float = 1.7  # less than the nearest: the last is often an agent's status line
    stay_near: float = 2.4  # the strongest sign of staying
    stay_subject: float = 1.0  # the thread's moving average steadies the other two
    stay_cover: float = 1.3  # the thread has heard the words; similarity sees them too
    stay_shared: float = 1.1  # rare words, identifiers and files in common
    stay_blind: float = 2.35  # without an embedder: the average of the three similarities
    sure: float = 0.5  # opens a thread at once; only 4 % of continuing messages would go
    sure_words: int = 12  # a shorter message is held, so a passing question opens no thread
    back: float = 2.0  # high: a wrong return mixes two subjects, a new thread can be merged
    back_aside: float = 1.0  # after a single question, which was most likely an aside
    min_words: int = 4  # a shorter message answers; `yes, do it` has three
    untold_half: float = 30.0  # six rare words of a project of a few hundred messages

    # Across sessions: old work taken up again.
    kin: float = 0.65  # every return at this value was read, at most a third were debatable
    kin_live: float = 0.8  # while another session works on the thread
    kin_words: float = 0.6  # without an embedder, where the numbers are a little lower
    kin_terms: int = 2  # one rare word in common can be chance
    live_minutes: float = 20.0  # by hand: long enough for an agent's slow run

    # A room of named speakers, or no session to go by: the course of the conversation …
    current: float = 0.4  # in a busy room the next line often belongs to another conversation
    alone: float = 1.4  # nobody is named: one person goes on with one thing
    recent: float = 0.48  # lost with each doubling of the messages since
    gap: float = 0.4  # lost with each doubling of the minutes since
    answers: float = 1.1  # an agent's message, and the last question was on the thread
    # … the subject …
    last: float = 2.7
    near: float = 2.0
    shared: float = 2.1
    shared_older: float = 1.9  # more for an older thread: there it is no echo of the line before
    shared_half: float = 10.0  # two rare words
    cover: float = 0.7
    # … who answers whom …
    spoke: float = 1.4  # the speaker's last message was on the thread
    takes_part: float = 1.9  # the speaker takes part in it at all
    told: float = 0.75  # the speaker was last addressed on it
    spoken_to: float = 1.4  # the addressee's last message was on it
    partner: float = 1.8  # the addressee takes part in it
    partner_fresh: float = 1.8  # more when heard there just now; halves every 20 messages
    stranger: float = -2.3  # the addressee was never on it
    talked: float = 0.6  # the two have talked on it before
    # … and evidence for a new thread.
    new: float = 2.4
    blind: float = 1.9  # less without an embedder: the similarity of a continuing message
    new_speaker: float = 1.7  # people come with a question of their own
    new_to_all: float = 0.3  # addressed to nobody in particular
    new_length: float = 2.1
    new_words: int = 12  # counts as a whole sentence
    new_by_agent: float = -6.0  # an agent answers
    new_by_agent_after: float = 4.0  # unless after a silence: its question may be missing
    silence_minutes: float = 10.0  # by hand, of little effect on what was measured

    # How many threads are looked at.
    candidates_recent: int = 24  # more than go on at once even in a busy channel
    candidates_words: int = 8
    candidates_vector: int = 8

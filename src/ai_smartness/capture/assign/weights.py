"""Every constant of placing.

Each is a setting too, under `place.` and the same name, where the reason for
its default is told in full.
"""

from dataclasses import dataclass

__all__ = ["AssignWeights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignWeights:
    """The weights and thresholds of placing; one unit of weight is a factor e in the odds.

    Fitted as a conditional logit on three very different kinds of talk at once
    and rounded; see `docs/capture.md` for what was chosen by reading instead.
    """

    unrelated_cosine: float = 0.62
    """Of two texts that have nothing in common. The embedding model's own, so no setting: this
    is that of arctic-embed-s for two documents."""

    # One person and an agent: what speaks for leaving the thread, and for staying.
    leave: float = 0.3
    leave_length: float = 1.5
    leave_untold: float = 2.3
    stay_last: float = 1.7
    stay_near: float = 2.4
    stay_subject: float = 1.0
    stay_cover: float = 1.3
    stay_shared: float = 1.1
    stay_blind: float = 2.35
    sure: float = 0.5
    sure_words: int = 12
    back: float = 2.0
    back_aside: float = 1.0
    min_words: int = 4
    untold_half: float = 30.0

    # Across sessions: old work taken up again.
    kin: float = 0.65
    kin_live: float = 0.8
    kin_words: float = 0.6
    kin_terms: int = 2
    live_minutes: float = 20.0

    # A room of named speakers, or no session to go by: where the talk stands.
    current: float = 0.4
    alone: float = 1.4
    recent: float = 0.48
    gap: float = 0.4
    answers: float = 1.1
    # … what it is about
    last: float = 2.7
    near: float = 2.0
    shared: float = 2.1
    shared_older: float = 1.9
    shared_half: float = 10.0
    cover: float = 0.7
    # … who answers whom
    spoke: float = 1.4
    takes_part: float = 1.9
    told: float = 0.75
    spoken_to: float = 1.4
    partner: float = 1.8
    partner_fresh: float = 1.8
    stranger: float = -2.3
    talked: float = 0.6
    # … what speaks for a new thread
    new: float = 2.4
    blind: float = 1.9
    new_speaker: float = 1.7
    new_to_all: float = 0.3
    new_length: float = 2.1
    new_words: int = 12
    new_by_agent: float = -6.0
    new_by_agent_after: float = 4.0
    silence_minutes: float = 10.0

    # How far one looks.
    candidates_recent: int = 24
    candidates_words: int = 8
    candidates_vector: int = 8

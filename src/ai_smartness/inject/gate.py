"""Judge how sure it is that a prompt should be given memory.

"explain what a mutex is" and "ok, go on" need none, however well some stored line matches them. A
linear head over the prompt's vector and its form was fitted on `training/prompts.jsonl` by
`scripts/fit`. Without a model for which it was fitted, only the relevance of what was found counts.
The longer a session has gone on, the more of what it needs stands in it already.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ai_smartness.capture.embed import model_errors
from ai_smartness.model.event import Event
from ai_smartness.model.injection import UNNEEDED_WORDS, UNSURE_WORDS, InjectionReason
from ai_smartness.model.search import Hit
from ai_smartness.ports import Embedder
from ai_smartness.text.translate import english_wording

__all__ = ["PromptGate", "messages_in_sight", "prompt_need"]

IMPORTANT_FLOOR_SHARE = 0.8  # share of the floor for important and recent threads
TOOL_FLOOR_SHARE = 1.25  # share of the floor for raw tool output, which seldom says what holds
TOOL_ROLE = "tool"
NEED_OFFSET, NEED_RELEVANCE = 0.6, 2.0
"""How the need of a prompt and the best relevance count together, chosen on the prompts of
`training/projects.jsonl`, whose writers the head has not seen."""

LEAST_NEED, MOST_NEED = -3.0, 1.5
"""The bounds of what the head says, as log odds: it knows coding, and may be surely wrong about
other talk. It can keep the memory silent, and cannot alone make it speak late in a session."""

SESSION_WEIGHT = 0.75  # what the logarithm of the session's messages takes from the log odds
MOST_MESSAGES = 6  # of a session that count: after that it makes no difference
LONG_PAUSE = timedelta(hours=4)  # after it, somebody begins anew


@dataclass(frozen=True, slots=True)
class PromptGate:
    """The need of a prompt, if a model knows it, and the messages of its session in sight.

    An error that comes up has no part in what the session said before.
    """

    need: float | None = None
    session_messages: int = 0
    has_error: bool = False

    def certainty(self, relevance: float) -> float:
        """Return how sure it is that the prompt should be given what is so relevant, 0–1."""
        if self.need is None:
            return relevance
        odds = _bounded_log_odds(self.need) + NEED_RELEVANCE * relevance - NEED_OFFSET
        messages = 0 if self.has_error else min(self.session_messages, MOST_MESSAGES)
        odds -= SESSION_WEIGHT * math.log1p(messages)
        return 1.0 / (1.0 + math.exp(-odds))

    def is_open_for(self, hit: Hit, reason: InjectionReason, floor: float) -> bool:
        """Say whether a sentence of a thread makes the memory speak."""
        if hit.role == TOOL_ROLE:
            floor *= TOOL_FLOOR_SHARE
        elif reason in (InjectionReason.IMPORTANT, InjectionReason.RECENT):
            floor *= IMPORTANT_FLOOR_SHARE
        return self.certainty(hit.relevance) >= floor

    def silence_reason(self, hits: Sequence[Hit], reason: InjectionReason, floor: float) -> str:
        """Say why none of a thread's sentences makes the memory speak: what decided that."""
        relevance = f"relevance {max((hit.relevance for hit in hits), default=0.0):.2f}"
        if not any(PromptGate().is_open_for(hit, reason, floor) for hit in hits):
            return f"{relevance}: {UNSURE_WORDS} that the prompt needs it"
        early = replace(self, session_messages=0)
        is_late = any(early.is_open_for(hit, reason, floor) for hit in hits)
        when = "so late in the session " if is_late else ""
        return f"{relevance}, but {when}the prompt {UNNEEDED_WORDS}"


def prompt_need(prompt: str, embedder: Embedder | None) -> float | None:
    """Return the probability that a prompt needs the memory; none if no head knows the model."""
    if embedder is None:
        return None
    from ai_smartness.search.prompt_form import form_rows
    from ai_smartness.statements.heads import load_heads

    heads = load_heads(embedder.space)
    if heads is None:
        return None
    prompt = english_wording(prompt) or prompt
    with model_errors():
        vector = embedder.query(prompt)
    return float(heads.need.probabilities(form_rows([prompt], [vector]))[0])


def messages_in_sight(latest: Sequence[Event], epoch_seq: int, now: datetime) -> int:
    """Count the session's latest messages since a compaction or a long pause, the newest first."""
    count, after = 0, now
    for event in latest:
        if event.seq <= epoch_seq or after - event.at > LONG_PAUSE:
            break
        count, after = count + 1, event.at
    return count


def _bounded_log_odds(chance: float) -> float:
    """Return the log odds of a chance; certainty has none that are finite."""
    if not 0.0 < chance < 1.0:
        return MOST_NEED if chance else LEAST_NEED
    return min(MOST_NEED, max(LEAST_NEED, math.log(chance / (1.0 - chance))))

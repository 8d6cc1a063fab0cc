"""Judge how sure it is that a prompt should be given memory.

"explain what a mutex is" and "ok, go on" need none, however well some stored line matches them. A
linear head over the prompt's vector and its form was fitted on `training/prompts.jsonl` by
`scripts/fit`. Those are short, so of a longer prompt the head tells less, and the relevance of what
was found more; without a model for which it was fitted, relevance alone. The longer a session has
gone on, the more of what it needs stands in it already.
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
NEED_WEIGHT, RELEVANCE_WEIGHT, OFFSET = 0.85, 0.335, 0.6
"""How the log odds of the need and of the best relevance count together, fitted on the prompts of
`training/projects.jsonl` and `training/fresh.jsonl`, whose writers the head has not seen. The scale
is that of the session's weight below."""

LEAST_NEED, MOST_NEED = -2.25, 1.5
"""The bounds of what the head says, as log odds: it knows coding, and may be surely wrong about
other talk. It can keep the memory silent, and cannot alone make it speak late in a session."""

KNOWN_CHARACTERS = 125
"""Nineteen of twenty prompts that the head was fitted on are shorter."""

FULL_CHARACTERS = 500
"""A longer prompt has a text in it: it brings what it needs, and shares words with many lines."""

MOST_CHARACTERS = 4_000  # from here on it makes no difference

LEAST_RELEVANCE = 0.001  # less is none, whose log odds are not finite

SESSION_WEIGHT = 0.75  # what the logarithm of the session's messages takes from the log odds
MOST_MESSAGES = 6  # of a session that count: after that it makes no difference
LONG_PAUSE = timedelta(hours=4)  # after it, somebody begins anew


@dataclass(frozen=True, slots=True)
class PromptGate:
    """The need of a prompt, if a model knows it, its length, and the messages of its session.

    Only the messages in sight count. An error that comes up has no part in what they say.
    """

    need: float | None = None
    session_messages: int = 0
    has_error: bool = False
    characters: int = 0

    def certainty(self, relevance: float) -> float:
        """Return how sure it is that the prompt should be given what is so relevant, 0–1."""
        if self.need is None:
            return relevance
        messages = 0 if self.has_error else min(self.session_messages, MOST_MESSAGES)
        odds = self._log_odds(self.need, relevance) - SESSION_WEIGHT * math.log1p(messages)
        odds -= math.log(max(1.0, min(self.characters, MOST_CHARACTERS) / FULL_CHARACTERS))
        return 1.0 / (1.0 + math.exp(-odds))

    def _log_odds(self, chance: float, relevance: float) -> float:
        """Return what need and relevance say: the longer a prompt, the less the head knows it."""
        by_relevance = _bounded_log_odds(relevance, LEAST_RELEVANCE)
        need = min(MOST_NEED, max(LEAST_NEED, _bounded_log_odds(chance)))
        by_need = NEED_WEIGHT * need + RELEVANCE_WEIGHT * by_relevance + OFFSET
        known = min(1.0, KNOWN_CHARACTERS / max(1, self.characters))
        return known * by_need + (1.0 - known) * by_relevance

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


def _bounded_log_odds(chance: float, least: float = 1e-6) -> float:
    """Return the log odds of a chance; certainty has none that are finite."""
    chance = min(1.0 - least, max(least, chance))
    return math.log(chance / (1.0 - chance))

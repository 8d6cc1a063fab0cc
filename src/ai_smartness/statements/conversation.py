"""Sentences and their conversation: who speaks, what was said before, and what shows that it holds.

A sentence that is no statement by itself becomes one if it gives a statement another value, or if
an agent's setting carries it out.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ai_smartness.model.event import Event, EventType, event_tier, is_pin
from ai_smartness.model.statement import AUTHORITATIVE_KINDS, Speaker, StatementKind
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.features import has_change_words
from ai_smartness.statements.in_force import ECHO_EVENTS
from ai_smartness.statements.judge import (
    LEAST_CONFIDENCE,
    JudgedSentence,
    SentenceJudge,
    SpokenSentence,
)
from ai_smartness.statements.sentences import is_question, message_sentences
from ai_smartness.statements.typed_values import assigned_values, typed_values
from ai_smartness.text.trust import STATING_TIERS

__all__ = [
    "CONTEXT_CHARACTERS",
    "CONTEXT_MESSAGES",
    "AskedSentence",
    "MessageContexts",
    "asked_sentence",
    "claims_authority",
    "event_speaker",
    "may_announce_change",
    "ordered_sentence",
]

CONTEXT_MESSAGES = 2  # said before one, which tell what it is about
CONTEXT_CHARACTERS = 1_500  # of all of them together

_SPEAKERS = {
    "assistant": Speaker.ASSISTANT,
    "agent": Speaker.ASSISTANT,
    "model": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
}
_SILENT_TYPES = frozenset({EventType.COMPACTION})
"""What these events say was said before by others."""

_REPORTED = re.compile(
    r"\baccording to\b|\bas stated (?:in|on|by)\b"
    r"|\b(?:page|site|article|readme|docs?|documentation|issue|post|file) (?:also )?"
    r"(?:says?|states?|claims?|recommends?|tells?|asks?|wants?)\b",
    re.IGNORECASE,
)
"""How an agent tells what somebody else wrote: it is no rule of its own."""


def event_speaker(event: Event) -> Speaker | None:
    """Return who speaks in an event; nobody if it only repeats what was said."""
    if event.type in _SILENT_TYPES:
        return None
    if is_pin(event):
        return Speaker.USER if event.source == "user_pin" else Speaker.ASSISTANT
    if event.type is EventType.NOTE:
        return None
    if event_tier(event) not in STATING_TIERS:
        return Speaker.TOOL
    return _SPEAKERS.get(event.role.casefold(), Speaker.USER)


def may_announce_change(judged: JudgedSentence) -> bool:
    """Say whether a sentence that is no statement by itself may give something a new value."""
    words = judged.spoken.sentence.words
    if is_question(words):
        return False
    if judged.spoken.speaker is Speaker.USER:
        return has_change_words(words) or bool(typed_values(words))
    return judged.spoken.speaker is Speaker.ASSISTANT and bool(assigned_values(words))


def claims_authority(verdict: JudgedSentence) -> bool:
    """Say whether it would be a rule or a decision that neither a user nor an agent stated."""
    if verdict.kind not in AUTHORITATIVE_KINDS or verdict.spoken.speaker is Speaker.USER:
        return False
    is_data = verdict.spoken.speaker is Speaker.TOOL
    return is_data or _REPORTED.search(verdict.spoken.sentence.words) is not None


class AskedSentence(NamedTuple):
    """A person's sentence that an agent carried out, and its message."""

    event: Event
    verdict: JudgedSentence


def asked_sentence(
    store: ThreadStore, judge: SentenceJudge, event: Event, report: JudgedSentence
) -> AskedSentence | None:
    """Return the person's sentence that an agent's setting carries out: a decision by that.

    "Orders close at 18:00" alone may be a remark. "`CUTOFF_HOUR = 18`" right after it shows
    that it holds, and that it falls when the setting changes.
    """
    values = set(assigned_values(report.spoken.sentence.words).values())
    if report.spoken.speaker is not Speaker.ASSISTANT or not values:
        return None
    previous = store.events.previous_in_session(event)
    for _ in range(ECHO_EVENTS):
        if previous is None:
            return None
        if event_speaker(previous) is Speaker.USER:
            return ordered_sentence(judge, previous, partial(_gives_any, values))
        previous = store.events.previous_in_session(previous)
    return None


def ordered_sentence(
    judge: SentenceJudge, event: Event, is_meant: Callable[[str], bool]
) -> AskedSentence | None:
    """Return a person's first sentence that is meant, as a decision if it is no statement yet."""
    sentences = [
        SpokenSentence(sentence, Speaker.USER)
        for sentence in message_sentences(event.text, Speaker.USER, "")
        if not is_question(sentence.words) and is_meant(sentence.words)
    ]
    judged = judge.judged_sentences(sentences[:1])
    if not judged or judged[0] is None or judged[0].is_statement:
        return None
    stated = replace(
        judged[0],
        kind=StatementKind.DECISION,
        confidence=max(judged[0].confidence, LEAST_CONFIDENCE),
        is_statement=True,
    )
    return AskedSentence(event, stated)


def _gives_any(values: Collection[str], words: str) -> bool:
    return any(not known.isdisjoint(values) for known in typed_values(words).values())


class MessageContexts:
    """The text of messages with what people and agents said right before them."""

    def __init__(self, store: ThreadStore, events: Sequence[Event]) -> None:
        self._store = store
        self._events = {event.seq: event for event in events}
        self._texts: dict[int, str] = {}

    def add(self, event: Event) -> None:
        """Add an earlier message."""
        self._events.setdefault(event.seq, event)

    def text_of(self, seq: int) -> str:
        """Return a message with what was said right before it."""
        if seq not in self._texts:
            spoken = [event.text for event in self._events_until(self._events[seq])]
            self._texts[seq] = "\n".join(reversed(spoken))[-CONTEXT_CHARACTERS:]
        return self._texts[seq]

    def _events_until(self, event: Event) -> Iterator[Event]:
        yield event
        previous = event
        for _ in range(CONTEXT_MESSAGES):
            before = self._store.events.previous_in_session(previous)
            if before is None:
                return
            if event_speaker(before) not in (None, Speaker.TOOL):
                yield before
            previous = before

"""Read what a person agreed to: "yes, do that" decides what the agent had proposed before it.

The proposal is judged as if the person had ordered it: "I propose to move the queue to RabbitMQ"
is the order "move the queue to RabbitMQ". "Shall I run the tests first?" is an order of the
moment, and stays one. Of several proposals nobody can tell which was meant.
"""

import re
from dataclasses import replace

from ai_smartness.model.event import Event
from ai_smartness.model.statement import AUTHORITATIVE_KINDS, Speaker, Statement, StatementKind
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.change_words import HYPOTHESIS, NEGATION
from ai_smartness.statements.conversation import AskedSentence, event_speaker
from ai_smartness.statements.judge import SentenceJudge, SpokenSentence
from ai_smartness.statements.sentences import Sentence, message_sentences

__all__ = ["agreed_proposal", "is_agreed", "is_consent"]

CONSENT_CHARACTERS = 60  # who agrees in more words says something else, too
MESSAGES_BACK = 8  # between a proposal and the consent, an agent's tools among them
SHORTEST_WORDS = 3  # "do it" and "fix that" name nothing

_CONSENT = re.compile(
    r"(?:(?:ok(?:ay)?|k|yes|yeah|yep|yup|sure|fine|agreed|i agree|sounds good|please(?: do)?"
    r"|go ahead|go for it|proceed|make it so|(?:let'?s )?(?:do|try) (?:it|that|this|so)"
    r"|as you (?:say|suggest|propose)|(?:good|great) (?:idea|plan)|with me|by me"
    r"|ja|gerne|einverstanden|mach (?:das|es)(?: so)?|oui|d'accord|vas-y|fais-le|s[ií]|vale|dale"
    r"|de acuerdo|hazlo|va bene|fallo|doe (?:dat|maar)|да|давай)\b[\s,.!:)]*)+"
    r"(?:(?:then|now|so|pls|please|for me|thing|of course|exactly|go on|continue)\b[\s,.!:)]*)*",
    re.IGNORECASE,
)
_PROPOSING = re.compile(
    r"\b(?:i(?: would|['’]d)? (?:suggest|propose|recommend)(?: that (?:we|i)| to| we)?"
    r"|i(?: would|['’]d)(?: rather)?|i can|(?:shall|should) (?:i|we)|want me to|we could"
    r"|(?:my )?(?:proposal|suggestion|plan)(?: is(?: to)?|:)"
    r"|ich (?:schlage vor|würde)|sol(?:l|len) (?:ich|wir)|je propose de|propongo)[,:]?\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_ALTERNATIVES = re.compile(r"\b(?:or|either|oder|ou|o)\b", re.IGNORECASE)


def is_consent(text: str) -> bool:
    """Say whether somebody agrees and says nothing else."""
    words = text.strip()
    if len(words) > CONSENT_CHARACTERS or "?" in words or NEGATION.search(words):
        return False
    return _CONSENT.fullmatch(words) is not None


def agreed_proposal(store: ThreadStore, judge: SentenceJudge, event: Event) -> AskedSentence | None:
    """Return what a person's message agrees to, if that holds beyond the turn."""
    if event_speaker(event) is not Speaker.USER or not is_consent(event.text):
        return None
    proposal = _said_before(store, event)
    words = proposed_order(proposal.text) if proposal else ""
    if proposal is None or not words:
        return None
    spoken = SpokenSentence(Sentence(words), Speaker.USER)
    (verdict,) = judge.judged_sentences([spoken])
    if verdict is None or not verdict.is_statement:
        return None
    is_decided = verdict.kind in AUTHORITATIVE_KINDS
    kind = verdict.kind if is_decided else StatementKind.DECISION
    return AskedSentence(proposal, replace(verdict, kind=kind))


def is_agreed(statement: Statement, event: Event) -> bool:
    """Say whether a statement of a person stands in an agent's message, which proposed it."""
    return statement.speaker is Speaker.USER and event_speaker(event) is Speaker.ASSISTANT


def proposed_order(text: str) -> str:
    """Return the order that a message proposes; nothing if it proposes none or several."""
    sentences = message_sentences(text, Speaker.ASSISTANT)
    proposing = [match for one in sentences if (match := _PROPOSING.search(one.words))]
    if len(proposing) != 1:
        return ""
    words = str(proposing[0][1]).strip().removesuffix("?").rstrip()
    is_unclear = _ALTERNATIVES.search(words) or NEGATION.match(words) or HYPOTHESIS.search(words)
    return "" if is_unclear or len(words.split()) < SHORTEST_WORDS else words


def _said_before(store: ThreadStore, event: Event) -> Event | None:
    """Return the agent's last message before a person's."""
    previous = store.events.previous_in_session(event)
    for _ in range(MESSAGES_BACK):
        if previous is None or event_speaker(previous) is Speaker.USER:
            return None
        if event_speaker(previous) is Speaker.ASSISTANT:
            return previous
        previous = store.events.previous_in_session(previous)
    return None

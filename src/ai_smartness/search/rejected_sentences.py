"""Leave the sentences that a person rejected out of the messages that may be quoted."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.search import Hit
from ai_smartness.model.statement import ReviewState, Speaker, sentence_hash
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.sentences import message_sentences

__all__ = ["rejected_hashes", "without_rejected"]


def rejected_hashes(store: ThreadStore, projects: Iterable[str]) -> frozenset[str]:
    """Return the hashes of the sentences that a person rejected."""
    by_project = store.read_together(
        *(partial(store.statements.reviews, project) for project in projects)
    )
    return frozenset(
        review.sentence_hash
        for reviews in by_project
        for review in reviews
        if review.state is ReviewState.REJECTED
    )


def without_rejected(hits: Iterable[Hit], rejected: frozenset[str]) -> list[Hit]:
    """Return the messages without their rejected sentences; one with no other sentence goes."""
    if not rejected:
        return list(hits)
    shortened = (replace(hit, text=_other_sentences(hit, rejected)) for hit in hits)
    return [hit for hit in shortened if hit.text.strip()]


def _other_sentences(hit: Hit, rejected: frozenset[str]) -> str:
    text = hit.text
    for sentence in message_sentences(text, _speaker(hit)):
        if {sentence_hash(sentence.words), sentence_hash(sentence.text)} & rejected:
            text = text.replace(sentence.words, "")
    for line in text.splitlines():
        # A line of code or output is no sentence, and can be hidden all the same.
        if sentence_hash(line.strip()) in rejected:
            text = text.replace(line, "")
    return "" if sentence_hash(text) in rejected else text


def _speaker(hit: Hit) -> Speaker:
    if hit.role == Speaker.TOOL:
        return Speaker.TOOL
    return Speaker.ASSISTANT if hit.role.casefold() in ANSWERING_ROLES else Speaker.USER

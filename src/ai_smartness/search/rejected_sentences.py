"""Leave the sentences that a person rejected out of the messages that may be quoted."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from ai_smartness.model.event import ANSWERING_ROLES, Event
from ai_smartness.model.search import Hit
from ai_smartness.model.statement import ReviewState, Speaker, sentence_hash
from ai_smartness.ports import ThreadStore
from ai_smartness.search.answer_lines import letters_only
from ai_smartness.search.rank import hit_from_event
from ai_smartness.statements.sentences import message_sentences
from ai_smartness.text.display import one_line, shortened_text

__all__ = ["rejected_hashes", "says_any_of", "unsaid_text", "without_rejected"]

QUOTED_CHARACTERS = 200


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


def says_any_of(store: ThreadStore, event: Event, sentences: Iterable[str]) -> bool:
    """Say whether a message, or a statement of it, says one of these sentences or lines."""
    hashes = frozenset(map(sentence_hash, sentences))
    stated = store.statements.of_events([event.seq]).get(event.seq, ())
    if any(sentence_hash(one.text) in hashes for one in stated):
        return True
    hit = hit_from_event(event)
    return without_rejected([hit], hashes) != [hit]


def unsaid_text(event: Event, line: str) -> str:
    """Explain why a line that a message does not say cannot be hidden there."""
    hit, words = hit_from_event(event), letters_only(line)
    sentences = (one.words for one in message_sentences(hit.text, _speaker(hit)))
    whole = next((one for one in sentences if words and words in letters_only(one)), None)
    if whole is not None:
        quoted = shortened_text(one_line(whole), QUOTED_CHARACTERS)
        return f"cannot hide a part of a sentence of {event.id}. Give it whole: “{quoted}”"
    return (
        f"cannot hide this in {event.id}: no sentence of it reads so. Copy the line as it is "
        "shown; `ais search` prints it with the id of its message."
    )


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

"""Compare a question with the best sentence of a message, beside the message as a whole.

A fact in a side sentence has a small share of a long message's vector. Sentences have vectors of
their own, which are read for the messages that the search has found; the others stay as they are.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.search import EventPosition, NearestEvents, SearchMatch
from ai_smartness.ports import Embedder, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EmbeddedQuestion", "sentence_vectors", "with_sentence_cosines"]

EmbeddedQuestion: TypeAlias = "tuple[Embedder, NDArray[np.float32]]"
"""The model that reads a question, and its vector."""

SENTENCE_SHARE = 0.5  # of the best sentence's cosine; the rest is that of the whole message

_SILENT_ROLES = tuple(sorted(ANSWERING_ROLES))
_NEXT_SENTENCE = re.compile(r"[.!?]\s+\S|[。！？]\s*\S|\n\s*\S")  # noqa: RUF001 - full width


def sentence_vectors(
    store: ThreadStore, nearest: NearestEvents, query: str, question: "EmbeddedQuestion | None"
) -> "dict[int, NDArray[np.float32]]":
    """Return the vectors of the sentences of people's messages, by `seq`.

    A question of several sentences asks for more than one sentence says, and is compared with
    whole messages only.
    """
    if question is None or _NEXT_SENTENCE.search(query.strip()):
        return {}
    seqs = [match.seq for match in nearest.matches]
    return store.statements.line_vectors(question[0].space, seqs, except_roles=_SILENT_ROLES)


def with_sentence_cosines(
    nearest: NearestEvents,
    positions: Mapping[int, EventPosition],
    sentences: "Mapping[int, NDArray[np.float32]]",
    question: "EmbeddedQuestion | None",
) -> NearestEvents:
    """Return the events, each of a person with the mean of its own and its best sentence's cosine.

    `sentences` has the vectors of the sentences of messages.
    """
    if question is None or not sentences:
        return nearest
    vector = question[1]
    matches = [
        SearchMatch(match.seq, _mixed_cosine(match.score, sentences[match.seq] @ vector))
        if match.seq in sentences and positions[match.seq].role.casefold() not in ANSWERING_ROLES
        else match
        for match in nearest.matches
    ]
    matches.sort(key=lambda match: (-match.score, match.seq))
    return NearestEvents(matches, nearest.typical)


def _mixed_cosine(whole: float, sentences: "NDArray[np.float32]") -> float:
    return (1.0 - SENTENCE_SHARE) * whole + SENTENCE_SHARE * float(sentences.max())

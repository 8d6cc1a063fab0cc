"""Across sessions: old work taken up again.

Only a session that has not yet said what it is about goes back, and not on one
word in common: that can be chance.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_smartness.capture.placing.measures import Case, nearest, similarity
from ai_smartness.capture.placing.open_thread import OpenThread
from ai_smartness.capture.placing.why import Placement

if TYPE_CHECKING:
    from ai_smartness.capture.placing.incoming import Vector

__all__ = ["returned"]

OPENING_QUESTIONS = 2
"""A session's second question still may say what the first, a greeting, did not."""


@dataclass(frozen=True, slots=True)
class _Pointers:
    """How well each term of a message points at one thread."""

    weight: dict[str, float]
    total: float
    of_few: list[str]


def returned(case: Case) -> Placement | None:
    """Find the thread of another session that a session's first questions take up."""
    if case.message.words < case.rules.min_words or not _is_unsettled(case):
        return None
    pointers = _pointers(case)
    threads = [case.board.threads[name] for name in _candidates(case)]
    kin = [
        (kinship, kinship - needed, thread.id)
        for thread in threads
        for kinship, needed in [(_kinship(case, thread, pointers), _needed(case, thread))]
        if kinship >= needed
    ]
    if not kin:
        return None
    best, margin, name = max(kin)
    return Placement(name, "returns", best, margin, (("kinship", best),))


def _candidates(case: Case) -> list[str]:
    names = case.board.by_words(case.told, case.rules.candidates_words)
    if case.message.vector is not None:
        names += case.board.by_vector(case.message.vector, case.rules.candidates_vector)
    return [name for name in dict.fromkeys(names) if name not in case.seat.touched]


def _is_unsettled(case: Case) -> bool:
    """Tell whether a session has not yet said what it is about."""
    current = case.seat.current
    if current is None:
        return True
    said = len(case.board.threads[current].terms)
    return case.seat.questions < OPENING_QUESTIONS and said < case.rules.new_words


def _needed(case: Case, thread: OpenThread) -> float:
    """Ask for more where another session is at work, so that two at once do not get mixed up."""
    if case.message.minute - thread.minute < case.rules.live_minutes:
        return case.rules.kin_live
    return case.rules.kin_words if case.message.vector is None else case.rules.kin


def _kinship(case: Case, thread: OpenThread, pointers: _Pointers) -> float:
    words = _pointed(case, thread, pointers)
    vector = case.message.vector
    if vector is None or thread.centre is None:
        return words
    return (_meant(case, vector, thread, thread.centre) + words) / 2


def _pointed(case: Case, thread: OpenThread, pointers: _Pointers) -> float:
    """Measure the share of a message's telling words that point at this thread.

    Words no thread has ever used count in full against it: a new issue number is
    a new subject however familiar the sentence around it.
    """
    own = sum(map(thread.terms.__contains__, pointers.of_few))
    if own < case.rules.kin_terms or not pointers.total:
        return 0.0
    known = filter(thread.terms.__contains__, pointers.weight)
    return sum(map(pointers.weight.__getitem__, known)) / pointers.total


def _pointers(case: Case) -> _Pointers:
    # Squared, so that ten common words do not make up for one that is missing.
    weight = {term: case.board.pointing(term) ** 2 for term in case.message.terms}
    of_few = [term for term in weight if case.board.is_of_few(term)]
    return _Pointers(weight, sum(weight.values()), of_few)


def _meant(case: Case, vector: "Vector", thread: OpenThread, centre: "Vector") -> float:
    return (similarity(case, vector, centre) + nearest(case, vector, thread)) / 2

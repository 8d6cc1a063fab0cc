"""Find out whether a message repeats something that the agent already sees."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VisibleMessages", "is_in_prompt", "similarity_from_cosine"]


class VisibleMessages:
    """The messages an agent sees, compared by vector; of two similar ones the newer counts."""

    def __init__(
        self,
        vectors: "Mapping[int, NDArray[np.float32]]",
        similarity: Callable[[float], float],
        same: float,
    ) -> None:
        self._vectors = vectors
        self._similarity = similarity
        self._same = same
        self._in_sight: dict[int, datetime] = {}

    def add(self, seq: int, at: datetime) -> None:
        """Add a message that the agent sees."""
        self._in_sight[seq] = at

    def is_repeated(self, seq: int, at: datetime) -> bool:
        """Say whether a visible message, at least as new, says the same."""
        if seq in self._in_sight:
            return True
        if seq not in self._vectors:
            return False
        return any(
            at <= time and other in self._vectors and self._is_similar(seq, other)
            for other, time in self._in_sight.items()
        )

    def _is_similar(self, seq: int, other: int) -> bool:
        cosine = float(self._vectors[seq] @ self._vectors[other])
        return self._similarity(cosine) > self._same


def similarity_from_cosine(cosine: float, unrelated_cosine: float) -> float:
    """Map the cosine of two messages to a similarity: 0 for unrelated ones, 1 for equal ones.

    The scale differs from that of a question and its answer, which are further apart.
    """
    return (cosine - unrelated_cosine) / (1.0 - unrelated_cosine)


def is_in_prompt(text: str, prompt: str) -> bool:
    """Say whether the prompt itself contains a text, as whole words."""
    wanted, whole = _normalized_text(text), _normalized_text(prompt)
    place = whole.find(wanted)
    while place >= 0:
        if not _is_inside_word(whole, place) and not _is_inside_word(whole, place + len(wanted)):
            return True
        place = whole.find(wanted, place + 1)
    return False


def _is_inside_word(text: str, place: int) -> bool:
    """Say whether a place is inside a word, in a script with spaces."""
    return (
        0 < place < len(text)
        and _is_spaced_letter(text[place - 1])
        and _is_spaced_letter(text[place])
    )


def _is_spaced_letter(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()


def _normalized_text(text: str) -> str:
    return " ".join(text.casefold().split())

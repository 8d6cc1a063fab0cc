"""Whether a text says what is in sight already."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VisibleMessages", "is_in_prompt", "similarity_from_cosine"]


class VisibleMessages:
    """Messages in sight, told by their vectors; of two that say the same the newer counts."""

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
        """Take note of a message that is in sight."""
        self._in_sight[seq] = at

    def is_repeated(self, seq: int, at: datetime) -> bool:
        """Say whether something in sight, and as new, says the same as a message."""
        if seq in self._in_sight:
            return True
        if seq not in self._vectors:
            return False
        return any(
            at <= time and seen in self._vectors and self._is_similar(seq, seen)
            for seen, time in self._in_sight.items()
        )

    def _is_similar(self, seq: int, other: int) -> bool:
        cosine = float(self._vectors[seq] @ self._vectors[other])
        return self._similarity(cosine) > self._same


def similarity_from_cosine(cosine: float, strangers: float) -> float:
    """Map the cosine of two texts to how alike they are: 0 strangers, 1 the same.

    A question and its answer are nearer or farther than two texts of one kind, so
    this has a scale of its own.
    """
    return (cosine - strangers) / (1.0 - strangers)


def is_in_prompt(text: str, prompt: str) -> bool:
    """Say whether a text stands in the prompt itself, as whole words."""
    wanted, whole = _normalized_text(text), _normalized_text(prompt)
    place = whole.find(wanted)
    while place >= 0:
        if not _is_inside_word(whole, place) and not _is_inside_word(whole, place + len(wanted)):
            return True
        place = whole.find(wanted, place + 1)
    return False


def _is_inside_word(text: str, place: int) -> bool:
    """Say whether a place is in the middle of a word, in a script that has spaces."""
    return (
        0 < place < len(text)
        and _is_spaced_letter(text[place - 1])
        and _is_spaced_letter(text[place])
    )


def _is_spaced_letter(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()


def _normalized_text(text: str) -> str:
    return " ".join(text.casefold().split())

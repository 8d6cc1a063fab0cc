"""Three fakes for tests: a clock, an embedder and a language model.

They keep the contracts of their ports, so a test that passes with them holds for the real ones.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Completion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["HashEmbedder", "ScriptedModel", "SetClock"]

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


class SetClock:
    """A clock that stands still until it is set."""

    def __init__(self, moment: datetime = NEW_YEAR) -> None:
        self._moment = moment

    def __call__(self) -> datetime:
        """Return the time that the clock is set to."""
        return self._moment

    def set(self, moment: datetime) -> None:
        """Set the clock."""
        self._moment = moment

    def advance(self, **by: float) -> datetime:
        """Set the clock forward, like `advance(hours=2)`, and return the new time."""
        self._moment += timedelta(**by)
        return self._moment


class HashEmbedder:
    """An embedder for which texts are as similar as the words they share."""

    def __init__(self, dimension: int = 64, chunk_words: int = 128) -> None:
        self._dimension = dimension
        self._chunk_words = chunk_words

    @property
    def space(self) -> str:
        """The fake's name and the length of its vectors."""
        return f"hash@{self._dimension}"

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._dimension

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Return the chunks of each text as rows."""
        return [self._chunk_vectors(text) for text in texts]

    def query(self, text: str) -> "NDArray[np.float32]":
        """Return the vector of a query."""
        return self._hashed_vector(_text_words(text))

    @property
    def other_languages(self) -> None:
        """The fake reads every language alike."""

    def reads(self, text: str) -> bool:  # noqa: ARG002 - part of the port
        """Say that it reads any text."""
        return True

    @property
    def cosine_range(self) -> float:
        """The difference between the cosines of equal and of unrelated documents."""
        return 1.0

    @property
    def unrelated_cosine(self) -> float:
        """The cosine of two documents that share no word."""
        return 0.0

    def similarity(self, cosine: float) -> float:
        """Map the cosine to 0 to 1; words that are not shared give 0 already."""
        return min(1.0, max(0.0, cosine))

    def _chunk_vectors(self, text: str) -> "NDArray[np.float32]":
        import numpy as np

        words = _text_words(text)
        starts = range(0, len(words), self._chunk_words)
        chunks = [words[start : start + self._chunk_words] for start in starts]
        return np.stack([self._hashed_vector(chunk) for chunk in chunks])

    def _hashed_vector(self, words: Sequence[str]) -> "NDArray[np.float32]":
        """Add a signed one for each word at the place it hashes to."""
        import numpy as np

        vector = np.zeros(self._dimension, dtype=np.float32)
        for word in words:
            digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
            vector[int.from_bytes(digest[:4]) % self._dimension] += 1 - 2 * (digest[4] & 1)
        if not vector.any():
            vector[0] = 1  # Words can cancel each other out; a vector of no length has no cosine.
        return np.asarray(vector / math.sqrt(float(vector @ vector)), dtype=np.float32)


def _text_words(text: str) -> list[str]:
    """Return the words of a text, or one empty word for a text that has none."""
    cleaned = "".join(letter if letter.isalnum() else " " for letter in text.lower())
    return cleaned.split() or [""]


class ScriptedModel:
    """A language model that gives its answers in the order of a list, and keeps what it was asked.

    Asked more often than it has answers, it fails like a model that is gone.
    """

    provider = "script"
    name = "scripted"
    window_tokens = 30_000
    seconds = 10.0

    def __init__(self, answers: Iterable[str]) -> None:
        self._answers = list(answers)
        self.prompts: list[str] = []

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Return the next answer, at most so many words of it."""
        if len(self.prompts) >= len(self._answers):
            msg = f"the script has {len(self._answers)} answers and was asked for one more."
            raise StoreError(msg)
        self.prompts.append(prompt)
        return Completion(" ".join(self._answers[len(self.prompts) - 1].split(" ")[:max_tokens]))

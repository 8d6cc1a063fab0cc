"""The services besides the store: clock, embedder, working tree, language model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Clock", "Completion", "Embedder", "LanguageModel", "Progress", "Reranker", "Worktree"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called now and then with the work done and the total."""


Clock: TypeAlias = Callable[[], datetime]
"""Returns the current time in UTC."""


class Embedder(Protocol):
    """Turns text into vectors of unit length."""

    @property
    def space(self) -> str:
        """Return the model and its revision; vectors of different spaces are never compared."""

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Return the vectors of each text's chunks as rows; a long text has several."""

    def query(self, text: str) -> "NDArray[np.float32]":
        """Return the vector to search with."""

    @property
    def unrelated_cosine(self) -> float:
        """Return the cosine of two unrelated documents."""

    @property
    def cosine_range(self) -> float:
        """Return the distance between this model's cosines of unrelated and of equal texts."""

    @property
    def other_languages(self) -> "Embedder | None":
        """Return the model for texts that this one does not read, if there is one."""

    def reads(self, text: str) -> bool:
        """Say whether this model knows the language of a text."""

    def similarity(self, cosine: float) -> float:
        """Map this model's cosine to 0–1, where 0 is unrelated and 1 a paraphrase."""


class Reranker(Protocol):
    """Judges how well a text answers a query by reading both together. Optional."""

    @property
    def name(self) -> str:
        """Return the model and its revision."""

    def score(self, query: str, text: str) -> float:
        """Return a number that is higher the better the text answers; raise StoreError if none."""


class Worktree(Protocol):
    """The current files of a project."""

    def head_commit(self) -> str | None:
        """Return the checked-out commit, if there is one."""

    def file_digest(self, path: str) -> str | None:
        """Return a checksum of a project file's content, if it is one."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A language model's answer, with its token counts if the provider reports them."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None


class LanguageModel(Protocol):
    """Writes text. Optional, never in the read path."""

    @property
    def provider(self) -> str:
        """Return the provider's name."""

    @property
    def name(self) -> str:
        """Return the model's name."""

    @property
    def window_tokens(self) -> int:
        """Return the prompt's largest size in tokens."""

    @property
    def seconds(self) -> float:
        """Return the deadline for an answer or an error."""

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Return the model's answer.

        Raise RefusedError if it was rejected and nothing was spent, StoreError if the
        spending is unknown.
        """

"""What the rules need beside a store: the time, a model that embeds, the files, one that writes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Clock", "Completion", "Embedder", "LanguageModel", "Progress", "Worktree"]

Progress: TypeAlias = Callable[[int, int], None]
"""Told now and then: how much is done, of how much."""


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        ...


class Embedder(Protocol):
    """Turns text into vectors of unit length."""

    @property
    def space(self) -> str:
        """Name the model and its revision: vectors of another space are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Tell the length of a vector."""
        ...

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Return for each text its chunks as rows: at least one, several for a long text."""
        ...

    def query(self, text: str) -> "NDArray[np.float32]":
        """Return the vector to search with."""
        ...

    @property
    def unrelated_cosine(self) -> float:
        """Tell the cosine of two documents that have nothing to do with each other."""
        ...

    @property
    def cosine_range(self) -> float:
        """Tell how far this model's cosine of the unrelated is from that of the same."""
        ...

    def similarity(self, cosine: float) -> float:
        """Map this model's cosine to our 0–1, where 0 is unrelated and 1 is the same said again."""
        ...


class Worktree(Protocol):
    """The files of a project as they are now."""

    def head_commit(self) -> str | None:
        """Return the commit that is checked out, if there is one."""
        ...

    def file_digest(self, path: str) -> str | None:
        """Return a checksum of the content of a file of the project, if it is one."""
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model wrote, and what that took where it says so."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None


class LanguageModel(Protocol):
    """Writes text. Optional, never in the read path."""

    @property
    def provider(self) -> str:
        """Name who serves it."""
        ...

    @property
    def name(self) -> str:
        """Name the model itself."""
        ...

    @property
    def window_tokens(self) -> int:
        """Tell how many tokens a prompt may take."""
        ...

    @property
    def seconds(self) -> float:
        """Tell how long an answer may take; by then there is one, or an error."""
        ...

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Return the model's answer.

        Raise RefusedError where it was turned down and nothing was spent, StoreError where
        nobody can tell what was.
        """
        ...

"""What a page is made of: the request that it gets, and the answer that it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar
from urllib.parse import urlencode

from ai_smartness.model.errors import RefusedError
from ai_smartness.views.changes import named_threads, outcome_sentence

if TYPE_CHECKING:
    from ai_smartness.entrypoints.web.memories import OpenMemories, ProjectAddress
    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome

__all__ = [
    "PAGE_ROWS",
    "PageAnswer",
    "PageFunction",
    "PageRequest",
    "Paged",
    "Rendered",
    "paged",
]

PAGE_ROWS = 20
MAX_DIGITS = 18  # of a number that the store takes

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """One request to a page of a project.

    `query` are the values of the address, `form` those that were sent to be changed.
    """

    memory: Memory
    memories: OpenMemories
    project: ProjectAddress
    page: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def address(self, page: str = "", **query: object) -> str:
        """Return the address of a page of this project, of this one by default."""
        values = {name: value for name, value in query.items() if value not in (None, "")}
        path = f"/{self.project.key}/{page or self.page}"
        return f"{path}?{urlencode(values)}" if values else path

    def value(self, name: str) -> str:
        """Return a value of the form; refuse a form without it."""
        values = self.form.get(name, ())
        if not values or not values[0].strip():
            msg = f"nothing was changed: `{name}` is empty. Fill it in and try again."
            raise RefusedError(msg)
        return values[0]

    def sentence(self, outcome: Outcome) -> str:
        """Return what a change says about itself, with titles for the ids of threads."""
        return outcome_sentence(outcome, self.memory.titles(named_threads(outcome)))

    def number(self, name: str) -> int | None:
        """Return a whole number of the address; None if it is not there or is none."""
        text = self.query.get(name, "")
        is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
        return int(text) if is_number else None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A template with its values; `status` is that of the HTTP answer."""

    template: str
    values: Mapping[str, object]
    status: int = 200


PageAnswer: TypeAlias = "Rendered | Outcome"
PageFunction: TypeAlias = Callable[[PageRequest], PageAnswer]


@dataclass(frozen=True, slots=True)
class Paged(Generic[Row]):
    """The rows of one page, and the address of the next, empty at the end."""

    rows: Sequence[Row]
    next_address: str


def paged(
    rows: Sequence[Row], next_address: Callable[[Row], str], most: int = PAGE_ROWS
) -> Paged[Row]:
    """Cut rows to one page; ask for one row more than `most`, so that the end is known."""
    shown = rows[:most]
    return Paged(shown, next_address(shown[-1]) if len(rows) > most else "")

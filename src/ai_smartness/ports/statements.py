"""The statements of a store: sentences that hold beyond their turn, and their reviews."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import PossibleChange, Statement, StatementKind, StatementReview

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Statements"]


class Statements(Protocol):
    """The statements of each project, found by one judge; reviews are applied to what is read.

    A judge is an embedding model with our heads, or the plain rules. A rejected sentence is
    rejected wherever it is said again. If the statement that superseded another is rejected,
    the older one holds again. A statement of confidence 0 is there only while its own review
    confirms it.
    """

    def judged_through(self, project: str, judge: str) -> int:
        """Return the last event that this judge has judged; 0 if another judge did."""

    def save(self, project: str, judge: str, statements: Sequence[Statement], through: int) -> None:
        """Add statements, and record that all events up to `through` are judged.

        A known id is replaced and stays superseded. What another judge had found is deleted
        first, and what was found in these events before `restart`.
        """

    def add(self, project: str, statements: Sequence[Statement]) -> None:
        """Add statements that no judge found; only a review vouches for one without confidence."""

    def supersede(
        self, project: str, changes: Sequence[tuple[str, str, Relation, datetime]]
    ) -> None:
        """Record which statements are superseded: the older, the newer, how, and since when."""

    def save_doubts(self, project: str, doubts: Sequence[tuple[str, str, float]]) -> None:
        """Record what may be superseded: the older statement, the newer, and how likely it is."""

    def possible_changes(self, project: str, ids: Iterable[str]) -> dict[str, list[PossibleChange]]:
        """Return what may have superseded each of these, the likeliest first; nothing rejected."""

    def restart(self, project: str) -> None:
        """Have all events judged again; what was found in an event stays until its turn."""

    def clear(self, project: str) -> None:
        """Delete the project's statements, their vectors and those of lines; reviews stay."""

    def get(self, project: str, id_or_start: str) -> Statement:
        """Return the statement with this id or unique id prefix, also a rejected one."""

    def by_id(self, project: str, ids: Iterable[str]) -> dict[str, Statement]:
        """Return the statements with these ids, by id; those that are gone are left out."""

    def all(
        self, project: str, *, superseded: bool = True, rejected: bool = False
    ) -> list[Statement]:
        """Return the project's statements, newest first."""

    def in_force(
        self, project: str, kind: StatementKind, limit: int, after: str | None = None
    ) -> list[Statement]:
        """Return the newest statements of one kind that hold, or those that follow one of them.

        `after` is the id of the last statement of the page before.
        """

    def count_in_force(self, project: str) -> dict[StatementKind, int]:
        """Count the statements that hold, by kind; a kind without any is left out."""

    def rejected(self, project: str, limit: int) -> list[Statement]:
        """Return the newest rejected statements."""

    def of_events(self, seqs: Iterable[int]) -> dict[int, list[Statement]]:
        """Return the statements of these events that are not rejected, by `seq`."""

    def superseding(self, project: str, ids: Iterable[str]) -> dict[str, list[Statement]]:
        """Return the statements that each of these superseded, newest first."""

    def vectors(
        self, project: str, space: str, ids: Sequence[str] | None = None
    ) -> "tuple[list[str], NDArray[np.float32]]":
        """Return the ids that have a vector in this space, of these or of all, and the vectors."""

    def cosines(
        self, project: str, space: str, queries: "NDArray[np.float32]"
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """Compare all statements with queries: numbers, ascending, and a column for each query."""

    def numbers(self, project: str, ids: Iterable[str]) -> dict[str, int]:
        """Return the numbers of these statements."""

    def ids(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the ids of the statements with these numbers."""

    def refresh_vectors(self, project: str, space: str) -> None:
        """Prepare what `cosines` reads, after statements were saved."""

    def load_vectors(self, project: str, space: str) -> None:
        """Read what `standing_out` compares, so that it does not have to wait for it later."""

    def save_vectors(
        self, project: str, space: str, ids: Sequence[str], rows: "NDArray[np.float32]"
    ) -> None:
        """Save one vector for each of these statements."""

    def standing_out(
        self,
        project: str,
        space: str,
        queries: "NDArray[np.float32]",
        seqs: Iterable[int],
        measure: "Callable[[NDArray[np.float32]], NDArray[np.float32]]",
        limit: int,
    ) -> list[tuple[Statement, float]]:
        """Return the statements of these events, and those of the others that stand out most.

        `measure` takes the cosines of statements, a column for each query, and returns how far
        each stands out; one without a vector does not. Of equals the first ids count. In a
        project of too many events to compare, only the statements of these events are measured.
        """

    def line_vectors(
        self, space: str, seqs: Iterable[int], except_roles: Sequence[str] = ()
    ) -> "dict[int, NDArray[np.float32]]":
        """Return the vectors of the lines of these events, a row a line, by `seq`.

        The events of some roles can be left out.
        """

    def save_line_vectors(
        self, space: str, by_seq: "Mapping[int, Sequence[NDArray[np.float32]]]"
    ) -> None:
        """Save the vectors of the lines of events, by `seq`; only their directions are kept."""

    def review(self, project: str, review: StatementReview | None, statement_id: str) -> None:
        """Save the review of a statement, or delete it."""

    def reviews(self, project: str) -> list[StatementReview]:
        """Return the project's reviews, oldest first."""

    def revision(self, project: str) -> int:
        """Return a number that grows when statements, their threads or their reviews change."""

"""What is still to be derived from the events of a project."""

from collections.abc import Sequence

from ai_smartness.model.status import PendingWork
from ai_smartness.ports import Annotations, Events, Statements, VectorIndex

__all__ = ["PendingWorkReader"]


class PendingWorkReader:
    """Reads how far the projects of a store are described, embedded and judged."""

    def __init__(
        self,
        events: Events,
        annotations: Annotations,
        vector_index: VectorIndex,
        statements: Statements,
    ) -> None:
        self._events = events
        self._annotations = annotations
        self._vector_index = vector_index
        self._statements = statements

    def pending_work(self, project: str, spaces: Sequence[str], judge: str | None) -> PendingWork:
        """Return what is pending in one project."""
        described = self._annotations.described_through(project)
        return PendingWork(
            bool(self._events.after_seq(project, described, 1)),
            sum(self._vector_index.count_missing(project, space) for space in spaces),
            0 if judge is None else self._unjudged_count(project, judge),
        )

    def _unjudged_count(self, project: str, judge: str) -> int:
        seq = self._statements.judged_through(project, judge)
        return self._events.count(project) - self._events.count_through(project, seq)

"""What is still to be derived from the events of a project."""

from collections.abc import Sequence
from functools import partial

from ai_smartness.adapters.tables.sql_database import FEW_SEQS, ProjectIds, SqlDatabase
from ai_smartness.model.status import PendingWork
from ai_smartness.ports import VectorIndex

__all__ = ["PendingWorkReader"]

_IS_UNDESCRIBED = (
    "SELECT count(*) FROM (SELECT 1 FROM events WHERE project_id = ?1 AND type <> 'COMPACTION' "
    "AND seq > (SELECT told FROM projects WHERE id = ?1) ORDER BY seq LIMIT 1) AS first"
)
_COUNT_UNJUDGED = (
    "SELECT count(*) FROM events WHERE project_id = ?1 AND type <> 'COMPACTION' AND seq > "
    "coalesce((SELECT through FROM statement_progress WHERE project_id = ?1 AND judge = ?2), 0) "
    f"AND {FEW_SEQS}"
)


class PendingWorkReader:
    """Reads how far the projects of a store are described, embedded and judged."""

    def __init__(
        self, database: SqlDatabase, projects: ProjectIds, vector_index: VectorIndex
    ) -> None:
        self._database = database
        self._projects = projects
        self._vector_index = vector_index

    def pending_work(
        self, projects: Sequence[str], spaces: Sequence[str], judge: str | None
    ) -> dict[str, PendingWork]:
        """Return what is pending in each of these projects."""
        pending = self._database.read_together(
            *(partial(self._pending_in, project, spaces, judge) for project in projects)
        )
        return dict(zip(projects, pending, strict=True))

    def _pending_in(self, project: str, spaces: Sequence[str], judge: str | None) -> PendingWork:
        project_id = self._projects.find_id(project)
        undescribed, unjudged, *missing = self._database.read_together(
            partial(self._database.first_number, _IS_UNDESCRIBED, (project_id,)),
            partial(self._unjudged_count, project_id, judge),
            *(partial(self._vector_index.count_missing, project, space) for space in spaces),
        )
        return PendingWork(bool(undescribed), sum(missing), unjudged)

    def _unjudged_count(self, project_id: int | None, judge: str | None) -> int:
        if judge is None:
            return 0
        return self._database.first_number(_COUNT_UNJUDGED, (project_id, judge))

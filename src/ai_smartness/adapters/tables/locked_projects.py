"""The projects that a unit has locked: the rule of `ThreadStore.unit`, for any engine.

An engine that locks more than it was asked for still keeps the rule, so that what runs on one
engine runs on all.
"""

from collections.abc import Collection

__all__ = ["LockedProjects"]


class LockedProjects:
    """The projects of the running unit; all projects if it named none, or if none is running."""

    def __init__(self) -> None:
        self._names: frozenset[str] | None = None

    def begin(self, projects: Collection[str]) -> None:
        """Begin a unit of these projects, or of the whole store."""
        self._names = frozenset(projects) or None

    def join(self, projects: Collection[str]) -> None:
        """Join the running unit; refuse a unit that needs more than that one has locked."""
        if self._names is not None and not (projects and self._names.issuperset(projects)):
            wanted = ", ".join(sorted(projects)) or "the whole store"
            raise ValueError(self._refusal(f"lock {wanted}"))

    def refuse_other(self, project: str) -> None:
        """Refuse to write to a project that the running unit has not locked."""
        if self._names is not None and project not in self._names:
            raise ValueError(self._refusal(f"write to {project}"))

    def end(self) -> None:
        """End the unit."""
        self._names = None

    def _refusal(self, what: str) -> str:
        locked = ", ".join(sorted(self._names or ()))
        return f"a unit of {locked} cannot {what} too: name all its projects when it begins."

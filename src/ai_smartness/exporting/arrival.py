"""A memory that is being taken in: what was here before, and what became of what came."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from ai_smartness.exporting.numbers import Numbers
from ai_smartness.model.exported import Header
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.archive import Lasts

__all__ = ["Arrival"]


class Arrival:
    """What all that take something in have to know."""

    def __init__(self, store: ThreadStore, header: Header) -> None:
        self.store = store
        self.keeps_numbers = store.archive.is_empty()
        if self.keeps_numbers:
            store.archive.reserve(Lasts(header.last_event, header.last_change))
        names = [] if self.keeps_numbers else [each.project for each in store.projects()]
        self.projects_here = set(names)
        self.threads_here: set[str] = set()
        self.numbers: defaultdict[str, Numbers] = defaultdict(Numbers)
        self.new_numbers: defaultdict[str, Numbers] = defaultdict(Numbers)
        self.known, self.left_out = Counter[str](), Counter[str]()
        self._last_said = {
            name: store.events.nth(name, store.events.count(name))
            for name in self.projects_here.intersection(header.projects)
        }

    def was_told(self, project: str) -> bool:
        """Say whether all that was here before of a project was described."""
        return self.store.notes.told(project) >= self._last_said.get(project, 0)

    def new(self, kind: str, given: int, new: Sequence[object]) -> None:
        """Take note that all but the new ones were known."""
        self.known[kind] += given - len(new)

"""The verbs that take a memory out whole, and in again."""

from collections.abc import Callable, Iterable, Iterator

from ai_smartness.exporting.export import export
from ai_smartness.exporting.markdown import Page, pages
from ai_smartness.exporting.take_in import take_in
from ai_smartness.memory.core import Core, quiet
from ai_smartness.model.exported import Header, TakenIn
from ai_smartness.ports import Progress

__all__ = ["Exporting"]


class Exporting(Core):
    """A memory is written out, and read in."""

    def export(
        self,
        write: Callable[[str], object],
        *,
        project: str | None = None,
        progress: Progress = quiet,
    ) -> Header:
        """Write all that is kept as lines of JSON; of one project, if one is named.

        What follows from it (full text, vectors) is not written, and made anew where it is
        taken in. It is of one moment, and others can go on writing meanwhile.
        """
        return export(self._store, project, write, progress)

    def take_in(
        self, lines: Iterable[bytes], *, dry_run: bool = False, progress: Progress = quiet
    ) -> TakenIn:
        """Store what was exported: an empty memory becomes the same one, another gets what is new.

        All of it or nothing; others cannot write meanwhile, and what they capture waits.
        """
        return take_in(self._store, lines, progress, dry_run=dry_run)

    def pages(self, *, project: str | None = None, taken: Iterable[str] = ()) -> Iterator[Page]:
        """Return the memory as pages of markdown, a thread each, and one that lists them.

        Their names are none of those that are taken.
        """
        self._told()
        return pages(self._store, project, taken, self._now)

"""A store that counts how often a verb would wait for a server.

Each call of a port is one round trip. Reads that are carried out together wait as often as the
longest of them. In a unit, the beginning and writes that return nothing are sent with the next
read or with the end, which is a round trip of its own. The upkeep of an index is not counted: a
server's adapter looks at it once in a while, and `test_wire_round_trips.py` counts what it sends.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from ai_smartness.ports import ThreadStore

__all__ = ["CountedTrips", "counted_store"]

PARTS = (
    "threads",
    "events",
    "annotations",
    "statements",
    "bridges",
    "foci",
    "journal",
    "ledger",
    "imports",
    "spending",
    "erasure",
    "transfer",
    "word_index",
    "vector_index",
)
UNANSWERED = frozenset(
    {
        "threads.save",
        "threads.save_session",
        "threads.remove",
        "events.move",
        "events.mark_covered",
        "annotations.add",
        "annotations.mark_described",
        "bridges.save",
        "bridges.remove",
        "foci.save",
        "foci.remove",
        "ledger.write",
        "ledger.mark_used",
        "word_index.add",
        "vector_index.add",
        "statements.save",
        "statements.save_vectors",
        "statements.save_line_vectors",
        "statements.supersede",
        "statements.save_doubts",
    }
)
"""Writes that return nothing."""

UPKEEP = frozenset({"word_index.refresh_index", "vector_index.refresh_index"})


class CountedTrips:
    """The round trips so far, by the call that waited."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.depth = 0

    def count(self, name: str) -> None:
        """Count one call, unless it travels with another."""
        if name not in UPKEEP and (self.depth == 0 or name not in UNANSWERED):
            self.names.append(name)


def counted_store(store: ThreadStore, trips: CountedTrips) -> ThreadStore:
    """Return a store whose calls are counted."""
    return cast("ThreadStore", _CountedStore(store, trips))


class _CountedStore:
    def __init__(self, store: ThreadStore, trips: CountedTrips) -> None:
        self._store = store
        self._trips = trips
        for name in PARTS:
            setattr(self, name, _CountedPart(name, getattr(store, name), trips))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the store has
        return _counted(name, getattr(self._store, name), self._trips)

    def limited_to(self, projects: Sequence[str]) -> ThreadStore:
        return counted_store(self._store.limited_to(projects), self._trips)

    def read_together(self, *reads: Callable[[], object]) -> list[object]:
        before, longest = self._trips.names, list[str]()
        results = []
        for read in reads:
            self._trips.names = []
            results.append(read())
            longest = max(longest, self._trips.names, key=len)
        self._trips.names = [*before, *longest]
        return results

    @contextmanager
    def unit(self, *projects: str) -> Iterator[None]:
        self._trips.depth += 1
        try:
            with self._store.unit(*projects):
                yield
        finally:
            self._trips.depth -= 1
            if not self._trips.depth:
                self._trips.names.append("end of unit")


class _CountedPart:
    def __init__(self, name: str, part: object, trips: CountedTrips) -> None:
        self._name = name
        self._part = part
        self._trips = trips

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the part has
        return _counted(f"{self._name}.{name}", getattr(self._part, name), self._trips)


def _counted(name: str, call: Callable[..., object], trips: CountedTrips) -> Callable[..., object]:
    def counted(*arguments: object, **options: object) -> object:
        trips.count(name)
        return call(*arguments, **options)

    return counted

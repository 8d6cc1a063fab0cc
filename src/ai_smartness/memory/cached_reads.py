"""What one verb has read from the store, so that it asks for nothing twice.

A store may be a server, and every question to it a round trip. A verb wraps its store at the
beginning, loads what it will surely need in a few large reads, and then reads as if everything
was at hand. Only reads are kept, and only until the verb ends; what is written, and what is read
in a unit, goes to the store itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ai_smartness.model.bridge import Bridge
    from ai_smartness.model.thread import Thread
    from ai_smartness.ports import Bridges, Threads, ThreadStore

__all__ = ["cached_reads"]

_BY_KEY = {
    "events": {"by_seq", "texts_by_seq", "positions_by_seq"},
    "annotations": {"mentions", "of"},
    "statements": {"by_id", "line_vectors", "possible_changes"},
    "vector_index": {"event_centres"},
}
"""The methods whose last argument are keys, and whose answer is a mapping by these."""

_BY_ARGUMENTS = {
    "events": {
        "after_seq",
        "count",
        "count_on_thread",
        "last_seq",
        "last_seqs_by_session",
        "latest_of_session",
        "latest_of_thread",
    },
    "statements": {"reviews"},
    "foci": {"in_force"},
    "ledger": {"latest_pages", "shown_entries"},
}
"""The methods that give the same answer to the same question."""

_ABSENT = object()


def cached_reads(store: ThreadStore) -> ThreadStore:
    """Return a store that remembers what was read from it; use it for one verb only."""
    return cast("ThreadStore", _CachedStore(store))


class _CachedStore:
    """A store of which some parts remember their answers."""

    def __init__(self, store: ThreadStore) -> None:
        self._store = store
        self.threads = _CachedThreads(store.threads)
        self.bridges = _CachedBridges(store.bridges)
        for name in _BY_KEY.keys() | _BY_ARGUMENTS.keys():
            setattr(self, name, _CachedPart(name, getattr(store, name)))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the store has
        return getattr(self._store, name)


class _CachedPart:
    """A part of the store that remembers the answers of some of its methods."""

    def __init__(self, name: str, part: object) -> None:
        self._part = part
        self._by_key = _BY_KEY.get(name, set())
        self._by_arguments = _BY_ARGUMENTS.get(name, set())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the part has
        method = getattr(self._part, name)
        if name in self._by_key:
            method = _remembered_by_key(method)
        elif name in self._by_arguments:
            method = _remembered_by_arguments(method)
        setattr(self, name, method)
        return method


class _CachedThreads:
    """The threads of a store, of which each is read once."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._known: dict[str, Thread] = {}
        self._absent: set[str] = set()
        self.always_shown = _remembered_by_arguments(threads.always_shown)
        self.find_session = _remembered_by_arguments(threads.find_session)

    def by_id(self, ids: Iterable[str]) -> dict[str, Thread]:
        """Return threads by their ids; those that were read before are not asked for."""
        wanted = list(dict.fromkeys(ids))
        if missing := [id_ for id_ in wanted if id_ not in self._known.keys() | self._absent]:
            self._known |= self._threads.by_id(missing)
            self._absent |= set(missing) - self._known.keys()
        return {id_: self._known[id_] for id_ in wanted if id_ in self._known}

    def get(self, thread_id: str) -> Thread:
        """Return a thread."""
        if thread_id not in self._known:
            # The start of an id names a thread too.
            thread = self._threads.get(thread_id)
            self._known[thread.id] = thread
            return thread
        return self._known[thread_id]

    def has(self, thread_id: str) -> bool:
        """Say whether there is a thread with exactly this id."""
        if thread_id in self._absent:
            return False
        return thread_id in self._known or self._threads.has(thread_id)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the threads have
        return getattr(self._threads, name)


class _CachedBridges:
    """The bridges of a store; those of a thread are read once."""

    def __init__(self, bridges: Bridges) -> None:
        self._bridges = bridges
        self._threads: set[str] = set()
        self._known: dict[str, Bridge] = {}

    def of_threads(self, thread_ids: Sequence[str]) -> list[Bridge]:
        """Return the bridges from and to threads, the heaviest first."""
        wanted = set(thread_ids)
        if missing := wanted - self._threads:
            self._known |= {one.id: one for one in self._bridges.of_threads(sorted(missing))}
            self._threads |= missing
        bridges = (one for one in self._known.values() if wanted & {one.source, one.target})
        return sorted(bridges, key=lambda bridge: (-bridge.weight, bridge.id))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the bridges have
        return getattr(self._bridges, name)


def _remembered_by_arguments(method: Callable[..., Any]) -> Callable[..., Any]:
    answers: dict[tuple[object, ...], Any] = {}

    def remembered(*arguments: Any) -> Any:  # noqa: ANN401 - those of the method
        key = tuple(tuple(one) if isinstance(one, list) else one for one in arguments)
        if key not in answers:
            answers[key] = method(*arguments)
        return answers[key]

    return remembered


def _remembered_by_key(method: Callable[..., Any]) -> Callable[..., Any]:
    answers: dict[tuple[object, ...], dict[Any, Any]] = {}

    def remembered(*arguments: Any, **options: Any) -> dict[Any, Any]:  # noqa: ANN401 - the method's
        *first, keys = arguments
        known = answers.setdefault(tuple(first), {})
        if options:  # which leave some out: what is returned is the same, and is known from now on
            some = cast("dict[Any, Any]", method(*arguments, **options))
            known.update(some)
            return some
        wanted = sorted(set(keys))
        missing = [key for key in wanted if key not in known]
        if missing:
            found = method(*first, missing)
            known.update((key, found.get(key, _ABSENT)) for key in missing)
        return {key: known[key] for key in wanted if known[key] is not _ABSENT}

    return remembered

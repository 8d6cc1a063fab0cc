"""Find condensers by name (ours, plugins, registered ones) and run one with a deadline.

A condenser runs in a thread of its own. One that hangs is left behind and delays nobody,
not even the end of the program.
"""

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import entry_points
from types import TracebackType
from typing import Generic, TypeVar

from ai_smartness.condense.condenser import Condenser
from ai_smartness.condense.digest import Digest
from ai_smartness.condense.llm_summary import LlmSummary
from ai_smartness.condense.summarize import SummarizeAndReload
from ai_smartness.condense.trim import TrimToolResults
from ai_smartness.model.errors import NotFoundError, RefusedError

__all__ = ["CondenserRegistry", "TimedRun", "plugin_condensers", "run_with_deadline"]

ENTRY_POINT_GROUP = "ai_smartness.condensers"

_NO_CONDENSER = "it needs an `id`, a `version` and a method `condense(events, context)`"
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

T = TypeVar("T")


class CondenserRegistry:
    """Condensers by name; plugins are loaded when a name is not one of ours."""

    def __init__(self, plugins: Callable[[], Iterable[Condenser]] = tuple) -> None:
        ours = (Digest(), TrimToolResults(), SummarizeAndReload(), LlmSummary())
        self._by_id: dict[str, Condenser] = {condenser.id: condenser for condenser in ours}
        self._own = frozenset(self._by_id)
        self._plugins = plugins

    def register(self, condenser: Condenser) -> None:
        """Add a condenser, or replace one that was registered under the same name."""
        value: object = condenser
        if not isinstance(value, Condenser):
            msg = f"{type(condenser).__name__} is no condenser: {_NO_CONDENSER}."
            raise RefusedError(msg)
        id_ = condenser.id
        if not _ID.fullmatch(str(id_)):
            msg = f"{id_!r} cannot name a condenser: write 1 to 64 of a–z, 0–9, `.`, `_` and `-`."
            raise RefusedError(msg)
        if id_ in self._own:
            msg = f"cannot register a condenser `{id_}`: that is one of ours. Give it another id."
            raise RefusedError(msg)
        self._by_id[id_] = condenser

    def by_name(self, id_: str) -> Condenser:
        """Return the condenser with this name."""
        if id_ not in self._by_id:
            self._load_plugins()
        if id_ not in self._by_id:
            msg = f"there is no condenser `{id_}`. There are {', '.join(self._by_id)}."
            raise NotFoundError(msg)
        return self._by_id[id_]

    def __iter__(self) -> Iterator[Condenser]:
        self._load_plugins()
        return iter(self._by_id.values())

    def _load_plugins(self) -> None:
        plugins, self._plugins = self._plugins(), tuple
        for condenser in plugins:
            if condenser.id not in self._by_id:
                self.register(condenser)


def plugin_condensers() -> list[Condenser]:
    """Return the condensers of installed packages; refuse one that cannot be loaded."""
    condensers: list[Condenser] = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        loading: TimedRun[object] = TimedRun()
        with loading:
            loaded = entry.load()
            loading.value = loaded() if isinstance(loaded, type) else loaded
        condenser, error = loading.value, loading.error
        if error is not None or not isinstance(condenser, Condenser):
            why = f"{type(error).__name__}: {error}" if error else _NO_CONDENSER
            msg = (
                f"cannot load the condenser {entry.name} ({entry.value}): {why}. "
                "Repair or uninstall its package."
            )
            raise RefusedError(msg) from error
        condensers.append(condenser)
    return condensers


class TimedRun(Generic[T]):
    """The result of a run: a value, or the error it raised, or neither while it goes on."""

    def __init__(self) -> None:
        self.value: T | None = None
        self.error: BaseException | None = None
        self.is_done = threading.Event()

    def __enter__(self) -> "TimedRun[T]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.error = error
        self.is_done.set()
        # The waiting thread gets the error: in this one nobody would see it.
        return True


def run_with_deadline(task: Callable[[], T], seconds: float) -> TimedRun[T]:
    """Run a task, and return when it has ended or the time is up."""
    run: TimedRun[T] = TimedRun()

    def run_task() -> None:
        with run:
            run.value = task()

    threading.Thread(target=run_task, daemon=True, name="condenser").start()
    run.is_done.wait(seconds)
    return run

"""The condensers there are, by name: ours, those plugged in, those registered.

Run somebody else's code with a deadline, and tell what came of it.

It runs in a thread of its own: one that hangs is left behind and holds up nobody,
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

__all__ = [
    "ENTRY_POINT_GROUP",
    "CondenserRegistry",
    "TimedRun",
    "plugin_condensers",
    "run_with_deadline",
]


ENTRY_POINT_GROUP = "ai_smartness.condensers"

_NO_CONDENSER = "it needs an `id`, a `version` and a method `condense(events, context)`"
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class CondenserRegistry:
    """Condensers by name; an unknown name is refused when it is given, not when it is needed."""

    def __init__(self, plugins: Callable[[], Iterable[Condenser]] = tuple) -> None:
        ours = (Digest(), TrimToolResults(), SummarizeAndReload(), LlmSummary())
        self._by_id: dict[str, Condenser] = {each.id: each for each in ours}
        self._own = frozenset(self._by_id)
        self._plugins = plugins

    def register(self, condenser: Condenser) -> None:
        """Add a condenser; one that was registered under its name before gives way."""
        given: object = condenser
        if not isinstance(given, Condenser):
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
        """Load what is plugged in, the first time that it may be meant."""
        plugins, self._plugins = self._plugins(), tuple
        for each in plugins:
            if each.id not in self._by_id:
                self.register(each)


def plugin_condensers() -> list[Condenser]:
    """Return the condensers of installed packages; one that cannot be loaded is refused by name."""
    found: list[Condenser] = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        loading: TimedRun[object] = TimedRun()
        with loading:
            loaded = entry.load()
            loading.value = loaded() if isinstance(loaded, type) else loaded
        made, error = loading.value, loading.error
        if error is None and isinstance(made, Condenser):
            found.append(made)
            continue
        why = f"{type(error).__name__}: {error}" if error else _NO_CONDENSER
        msg = (
            f"cannot load the condenser {entry.name} ({entry.value}): {why}. "
            "Repair or uninstall its package."
        )
        raise RefusedError(msg) from error
    return found


T = TypeVar("T")


class TimedRun(Generic[T]):
    """What a run came to: a value, what it raised, or neither while it is still at it."""

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
        # Told to who waits for it: in its own thread nobody would hear of it.
        return True


def run_with_deadline(what: Callable[[], T], seconds: float) -> TimedRun[T]:
    """Carry something out, and return when it has ended or the time is up."""
    ran: TimedRun[T] = TimedRun()

    def run_task() -> None:
        with ran:
            ran.value = what()

    threading.Thread(target=run_task, daemon=True, name="condenser").start()
    ran.is_done.wait(seconds)
    return ran

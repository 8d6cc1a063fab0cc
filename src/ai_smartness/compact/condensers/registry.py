"""The condensers there are, by name: ours, those plugged in, those registered."""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import entry_points

from ai_smartness.compact.condensers.condenser import Condenser
from ai_smartness.compact.condensers.digest import Digest
from ai_smartness.compact.condensers.llm_summary import LlmSummary
from ai_smartness.compact.condensers.summarize import SummarizeAndReload
from ai_smartness.compact.condensers.trim import TrimToolResults
from ai_smartness.compact.deadline import Ran
from ai_smartness.model.errors import NotFoundError, RefusedError

__all__ = ["GROUP", "Condensers", "plugged_in"]

GROUP = "ai_smartness.condensers"

_NO_CONDENSER = "it needs an `id`, a `version` and a method `condense(events, context)`"
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class Condensers:
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

    def named(self, id_: str) -> Condenser:
        """Return the condenser with this name."""
        if id_ not in self._by_id:
            self._load()
        if id_ not in self._by_id:
            msg = f"there is no condenser `{id_}`. There are {', '.join(self._by_id)}."
            raise NotFoundError(msg)
        return self._by_id[id_]

    def __iter__(self) -> Iterator[Condenser]:
        self._load()
        return iter(self._by_id.values())

    def _load(self) -> None:
        """Load what is plugged in, the first time that it may be meant."""
        plugins, self._plugins = self._plugins(), tuple
        for each in plugins:
            if each.id not in self._by_id:
                self.register(each)


def plugged_in() -> list[Condenser]:
    """Return the condensers of installed packages; one that cannot be loaded is refused by name."""
    found: list[Condenser] = []
    for entry in entry_points(group=GROUP):
        loading: Ran[object] = Ran()
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

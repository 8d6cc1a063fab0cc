"""Forget in the other stores beside a memory's own: backups, and what upgrades have left."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ai_smartness.forgetting.forget import Deed, forget
from ai_smartness.model.errors import AisError
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.forgetting import OwnFiles

__all__ = ["Copies"]


@dataclass(slots=True)
class Copies:
    """The copies of a store: what was done to each, and which words none should hold now."""

    files: OwnFiles
    open_copy: Callable[[Path], ThreadStore]
    told: dict[str, str] = field(default_factory=dict)
    words: dict[Path, frozenset[str]] = field(default_factory=dict)

    def rewrite(self, deed: Deed) -> None:
        """Forget the same in each of them."""
        for copy in self.files.copies():
            self.words[copy] = deed.words
            try:
                self.told[str(copy)] = self.files.rewrite(copy, self._rewriting(copy, deed))
            except AisError as error:
                # One that is damaged is still searched, and told of if it holds anything.
                self.told[str(copy)] = f"could not be rewritten: {error}"

    def remove(self) -> None:
        """Take them all away."""
        for copy in self.files.copies():
            self.told[str(copy)] = self.files.remove(copy)

    def _rewriting(self, copy: Path, deed: Deed) -> Callable[[Path], bool]:
        def rewritten(draft: Path) -> bool:
            with closing(self.open_copy(draft)) as store:
                gone = forget(store, deed)
                self.words[copy] = gone.traces.words
                changed = bool(gone.messages or gone.described or gone.changes or gone.threads)
                if changed:
                    store.oblivion.purge(lambda _done, _total: None)
                    store.oblivion.seal()
                return changed

        return rewritten

"""What threads are about, as one vector each: the centre of what was said on them.

Centres are kept by the store, and made anew there when messages come, go or are
embedded; here they are laid side by side to be compared (`pairs`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_smartness.ports import ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Centres", "centres"]


@dataclass(frozen=True, slots=True)
class Centres:
    """Threads, in the order of their ids, and the centre of each as a row of unit length."""

    ids: tuple[str, ...]
    rows: "NDArray[np.float32]"


def centres(store: ThreadStore, project: str, space: str, thread_ids: Iterable[str]) -> Centres:
    """Return the centres of those of a project's threads that have any in this space."""
    import numpy as np  # noqa: PLC0415 # heavy, and most verbs have no need of it

    found = store.vectors.of_threads(project, space, sorted(set(thread_ids)))
    ids = tuple(sorted(found))
    rows = np.stack([found[id_] for id_ in ids]) if ids else np.empty((0, 0), np.float32)
    return Centres(ids, rows)

"""Which threads are merged together: each group around the one that survives it.

Likeness does not add up: what A shares with B, and B with C, may leave A and C strangers. So
nothing is merged but with a thread that it is alike to itself. Who was left over is looked
at again by the next compaction, which knows the survivors as they are then.
"""

from collections.abc import Collection, Iterable, Sequence

from ai_smartness.model.compaction import Merged
from ai_smartness.threads.pairs import Pair

__all__ = ["groups"]


def groups(ranked: Sequence[str], staying: Collection[str], pairs: Iterable[Pair]) -> list[Merged]:
    """Return what is merged, the survivor of each group first.

    `ranked` are all that may be merged, the one to survive before the one to be absorbed;
    `staying` are those of them that may only survive. Whoever comes first takes all that
    are like it and still free.
    """
    rank = {id_: place for place, id_ in enumerate(ranked)}
    like = _likes(pairs, rank)
    taken: set[str] = set()
    found: list[Merged] = []
    for id_ in ranked:
        if id_ in taken:
            continue
        absorbed = [
            other
            for other in sorted(like.get(id_, {}), key=rank.__getitem__)
            if rank[other] > rank[id_] and other not in taken and other not in staying
        ]
        if absorbed:
            taken.update(absorbed, [id_])
            found.append(Merged((id_, *absorbed), min(like[id_][other] for other in absorbed)))
    return found


def _likes(pairs: Iterable[Pair], rank: Collection[str]) -> dict[str, dict[str, float]]:
    """Return for each thread those that it is alike to, and how alike."""
    like: dict[str, dict[str, float]] = {}
    for a, b, similarity in pairs:
        if a in rank and b in rank:
            like.setdefault(a, {})[b] = similarity
            like.setdefault(b, {})[a] = similarity
    return like

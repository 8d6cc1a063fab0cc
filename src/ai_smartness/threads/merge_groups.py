"""Which threads of a project are merged if they are similar: one rule for all who ask.

A compaction merges these groups, and suggestions offer the same ones.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from ai_smartness.model.compaction import MergeStep
from ai_smartness.model.thread import Status, Thread
from ai_smartness.threads.decay import is_protected

if TYPE_CHECKING:  # it loads numpy
    from ai_smartness.threads.similar_threads import ThreadPair

__all__ = ["merge_groups", "mergeable_threads"]


def mergeable_threads(present_threads: Iterable[Thread]) -> list[Thread]:
    """Return the threads that may be merged, survivors first: the heavier, then the older.

    The threads come with their present weight. Those in use are merged; pins, documents and
    threads that a split has locked are not.
    """
    mergeable = (
        thread
        for thread in present_threads
        if thread.status is Status.ACTIVE and not is_protected(thread) and thread.split_lock is None
    )
    return sorted(mergeable, key=lambda thread: (-thread.weight, thread.created_at, thread.id))


def merge_groups(
    ranked: Sequence[str], only_survivors: Collection[str], pairs: "Iterable[ThreadPair]"
) -> list[MergeStep]:
    """Group the threads to merge, the survivor of each group first.

    `ranked` are the ids of the mergeable threads, survivors first. Each absorbs all free
    threads that are similar to itself. Similarity does not carry over: A and C may be
    unrelated though both are similar to B. The next compaction looks at the rest again.
    """
    rank = {id_: place for place, id_ in enumerate(ranked)}
    similar: dict[str, dict[str, float]] = {}
    for a, b, similarity in pairs:
        if a in rank and b in rank:
            similar.setdefault(a, {})[b] = similarity
            similar.setdefault(b, {})[a] = similarity
    grouped: set[str] = set()
    groups: list[MergeStep] = []
    for id_ in ranked:
        if id_ in grouped:
            continue
        absorbed = [
            other
            for other in sorted(similar.get(id_, {}), key=rank.__getitem__)
            if rank[other] > rank[id_] and other not in grouped and other not in only_survivors
        ]
        if absorbed:
            grouped.update(absorbed, [id_])
            least = min(similar[id_][other] for other in absorbed)
            groups.append(MergeStep((id_, *absorbed), least))
    return groups

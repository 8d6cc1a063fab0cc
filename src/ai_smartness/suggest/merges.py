"""Which threads seem to be about one subject, and what that is.

A thread that is locked or put away is left alone: whatever is suggested can be
done as it stands.
"""

from collections.abc import Iterable, Mapping, Sequence

from ai_smartness.model.suggestion import MergeCandidate
from ai_smartness.model.thread import Status, Thread
from ai_smartness.threads.decay import is_pinned
from ai_smartness.threads.pairs import Pair
from ai_smartness.threads.telling import terms

__all__ = ["can_be_merged", "merge_candidates", "shared_subject"]

NAMED = 3
"""Of what two threads share, as many are named."""


def merge_candidates(
    pairs: Iterable[Pair], threads: Mapping[str, Thread], most: int
) -> tuple[tuple[MergeCandidate, ...], int]:
    """Return the pairs that could be merged, the most alike first, and how many are left out."""
    fit = [pair for pair in pairs if all(_fits(threads.get(id_)) for id_ in (pair.a, pair.b))]
    fit.sort(key=lambda pair: (-pair.similarity, pair.a, pair.b))
    listed = tuple(_candidate(pair, threads) for pair in fit[:most])
    return listed, len(fit) - len(listed)


def can_be_merged(thread: Thread) -> bool:
    """Say whether a merge with the thread would be refused by nobody."""
    return (
        thread.status is not Status.ARCHIVED
        and not thread.split_locked
        and thread.merged_into is None
    )


def shared_subject(one: Thread, other: Thread) -> str:
    """Say what two threads are both about: their topics, else their files, else their titles."""
    topics = _shared(one.topics, other.topics)
    phrase = next((topic for topic in topics if " " in topic), None)
    if topics:
        # A topic of several words says it all; single ones only together.
        return f"Both about {phrase or _listed(topics)}"
    files = [file for file in one.files if file in other.files]
    if files:
        return f"Both about {_listed(files)}"
    words = _shared(list(terms(one.title)), list(terms(other.title)))
    return f"Both about {' '.join(words[:NAMED])}" if words else "Both say much the same"


def _fits(thread: Thread | None) -> bool:
    return thread is not None and can_be_merged(thread)


def _candidate(pair: Pair, threads: Mapping[str, Thread]) -> MergeCandidate:
    kept, absorbed = sorted((threads[pair.a], threads[pair.b]), key=_place)
    return MergeCandidate(
        thread_a=kept.id,
        thread_b=absorbed.id,
        similarity=pair.similarity,
        reason=shared_subject(kept, absorbed),
    )


def _place(thread: Thread) -> tuple[object, ...]:
    """Return what decides which of two is kept: a pin, then the heavier, then the older."""
    return not is_pinned(thread), -thread.weight, thread.created_at, thread.id


def _shared(mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    known = {each.casefold() for each in theirs}
    return list(dict.fromkeys(each for each in mine if each.casefold() in known))


def _listed(names: Sequence[str]) -> str:
    *others, last = names[:NAMED]
    return f"{', '.join(others)} and {last}" if others else last

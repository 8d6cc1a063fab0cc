"""Suggest pairs of threads that seem to be about one subject, and name the subject.

Locked and archived threads are left out: every suggestion can be carried out as it stands.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ai_smartness.model.suggestion import MergeCandidate
from ai_smartness.model.thread import Status, Thread
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.threads.decay import is_pinned

if TYPE_CHECKING:  # it loads numpy
    from ai_smartness.threads.similar_threads import ThreadPair

__all__ = ["can_be_merged", "joined_names", "merge_candidates", "shared_subject"]

MOST_NAMED = 3  # how many shared topics, files or words a reason names


def merge_candidates(
    pairs: "Iterable[ThreadPair]", threads: Mapping[str, Thread], most: int
) -> tuple[tuple[MergeCandidate, ...], int]:
    """Return the pairs that could be merged, most similar first, and how many more there are."""
    mergeable = [
        pair
        for pair in pairs
        if all(id_ in threads and can_be_merged(threads[id_]) for id_ in (pair.a, pair.b))
    ]
    mergeable.sort(key=lambda pair: (-pair.similarity, pair.a, pair.b))
    candidates = tuple(_merge_candidate(pair, threads) for pair in mergeable[:most])
    return candidates, len(mergeable) - len(candidates)


def can_be_merged(thread: Thread) -> bool:
    """Say whether a merge with the thread would be permitted."""
    return (
        thread.status is not Status.ARCHIVED
        and not thread.split_locked
        and thread.merged_into is None
    )


def shared_subject(a: Thread, b: Thread) -> str:
    """Name the shared subject of two threads: their topics, else their files, else title words."""
    topics = _shared_names(a.topics, b.topics)
    phrase = next((topic for topic in topics if " " in topic), None)
    if topics:
        # A topic of several words says it all; single ones only together.
        return f"Both about {phrase or joined_names(topics[:MOST_NAMED])}"
    files = [file for file in a.files if file in b.files]
    if files:
        return f"Both about {joined_names(files[:MOST_NAMED])}"
    words = _shared_names(list(extract_keywords(a.title)), list(extract_keywords(b.title)))
    return f"Both about {' '.join(words[:MOST_NAMED])}" if words else "Both say much the same"


def joined_names(names: Sequence[str]) -> str:
    """Write names as a list: "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _merge_candidate(pair: "ThreadPair", threads: Mapping[str, Thread]) -> MergeCandidate:
    survivor, absorbed = sorted((threads[pair.a], threads[pair.b]), key=_survivor_order)
    return MergeCandidate(
        thread_a=survivor.id,
        thread_b=absorbed.id,
        similarity=pair.similarity,
        reason=shared_subject(survivor, absorbed),
    )


def _survivor_order(thread: Thread) -> tuple[object, ...]:
    """Return the sort key of the survivor: a pin first, then the heavier, then the older."""
    return not is_pinned(thread), -thread.weight, thread.created_at, thread.id


def _shared_names(mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    known = {name.casefold() for name in theirs}
    return list(dict.fromkeys(name for name in mine if name.casefold() in known))

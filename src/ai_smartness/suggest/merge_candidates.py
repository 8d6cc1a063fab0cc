"""Which threads seem to be about one subject, and what that is.

A thread that is locked or put away is left alone: whatever is suggested can be
done as it stands.
"""

from collections.abc import Iterable, Mapping, Sequence

from ai_smartness.model.suggestion import MergeCandidate
from ai_smartness.model.thread import Status, Thread
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.threads.decay import is_pinned
from ai_smartness.threads.similar_threads import ThreadPair

__all__ = ["can_be_merged", "merge_candidates", "shared_subject"]

MOST_NAMED = 3
"""Of what two threads share, as many are named."""


def merge_candidates(
    pairs: Iterable[ThreadPair], threads: Mapping[str, Thread], most: int
) -> tuple[tuple[MergeCandidate, ...], int]:
    """Return the pairs that could be merged, the most alike first, and how many are left out."""
    fit = [
        pair for pair in pairs if all(_is_candidate(threads.get(id_)) for id_ in (pair.a, pair.b))
    ]
    fit.sort(key=lambda pair: (-pair.similarity, pair.a, pair.b))
    listed = tuple(_merge_candidate(pair, threads) for pair in fit[:most])
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
    topics = _shared_names(one.topics, other.topics)
    phrase = next((topic for topic in topics if " " in topic), None)
    if topics:
        # A topic of several words says it all; single ones only together.
        return f"Both about {phrase or _named_list(topics)}"
    files = [file for file in one.files if file in other.files]
    if files:
        return f"Both about {_named_list(files)}"
    words = _shared_names(list(extract_keywords(one.title)), list(extract_keywords(other.title)))
    return f"Both about {' '.join(words[:MOST_NAMED])}" if words else "Both say much the same"


def _is_candidate(thread: Thread | None) -> bool:
    return thread is not None and can_be_merged(thread)


def _merge_candidate(pair: ThreadPair, threads: Mapping[str, Thread]) -> MergeCandidate:
    kept, absorbed = sorted((threads[pair.a], threads[pair.b]), key=_survivor_order)
    return MergeCandidate(
        thread_a=kept.id,
        thread_b=absorbed.id,
        similarity=pair.similarity,
        reason=shared_subject(kept, absorbed),
    )


def _survivor_order(thread: Thread) -> tuple[object, ...]:
    """Return what decides which of two is kept: a pin, then the heavier, then the older."""
    return not is_pinned(thread), -thread.weight, thread.created_at, thread.id


def _shared_names(mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    known = {each.casefold() for each in theirs}
    return list(dict.fromkeys(each for each in mine if each.casefold() in known))


def _named_list(names: Sequence[str]) -> str:
    *others, last = names[:MOST_NAMED]
    return f"{', '.join(others)} and {last}" if others else last

"""Suggest pairs of threads that seem to be about one subject, and name the subject.

They are the merges that a compaction would make: every one can be carried out as it stands.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ai_smartness.model.suggestion import MergeCandidate
from ai_smartness.model.thread import Thread
from ai_smartness.text.keywords import extract_keywords, spelled_keywords
from ai_smartness.threads.merge_groups import merge_groups

if TYPE_CHECKING:  # it loads numpy
    from ai_smartness.threads.similar_threads import ThreadPair

__all__ = ["joined_names", "merge_candidates", "shared_subject"]

MOST_NAMED = 3  # how many shared topics, files or words a reason names


def merge_candidates(
    mergeable: Sequence[Thread], focused: Collection[str], pairs: "Sequence[ThreadPair]", most: int
) -> tuple[tuple[MergeCandidate, ...], int]:
    """Return the merges that a compaction would make too, and how many more there are.

    `mergeable` are the threads that may be merged, survivors first. Those in focus only survive.
    """
    threads = {thread.id: thread for thread in mergeable}
    similarity = {frozenset((pair.a, pair.b)): pair.similarity for pair in pairs}
    merges = [
        (similarity[frozenset((survivor, absorbed))], survivor, absorbed)
        for group in merge_groups([*threads], focused, pairs)
        for survivor, *others in [group.threads]
        for absorbed in others
    ]
    merges.sort(key=lambda merge: (-merge[0], merge[1:]))
    candidates = (
        MergeCandidate(
            thread_a=survivor,
            thread_b=absorbed,
            similarity=likeness,
            reason=shared_subject(threads[survivor], threads[absorbed]),
        )
        for likeness, survivor, absorbed in merges[:most]
    )
    return tuple(candidates), max(0, len(merges) - most)


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
    written = dict(spelled_keywords(a.title))
    words = [written.get(word, word) for word in words[:MOST_NAMED]]
    return f"Both about {' '.join(words)}" if words else "Both say much the same"


def joined_names(names: Sequence[str]) -> str:
    """Write names as a list: "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _shared_names(mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    known = {name.casefold() for name in theirs}
    return list(dict.fromkeys(name for name in mine if name.casefold() in known))

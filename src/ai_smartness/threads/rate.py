"""Rate a thread: say how useful it was when it was shown.

The latest ten count, the later the more. Two good ones are taken for granted, so
that one "no" lowers a thread and never silences it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Rating, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, surviving_thread
from ai_smartness.threads.ids import unbracketed_id

__all__ = ["rate", "rated_thread", "relevance_of", "unrated_thread", "usage_rating"]

COUNTED_RATINGS = 10
PRIOR_GOOD_RATINGS = 2.0
LATER_RATING_BONUS = 0.1
"""What each rating counts more than the one before it."""

USE_STRENGTH = 0.25
"""To be of use unasked says less than an answer to the question."""


def rate(store: ThreadStore, project: str, named: str, rating: Rating) -> ChangePlan:
    """Plan to rate a stored thread, or the thread of a message; a merged one is followed."""
    meant = _named_thread(store, project, unbracketed_id(named))
    before = surviving_thread(store, meant)
    after = rated_thread(before, rating)
    said = (
        f"Rated {after.id} as {'useful' if rating.useful else 'not useful'}. "
        f"Relevance score: {before.relevance:.2f} → {after.relevance:.2f}"
    )
    if meant.id != after.id:
        said += f". It has the messages of {meant.id}, which was merged into it."
    # No new revision: what it says is the same, and need not be shown again for this.
    change = Change((ThreadEdit(before, after),))
    return ChangePlan(after.project, said, change, (after.id,))


def relevance_of(ratings: Sequence[Rating]) -> float:
    """Measure what ratings say, 0–1; without any, 1."""
    total = good = PRIOR_GOOD_RATINGS
    for place, rating in enumerate(ratings[-COUNTED_RATINGS:]):
        weight = (1.0 + place * LATER_RATING_BONUS) * rating.strength
        total += weight
        good += weight if rating.useful else 0.0
    return good / total


def rated_thread(thread: Thread, rating: Rating) -> Thread:
    """Return the thread with one more rating; only those that count are kept."""
    ratings = (*thread.ratings, rating)[-COUNTED_RATINGS:]
    return replace(thread, ratings=ratings, relevance=relevance_of(ratings))


def unrated_thread(now: Thread, left: Thread, was: Thread) -> Thread:
    """Return a thread without the ratings of one change, and with those that came since.

    `left` and `was` are the thread as the change left it, and as it was before.
    """
    ratings = (*was.ratings, *_ratings_since(left.ratings, now.ratings))[-COUNTED_RATINGS:]
    return replace(now, ratings=ratings, relevance=relevance_of(ratings))


def _ratings_since(left: Sequence[Rating], now: Sequence[Rating]) -> Sequence[Rating]:
    """Return the ratings that came after those; of those the first may no longer be kept."""
    places = range(min(len(now), len(left)), -1, -1)
    return next(now[place:] for place in places if now[:place] == left[len(left) - place :])


def usage_rating(at: datetime) -> Rating:
    """Return the weak rating that use is."""
    return Rating(useful=True, at=at, reason="used in the answer", strength=USE_STRENGTH)


def _named_thread(store: ThreadStore, project: str, named: str) -> Thread:
    """Return the thread with this id or start of one, or that of the message with this id."""
    is_thread = store.threads.has(named)
    if not is_thread and (named.startswith("msg_") or store.events.known_ids(project, [named])):
        return store.threads.get(store.events.get(project, named).thread_id)
    return store.threads.get(named)

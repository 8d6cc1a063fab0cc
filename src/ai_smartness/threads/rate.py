"""Rate a thread: record how useful it was when it was shown.

The latest ten ratings count, later ones more. Two good ones are assumed, so that a single
"not useful" lowers a thread without silencing it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.short_ids import MESSAGE_ID_START, is_short_id
from ai_smartness.model.thread import Rating, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, surviving_thread
from ai_smartness.threads.ids import names_thread, unbracketed_id

__all__ = ["rate", "rated_thread", "relevance_of", "unrated_thread", "usage_rating"]

COUNTED_RATINGS = 10
PRIOR_GOOD_RATINGS = 2.0
LATER_RATING_BONUS = 0.1  # how much more each rating counts than the one before it
USE_STRENGTH = 0.25  # use without being asked says less than an answer to the question


def rate(store: ThreadStore, project: str, named: str, rating: Rating) -> ChangePlan:
    """Plan to rate a stored thread, or the thread of a message; a merged one is followed."""
    thread = _named_thread(store, project, unbracketed_id(named))
    before = surviving_thread(store, thread)
    after = rated_thread(before, rating)
    sentence = (
        f"Rated {after.id} as {'useful' if rating.useful else 'not useful'}. "
        f"Relevance score: {before.relevance:.2f} → {after.relevance:.2f}"
    )
    if thread.id != after.id:
        sentence += f". It has the messages of {thread.id}, which was merged into it."
    # No new revision: its content is the same, and need not be shown again for this.
    change = Change((ThreadEdit(before, after),))
    return ChangePlan(after.project, sentence, change, (after.id,))


def relevance_of(ratings: Sequence[Rating]) -> float:
    """Measure the relevance that ratings give, 0–1; without any, 1."""
    total = good = PRIOR_GOOD_RATINGS
    for place, rating in enumerate(ratings[-COUNTED_RATINGS:]):
        weight = (1.0 + place * LATER_RATING_BONUS) * rating.strength
        total += weight
        good += weight if rating.useful else 0.0
    return good / total


def rated_thread(thread: Thread, rating: Rating) -> Thread:
    """Return the thread with one more rating; only those that count are stored."""
    ratings = (*thread.ratings, rating)[-COUNTED_RATINGS:]
    return replace(thread, ratings=ratings, relevance=relevance_of(ratings))


def unrated_thread(now: Thread, left: Thread, was: Thread) -> Thread:
    """Return a thread without the ratings of the change from `was` to `left`.

    Ratings that came since then stay.
    """
    ratings = (*was.ratings, *_ratings_since(left.ratings, now.ratings))[-COUNTED_RATINGS:]
    return replace(now, ratings=ratings, relevance=relevance_of(ratings))


def usage_rating(at: datetime) -> Rating:
    """Return the weak rating that a use gives."""
    return Rating(useful=True, at=at, reason="used in the answer", strength=USE_STRENGTH)


def _ratings_since(left: Sequence[Rating], now: Sequence[Rating]) -> Sequence[Rating]:
    """Return the ratings after those of `left`, the first of which may be gone by now."""
    places = range(min(len(now), len(left)), -1, -1)
    return next(now[place:] for place in places if now[:place] == left[len(left) - place :])


def _named_thread(store: ThreadStore, project: str, named: str) -> Thread:
    """Return the thread with this id or start of an id, or that of the message with this id."""
    is_thread = store.threads.has(named)
    is_message = named.startswith(MESSAGE_ID_START) or store.events.known_ids(project, [named])
    if not is_thread and (is_message or (is_short_id(named) and not names_thread(store, named))):
        return store.threads.get(store.events.get(project, named).thread_id)
    return store.threads.get(named)

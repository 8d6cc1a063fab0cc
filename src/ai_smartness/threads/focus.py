"""Put a topic or a thread in focus: what is about it is shown before the rest.

A focus shifts what is shown by a small, bounded amount; only the thread whose id is in
focus is shown whatever is asked. It is of one session or lasting, and ends when it is
taken back, or by itself. To set it again on the same topic is to change it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.focus import Focus, folded_topic
from ai_smartness.model.journal import Change, FocusEdit
from ai_smartness.model.search import SearchScope
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.text.words import has_words
from ai_smartness.threads.change_plan import ChangePlan, surviving_thread
from ai_smartness.threads.ids import is_thread_id_start, unbracketed_id

__all__ = [
    "MOST_BOOST",
    "affected_threads",
    "foci_in_force",
    "focus",
    "focus_boost",
    "is_focused",
    "resolved_focus",
    "unfocus",
]

TOPIC_BOOST = 0.3
ID_BOOST = 0.5
TITLE_BOOST = 0.2
MOST_BOOST = 0.5
"""However much is in focus: it shifts the order, and does not make it."""


def focus(store: ThreadStore, project: str, wanted: Focus, affected: int) -> ChangePlan:
    """Plan to put a topic or a thread in focus, which concerns so many threads."""
    before = next((each for each in store.foci.all(project) if each.key == wanted.key), None)
    said = f'Focus set on "{wanted.topic}" (weight={_weight_text(wanted.weight)}). '
    said += _prioritized_text(affected, wanted.weight)
    if wanted.until is not None:
        said += f" It ends at {wanted.until:%Y-%m-%d %H:%M} UTC."
    return ChangePlan(project, said, Change(foci=(FocusEdit(before, wanted),)), ())


def resolved_focus(store: ThreadStore, project: str, wanted: Focus) -> Focus:
    """Return a focus on a topic as it is, or on the thread that it names by the start of its id.

    Refuse a weight, an end or a thread that cannot be.
    """
    _refuse_numbers(wanted)
    return replace(wanted, topic=_resolved_topic(store, project, wanted.topic))


def affected_threads(store: ThreadStore, project: str, wanted: Focus) -> list[Thread]:
    """Return the threads that a focus moves up."""
    threads = [*store.threads.all(project), *_user_threads(store, project, wanted)]
    return [thread for thread in threads if _is_affected(thread, wanted)]


def unfocus(
    store: ThreadStore, project: str, topic: str | None, session: str | None, now: datetime
) -> ChangePlan:
    """Plan to take a topic out of focus, or everything.

    With a session it is the session's own and what is lasting, without one it is all.
    """
    there = [
        each
        for each in store.foci.all(project)
        if (each.until is None or each.until > now)
        and (session is None or each.session in (None, session))
    ]
    if topic is None:
        said = "All focus cleared. Returning to similarity-based injection."
        cleared = there
    else:
        cleared = _foci_on_topic(store, there, topic)
        said = f'Focus on "{cleared[0].topic}" cleared.'
    said = said if cleared else "No focus was set, so there is none to clear."
    return ChangePlan(
        project, said, Change(foci=tuple(FocusEdit(each, None) for each in cleared)), ()
    )


def foci_in_force(
    store: ThreadStore, projects: Sequence[str], session: str | None, now: datetime
) -> list[Focus]:
    """Return what is in focus now; a thread that was merged is followed to its survivor."""
    return [_surviving_focus(store, each) for each in store.foci.in_force(projects, session, now)]


def focus_boost(thread: Thread, foci: Iterable[Focus]) -> float:
    """Measure how much what is in focus adds to a thread, 0–0.5."""
    return min(MOST_BOOST, sum(_single_boost(thread, each) for each in foci))


def is_focused(thread: Thread, foci: Iterable[Focus]) -> bool:
    """Say whether the thread itself is in focus, by its id."""
    return any(each.weight > 0 and each.topic == thread.id for each in foci)


def _single_boost(thread: Thread, each: Focus) -> float:
    if not each.weight:
        return 0.0
    wanted = folded_topic(each.topic)
    boost = 0.0
    if any(has_words(folded_topic(topic), wanted) for topic in thread.topics):
        boost += each.weight * TOPIC_BOOST
    if each.topic == thread.id:
        boost += each.weight * ID_BOOST
    if wanted in folded_topic(thread.title):
        boost += each.weight * TITLE_BOOST
    return boost


def _refuse_numbers(wanted: Focus) -> None:
    if not 0.0 <= wanted.weight <= 1.0:
        msg = (
            f'cannot focus on "{wanted.topic}" with weight {wanted.weight}: '
            "a weight is from 0 to 1."
        )
        raise RefusedError(msg)
    if wanted.until is not None and wanted.until <= wanted.set_at:
        msg = (
            f'cannot focus on "{wanted.topic}" until {wanted.until:%Y-%m-%d %H:%M:%S} UTC: '
            "that is past. Give a later time, or none for a focus that lasts."
        )
        raise RefusedError(msg)


def _resolved_topic(store: ThreadStore, project: str, topic: str) -> str:
    """Return a topic as it is, or the whole id of the thread that it names."""
    id_ = unbracketed_id(topic)
    if not store.threads.has(id_) and not is_thread_id_start(id_):
        return topic
    thread = surviving_thread(store, store.threads.get(id_))
    if thread.project not in SearchScope(project=project).projects:
        msg = (
            f"cannot focus on {thread.id} here: it is of project {thread.project}, and never "
            f"shown in {project}. Run `ais --project {thread.project} focus {thread.id}`."
        )
        raise RefusedError(msg)
    return thread.id


def _user_threads(store: ThreadStore, project: str, wanted: Focus) -> list[Thread]:
    """Return the thread in focus where it is of no project, but the user's own."""
    thread = store.threads.get(wanted.topic) if store.threads.has(wanted.topic) else None
    return [thread] if thread is not None and thread.project != project else []


def _is_affected(thread: Thread, wanted: Focus) -> bool:
    """Say whether a focus shows; a thread that was put away is shown if it is asked for itself."""
    there = thread.status is not Status.ARCHIVED or thread.id == wanted.topic
    return there and focus_boost(thread, [wanted]) > 0


def _prioritized_text(threads: int, weight: float) -> str:
    if threads:
        counted = "1 thread" if threads == 1 else f"{threads:,} threads"
        return f"{counted} will be prioritized."
    if weight == 0:
        return "With a weight of 0 it changes nothing."
    return "No thread is about it yet; new ones that are will be prioritized."


def _weight_text(weight: float) -> str:
    return str(round(weight, 3))


def _foci_on_topic(store: ThreadStore, there: Sequence[Focus], topic: str) -> list[Focus]:
    """Return the foci on a topic, or on the thread that it names; refuse where there is none."""
    wanted = folded_topic(topic)
    found = [each for each in there if each.key[1] == wanted]
    if not found:
        start = unbracketed_id(topic)
        named = [each for each in there if start and _names_focus(store, each, start)]
        found = named if len({_surviving_focus(store, each).topic for each in named}) == 1 else []
    if not found:
        names = ", ".join(dict.fromkeys(f'"{each.topic}"' for each in there))
        in_focus = f"In focus: {names}." if names else "Nothing is in focus."
        msg = f'there is no focus on "{topic}". {in_focus} `ais focus` lists what is.'
        raise NotFoundError(msg)
    return found


def _names_focus(store: ThreadStore, each: Focus, start: str) -> bool:
    ids = (each.topic, _surviving_focus(store, each).topic)
    return is_thread_id_start(start) and any(id_.startswith(start) for id_ in ids)


def _surviving_focus(store: ThreadStore, each: Focus) -> Focus:
    if not each.topic.startswith("thread_") or not store.threads.has(each.topic):
        return each
    return replace(each, topic=surviving_thread(store, store.threads.get(each.topic)).id)

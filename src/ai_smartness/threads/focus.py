"""Focus on a topic or a thread: what is about it is shown before the rest.

A focus shifts the order by a small, bounded amount; only a thread whose own id is in focus is
always shown. A focus belongs to one session or lasts, and ends when it is cleared or expires.
Setting it again on the same topic changes it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.focus import Focus, folded_topic
from ai_smartness.model.journal import Change, FocusEdit
from ai_smartness.model.search import SearchScope
from ai_smartness.model.thread import Status, Thread, short_thread_id
from ai_smartness.ports import ThreadStore
from ai_smartness.text.words import has_words
from ai_smartness.threads.change_plan import ChangePlan, surviving_thread
from ai_smartness.threads.ids import names_thread, unbracketed_id

__all__ = [
    "MOST_BOOST",
    "affected_threads",
    "foci_in_force",
    "foci_of_all_sessions",
    "focus",
    "focus_boost",
    "is_focused",
    "resolved_focus",
    "unfocus",
]

TOPIC_BOOST = 0.3
ID_BOOST = 0.5
TITLE_BOOST = 0.2
MOST_BOOST = 0.5  # however much is in focus: it shifts the order and does not make it


def focus(store: ThreadStore, project: str, wanted: Focus, affected: int) -> ChangePlan:
    """Plan to focus on a topic or a thread that affects this many threads."""
    before = next((focus for focus in store.foci.all(project) if focus.key == wanted.key), None)
    sentence = f'Focus set on "{wanted.topic}" (weight={round(wanted.weight, 3)}). '
    sentence += _prioritized_text(affected, wanted.weight)
    if wanted.until is not None:
        sentence += f" It ends at {wanted.until:%Y-%m-%d %H:%M} UTC."
    return ChangePlan(project, sentence, Change(foci=(FocusEdit(before, wanted),)), ())


def unfocus(
    store: ThreadStore, project: str, topic: str | None, session: str | None, now: datetime
) -> ChangePlan:
    """Plan to clear the focus on a topic, or on everything.

    With a session, this covers its own foci and the lasting ones; without one, all.
    """
    foci = [
        focus
        for focus in store.foci.all(project)
        if (focus.until is None or focus.until > now)
        and (session is None or focus.session in (None, session))
    ]
    if topic is None:
        sentence = "All focus cleared. Returning to similarity-based injection."
        if not foci:
            sentence = "No focus was set, so there is none to clear."
    else:
        foci = _foci_on_topic(store, foci, topic)
        sentence = f'Focus on "{foci[0].topic}" cleared.'
    cleared = tuple(FocusEdit(focus, None) for focus in foci)
    return ChangePlan(project, sentence, Change(foci=cleared), ())


def resolved_focus(store: ThreadStore, project: str, wanted: Focus) -> Focus:
    """Return a focus with the full id of the thread it names, if it names one.

    Refuse an impossible weight, an end in the past, and a thread of another project.
    """
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
    return replace(wanted, topic=_resolved_topic(store, project, wanted.topic))


def affected_threads(store: ThreadStore, project: str, wanted: Focus) -> list[Thread]:
    """Return the threads that a focus moves up."""
    threads = store.threads.all(project)
    if store.threads.has(wanted.topic):
        focused = store.threads.get(wanted.topic)
        # It may belong to the user and not to the project.
        threads = [*threads, *([focused] if focused.project != project else [])]
    return [
        thread
        for thread in threads
        # An archived thread is shown only if its own id is in focus.
        if thread.status is not Status.ARCHIVED or thread.id == wanted.topic
        if focus_boost(thread, [wanted]) > 0
    ]


def foci_in_force(
    store: ThreadStore, projects: Sequence[str], session: str | None, now: datetime
) -> list[Focus]:
    """Return the present foci; a merged thread is followed to its survivor."""
    foci = store.foci.in_force(projects, session, now)
    threads = store.threads.by_id(focus.topic for focus in foci if _names_thread(focus))
    merged = {id_ for id_, thread in threads.items() if thread.merged_into}
    return [_surviving_focus(store, focus) if focus.topic in merged else focus for focus in foci]


def focus_boost(thread: Thread, foci: Iterable[Focus]) -> float:
    """Measure how much the foci add to a thread, 0–0.5."""
    return min(MOST_BOOST, sum(_single_boost(thread, focus) for focus in foci))


def is_focused(thread: Thread, foci: Iterable[Focus]) -> bool:
    """Say whether the thread itself is in focus, by its id."""
    return any(focus.weight > 0 and focus.topic == thread.id for focus in foci)


def _single_boost(thread: Thread, focus: Focus) -> float:
    if not focus.weight:
        return 0.0
    topic = folded_topic(focus.topic)
    boost = 0.0
    if any(has_words(folded_topic(own), topic) for own in thread.topics):
        boost += focus.weight * TOPIC_BOOST
    if focus.topic == thread.id:
        boost += focus.weight * ID_BOOST
    if topic in folded_topic(thread.title):
        boost += focus.weight * TITLE_BOOST
    return boost


def _resolved_topic(store: ThreadStore, project: str, topic: str) -> str:
    """Return a topic unchanged, or the full id of the thread that it names."""
    id_ = unbracketed_id(topic)
    if not store.threads.has(id_) and not names_thread(store, id_):
        return topic
    thread = surviving_thread(store, store.threads.get(id_))
    if thread.project not in SearchScope(project=project).projects:
        msg = (
            f"cannot focus on {thread.id} here: it is of project {thread.project}, and never "
            f"shown in {project}. Run `ais --project {thread.project} focus {thread.id}`."
        )
        raise RefusedError(msg)
    return thread.id


def _prioritized_text(threads: int, weight: float) -> str:
    if threads:
        counted = "1 thread" if threads == 1 else f"{threads:,} threads"
        return f"{counted} will be prioritized."
    if weight == 0:
        return "With a weight of 0 it changes nothing."
    return "No thread is about it yet; new ones that are will be prioritized."


def _foci_on_topic(store: ThreadStore, foci: Sequence[Focus], topic: str) -> list[Focus]:
    """Return the foci on a topic, or on the thread that it names; refuse if there is none."""
    folded, start = folded_topic(topic), unbracketed_id(topic)
    matches = [focus for focus in foci if focus.key[1] == folded]
    if not matches and names_thread(store, start):
        named = [
            (focus, survivor)
            for focus in foci
            if _is_named(survivor := _surviving_focus(store, focus).topic, start)
            or _is_named(focus.topic, start)
        ]
        if len({survivor for _, survivor in named}) == 1:
            matches = [focus for focus, _ in named]
    if not matches:
        names = ", ".join(dict.fromkeys(f'"{focus.topic}"' for focus in foci))
        in_focus = f"In focus: {names}." if names else "Nothing is in focus."
        msg = f'there is no focus on "{topic}". {in_focus} `ais focus` lists what is.'
        raise NotFoundError(msg)
    return matches


def _is_named(thread_id: str, id_or_start: str) -> bool:
    return thread_id.startswith(id_or_start) or short_thread_id(thread_id) == id_or_start


def _names_thread(focus: Focus) -> bool:
    """Say whether a topic has the form of a thread's id: any other would be asked for in vain."""
    return focus.topic.startswith("thread_")


def _surviving_focus(store: ThreadStore, focus: Focus) -> Focus:
    if not _names_thread(focus) or not store.threads.has(focus.topic):
        return focus
    return replace(focus, topic=surviving_thread(store, store.threads.get(focus.topic)).id)


def foci_of_all_sessions(store: ThreadStore, project: str, now: datetime) -> list[Focus]:
    """Return the foci of all sessions that have not ended; those on merged threads follow them."""
    projects = SearchScope(project=project).projects
    foci = (focus for visible in projects for focus in store.foci.all(visible))
    live_foci = (focus for focus in foci if focus.until is None or focus.until > now)
    return [_followed_focus(store, focus) for focus in live_foci]


def _followed_focus(store: ThreadStore, focus: Focus) -> Focus:
    """Return a focus on a merged thread as one on its survivor."""
    if not store.threads.has(focus.topic):
        return focus
    return replace(focus, topic=surviving_thread(store, store.threads.get(focus.topic)).id)

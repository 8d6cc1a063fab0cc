"""Resolve a selection of messages to forget, and preview what deleting them would take away."""

from collections import Counter
from dataclasses import replace

from ai_smartness.model.erasure import ForgetResult, Selection
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import refuse_absorbed

__all__ = ["forget_preview", "resolved_selection"]

PREVIEW_EXAMPLES = 20


def resolved_selection(store: ThreadStore, selection: Selection, project: str) -> Selection:
    """Return a selection with whole ids, by default of this project; refuse unknown ones."""
    if selection == Selection():
        msg = "name what to forget: a message, a thread, a session, a project or a time."
        raise RefusedError(msg)
    if selection.messages:
        project = selection.project or project
        forgotten = store.events.forgotten_ids(project, selection.messages)
        ids = tuple(
            id_ if id_ in forgotten else store.events.get(project, id_).id
            for id_ in selection.messages
        )
        return replace(selection, project=project, messages=ids)
    if selection.thread is not None:
        thread = store.threads.get(selection.thread)
        refuse_absorbed(thread, "forget")
        return replace(selection, thread=thread.id, project=thread.project)
    if selection.matching is not None and not selection.matching.strip():
        msg = "an empty text is in every message. Give the words to forget."
        raise RefusedError(msg)
    if selection.session is not None:
        whole = store.threads.session_id(selection.project, selection.session)
        selection = replace(selection, session=whole)
    _refuse_unknown(store, selection)
    return selection


def forget_preview(store: ThreadStore, selection: Selection) -> ForgetResult:
    """Count what would be deleted, with a few examples."""
    seqs = store.erasure.selected_seqs(selection)
    threads, projects = Counter[str](), Counter[str]()
    for event in store.erasure.events_with_seqs(seqs):
        threads[event.thread_id] += 1
        projects[event.project] += 1
    counts = store.events.counts_by_thread(list(threads))
    whole = sum(counts[id_] == count for id_, count in threads.items())
    return ForgetResult(
        messages=len(seqs),
        threads=whole,
        described=len(threads) - whole,
        projects=dict(projects),
        examples=tuple(store.erasure.events_with_seqs(seqs[:PREVIEW_EXAMPLES])),
        dry_run=True,
    )


def _refuse_unknown(store: ThreadStore, selection: Selection) -> None:
    known = {count.project for count in store.project_counts()}
    if selection.project is not None and selection.project not in known:
        msg = f"there is no project {selection.project}. `ais status` lists them."
        raise NotFoundError(msg)
    if selection.session is not None and not store.erasure.selected_seqs(selection):
        msg = (
            f"there is no message of session {selection.session} in "
            f"{selection.project or 'any project'}. `ais search` shows the session of each message."
        )
        raise NotFoundError(msg)

"""Documents: named texts that are replaced as a whole, such as the files of a memory tool.

Each version is a thread, titled by the document's name. The current version is not archived, and
earlier ones are: search still finds them, and `undo` brings one back. No message continues the
thread of a document, and `compact` leaves it alone.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Origin, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, thread_edit
from ai_smartness.threads.decay import DOCUMENT_TAG
from ai_smartness.threads.ids import free_thread_id

__all__ = ["current_documents", "remove_documents", "rename_documents", "write_document"]


def current_documents(store: ThreadStore, project: str) -> dict[str, Thread]:
    """Return the threads of the current documents, by name."""
    return {
        thread.title: thread
        for thread in store.threads.all(project)
        if DOCUMENT_TAG in thread.tags and thread.status is not Status.ARCHIVED
    }


def write_document(store: ThreadStore, event: Event, name: str) -> ChangePlan:
    """Plan the thread of a document's new version, and the archiving of the version before."""
    earlier = current_documents(store, event.project).get(name)
    thread = Thread(
        id=free_thread_id(store, event),
        project=event.project,
        title=name,
        title_given=True,
        created_at=earlier.created_at if earlier else event.at,
        last_active=event.at,
        tags=(DOCUMENT_TAG,),
        origin=Origin.RESPONSE,
        revision=1,
    )
    # As if it had been archived before: an undo archives it, and brings the version before back.
    edits = [ThreadEdit(replace(thread, status=Status.ARCHIVED), thread)]
    if earlier is not None:
        edits.append(thread_edit(earlier, replace(earlier, status=Status.ARCHIVED)))
    sentence = f"{'Replaced' if earlier else 'Wrote'} the document {name} ({thread.id})"
    return ChangePlan(event.project, sentence, Change(tuple(edits)), (thread.id,))


def remove_documents(store: ThreadStore, project: str, names: Collection[str]) -> ChangePlan:
    """Plan to archive documents."""
    threads = _named_threads(store, project, names)
    edits = [thread_edit(thread, replace(thread, status=Status.ARCHIVED)) for thread in threads]
    ids = tuple(thread.id for thread in threads)
    return ChangePlan(project, f"Removed {_counted_documents(names)}", Change(tuple(edits)), ids)


def rename_documents(store: ThreadStore, project: str, names: Mapping[str, str]) -> ChangePlan:
    """Plan to give documents new names; refuse a name that another document has."""
    threads = _named_threads(store, project, names)
    others = current_documents(store, project).keys() - names.keys()
    targets = [*names.values()]
    for name in targets:
        if name in others or targets.count(name) > 1:
            msg = f"cannot rename a document to {name}: another one would have that name too."
            raise RefusedError(msg)
    edits = [thread_edit(thread, replace(thread, title=names[thread.title])) for thread in threads]
    ids = tuple(thread.id for thread in threads)
    return ChangePlan(project, f"Renamed {_counted_documents(names)}", Change(tuple(edits)), ids)


def _named_threads(store: ThreadStore, project: str, names: Collection[str]) -> list[Thread]:
    current = current_documents(store, project)
    for name in names:
        if name not in current:
            msg = f"there is no document {name} in project {project}. Write it first."
            raise NotFoundError(msg)
    return [current[name] for name in names]


def _counted_documents(names: Collection[str]) -> str:
    first = next(iter(names))
    return f"the document {first}" if len(names) == 1 else f"{len(names):,} documents"

"""A copy of projects in a local file, from which hooks read while the server is away.

It holds messages, their words and threads, and foci; nothing is written to it that is not on the
server. What was deleted there cannot be told from the rest, so a copy that holds too much has to
be made again.
"""

from collections.abc import Collection

from ai_smartness.capture.index import index_events
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore

__all__ = ["update_read_copy"]

BATCH_EVENTS = 500


def update_read_copy(
    source: ThreadStore, copy: ThreadStore, project: str, progress: Progress
) -> bool:
    """Copy what is new in a project; say whether the copy holds nothing that is gone."""
    threads = {thread.id: thread for thread in source.threads.all(project)}
    _save_threads(copy, project, threads.values())
    last, total = copy.events.last_seq(project), source.events.count(project)
    done = copy.events.count(project)
    while events := source.events.after_seq(project, last, BATCH_EVENTS):
        newer = {event.thread_id for event in events} - threads.keys()
        with copy.unit(project):
            _save_threads(copy, project, source.threads.by_id(newer).values())
            index_events(copy, copy.events.append(events))
        last, done = events[-1].seq, done + len(events)
        progress(done, max(total, done))
    _move_events(source, copy, list(threads), last)
    _replace_foci(source, copy, project)
    copy.word_index.refresh_index(project)
    return copy.events.count(project) == source.events.count_through(project, last)


def _save_threads(copy: ThreadStore, project: str, threads: Collection[Thread]) -> None:
    known = copy.threads.by_id(thread.id for thread in threads)
    with copy.unit(project):
        for thread in threads:
            if known.get(thread.id) != thread:
                copy.threads.save(thread)


def _move_events(source: ThreadStore, copy: ThreadStore, ids: list[str], last: int) -> None:
    """Put messages on their threads, where a thread has got or lost some."""
    wanted, present = source.events.counts_by_thread(ids), copy.events.counts_by_thread(ids)
    for id_ in ids:
        if wanted.get(id_, 0) > present.get(id_, 0):
            seqs = [event.seq for event in source.events.of_thread(id_) if event.seq <= last]
            copy.events.move(seqs, id_)


def _replace_foci(source: ThreadStore, copy: ThreadStore, project: str) -> None:
    foci, present = source.foci.all(project), copy.foci.all(project)
    with copy.unit(project):
        copy.foci.remove(project, [focus for focus in present if focus not in foci])
        copy.foci.save(project, [focus for focus in foci if focus not in present])

"""Write to a memory on PostgreSQL until killed; print the id of each event after its commit.

A program of its own, to be killed: `PYTHONPATH=tests python tests/postgres_writing.py URL NAME`.
Several threads write to two projects. An event whose end is not known, because the connection was
lost, is written again under the same id.
"""

import os
import sys
import threading
import time
from contextlib import closing
from itertools import count

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.model.errors import StoreError
from ai_smartness.model.search import Chunk, IndexedWords
from builders import a_thread, a_vector, an_event

PROJECTS = ("alpha", "beta")
WRITERS = 4
BACK_OFF_SECONDS = 0.05  # while the server is away


def main(url: str, name: str) -> None:
    """Write with several threads, each with a store of its own."""
    threads = [
        threading.Thread(target=write, args=(url, f"{name}-{number}")) for number in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def write(url: str, name: str) -> None:
    """Write one event after the other."""
    with closing(opened(url)) as store:
        for number in count():
            project = PROJECTS[number % len(PROJECTS)]
            id_ = f"{name}-{number}"
            while not is_stored(store, project, id_):
                time.sleep(BACK_OFF_SECONDS)
            # At once and whole, however many write: shorter than a pipe takes in one piece.
            os.write(1, f"{project} {id_}\n".encode())


def opened(url: str) -> PostgresStore:
    """Open the store as soon as the server is there."""
    while True:
        try:
            return PostgresStore.open(url)
        except StoreError:
            time.sleep(BACK_OFF_SECONDS)


def is_stored(store: PostgresStore, project: str, id_: str) -> bool:
    """Store an event with its words and its vector, unless it is there already."""
    thread = a_thread(f"thread_{project}", project=project)
    try:
        with store.unit(project):
            if store.events.known_ids(project, [id_]):
                return True
            (event,) = store.events.append([an_event(id_, thread, f"words of {id_}")])
            store.word_index.add(project, [IndexedWords(event.seq, event.text, "", "")])
            chunk = Chunk(event.seq, 0, a_vector(event.seq))
            store.vector_index.add(project, "model@1", [chunk], event.seq)
    except StoreError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])

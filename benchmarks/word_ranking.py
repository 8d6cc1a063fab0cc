"""Whether PostgreSQL ranks the messages of a bench set by words as SQLite does.

Both engines index the same messages with the same context, and are asked every query of the set.
`scripts/bench word_ranking SET …` starts a server of its own; `--store` names an empty database.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.search import IndexedWords, SearchScope
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.text.search_terms import indexed_parts, search_terms
from kit.benched_server import benched_server
from kit.conversations import Conversation, conversations
from kit.made_up import START

FIRST = 10


def main() -> None:
    """Print how many queries have the same first ten; fail if one has not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, nargs="+", help="bench sets")
    parser.add_argument("--store", help="the address of an empty database")
    given = parser.parse_args()
    if given.store:
        alike = compared_sets(given.sets, given.store)
    else:
        with benched_server() as started:
            alike = compared_sets(given.sets, started.make_empty("bench"))
    same, queries = sum(alike), len(alike)
    print(f"the first {FIRST} by words are the same for {same:,} of {queries:,} queries")
    if same < queries:
        sys.exit(1)


def compared_sets(paths: Sequence[Path], url: str) -> list[bool]:
    """Say for each query of the sets whether both engines rank alike; print each conversation."""
    alike: list[bool] = []
    with (
        closing(SqliteStore.open(":memory:")) as file,
        closing(PostgresStore.open(url)) as server,
    ):
        for path in paths:
            for conversation in conversations(path):
                name = f"{path.name} {conversation.name}"
                rankings = same_rankings(file, server, name, conversation)
                print(f"{name}: {sum(rankings)} of {len(rankings)}", flush=True)
                alike += rankings
    return alike


def same_rankings(
    file: ThreadStore, server: ThreadStore, project: str, conversation: Conversation
) -> list[bool]:
    """Fill a project of both stores, and say for each query whether they rank alike."""
    for store in (file, server):
        fill_project(store, project, conversation)
    scope, alike = SearchScope(project=project), []
    for query in conversation.queries:
        terms = search_terms(query.text)
        rankings = [ranked_ids(store, scope, terms) for store in (file, server)]
        alike.append(rankings[0] == rankings[1])
    return alike


def ranked_ids(store: ThreadStore, scope: SearchScope, terms: list[str]) -> list[str]:
    """Return the ids of the first messages, best first."""
    found = [match.seq for match in store.word_index.match(scope, terms, FIRST)]
    events = store.events.by_seq(found)
    return [events[seq].id for seq in found]


def fill_project(store: ThreadStore, project: str, conversation: Conversation) -> None:
    """Store and index the messages, each with the one before as its context."""
    thread = Thread(
        id=f"thread {project}", project=project, title=project, created_at=START, last_active=START
    )
    store.threads.save(thread)
    events = store.events.append(
        [
            Event(
                id=f"m{number}",
                project=project,
                thread_id=thread.id,
                session=message.session,
                type=EventType.USER_MESSAGE,
                role=message.role,
                text=message.text,
                at=message.at or START,
                source="user",
            )
            for number, message in enumerate(conversation.messages)
        ]
    )
    texts = ["", *(event.text for event in events)]
    store.word_index.add(
        project,
        [
            IndexedWords(event.seq, event.text, indexed_parts(event.text), before)
            for event, before in zip(events, texts, strict=False)
        ],
    )


if __name__ == "__main__":
    main()

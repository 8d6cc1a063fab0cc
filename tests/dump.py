"""Everything a store holds about threads, as one text: two stores are the same if these are."""

import json
from dataclasses import asdict

from ai_smartness.model.thread import MERGED_INTO
from ai_smartness.ports import ThreadStore

__all__ = ["chosen", "dump", "empty", "lasting", "places"]

GROWING = frozenset(
    {"title", "status", "summary", "topics", "files", "commit", "drift", "revision"}
    | {"last_active", "created_at"},
)
"""What messages change of a thread by themselves."""


def dump(store: ThreadStore) -> str:
    """Write all threads, messages, foci, reviews and bridges, also unwanted ones, in one order."""
    projects = [each.project for each in store.project_counts()]
    threads = sorted(
        (thread for project in projects for thread in store.threads.all(project)),
        key=lambda thread: thread.id,
    )
    bridges = {
        bridge.id: bridge
        for thread in threads
        for bridge in store.bridges.of(thread.id, unwanted=True)
    }
    events = [event for thread in threads for event in store.events.of_thread(thread.id)]
    content = {
        "threads": [asdict(thread) for thread in threads],
        "events": [asdict(event) for event in sorted(events, key=lambda event: event.seq)],
        "bridges": [asdict(bridges[id_]) for id_ in sorted(bridges)],
        "reviews": [
            asdict(each) for project in projects for each in store.statements.reviews(project)
        ],
        "foci": [asdict(each) for project in projects for each in store.foci.all(project)],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, default=str)


def places(dumped: str) -> dict[str, str]:
    """Name for each message the thread it is on."""
    events = json.loads(dumped)["events"]
    return {f"{event['project']} {event['id']}": event["thread_id"] for event in events}


def empty(dumped: str) -> set[str]:
    """Name the threads that hold nothing, though they were not merged away."""
    threads = json.loads(dumped)["threads"]
    absorbed = {t["id"] for t in threads if any(tag.startswith(MERGED_INTO) for tag in t["tags"])}
    return {thread["id"] for thread in threads} - absorbed - {*places(dumped).values()}


def lasting(threads: list[dict[str, object]]) -> dict[object, dict[str, object]]:
    """Return of each thread what messages do not change."""
    return {
        thread["id"]: {
            name: value
            for name, value in thread.items()
            if name not in GROWING or (name == "title" and thread["title_given"])
        }
        for thread in threads
    }


def chosen(bridges: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the bridges that somebody made or took away; messages make and unmake the others."""
    return [each for each in bridges if each["unwanted"] or each["made_by"] != "similarity"]

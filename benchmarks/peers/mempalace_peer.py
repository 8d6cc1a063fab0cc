"""MemPalace: a drawer for each message, and `search_memories`, vectors reranked by keywords."""

import os
from typing import Any

from peer_task import run_task

BATCH_MESSAGES = 64


def store(task: dict[str, Any]) -> str:
    """Store every message as a drawer, named by its id."""
    os.environ["MEMPALACE_EMBEDDING_MODEL"] = "openai-compat"
    os.environ["MEMPALACE_EMBEDDING_API_URL"] = task["url"]
    os.environ["MEMPALACE_EMBEDDING_API_MODEL"] = task["model"]
    os.environ["MEMPALACE_EMBEDDING_API_KEY"] = "none"
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    from mempalace.palace import get_collection

    palace = f"{task['folder']}/palace"
    collection = get_collection(palace, create=True)
    messages = task["messages"]
    for start in range(0, len(messages), BATCH_MESSAGES):
        batch = messages[start : start + BATCH_MESSAGES]
        collection.upsert(
            documents=[message["text"] for message in batch],
            ids=[f"drawer_{start + number}" for number in range(len(batch))],
            metadatas=[
                {
                    "wing": "bench",
                    "room": "talk",
                    "source_file": message["id"],
                    "chunk_index": 0,
                    "added_by": "bench",
                }
                for message in batch
            ],
        )
    return palace


def ask(palace: str, query: str, depth: int) -> list[str]:
    """Return the ids of the messages that its search finds."""
    from mempalace.searcher import search_memories

    found = search_memories(query, palace, n_results=depth)
    if "error" in found:
        raise RuntimeError(found["error"])
    return [hit["source_file"] for hit in found["results"]]


if __name__ == "__main__":
    run_task(store, ask)

"""memor-cli: its store and its `recall`, called as its own benchmark of LongMemEval does."""

import time
from typing import Any

from peer_task import run_task

BATCH_MESSAGES = 64
PROJECT = "bench"


def store(task: dict[str, Any]) -> Any:  # noqa: ANN401 - classes of the peer
    """Store every message as a chunk of a session."""
    from memor.embed.api import APIEmbedder
    from memor.store.sqlite_store import SqliteStore
    from memor.types import Artifact

    path = f"{task['folder']}/memor.db"
    embedder = APIEmbedder(task["url"], "none", task["model"], dim=384)
    database = SqliteStore(path, dim=384)
    messages = task["messages"]
    for start in range(0, len(messages), BATCH_MESSAGES):
        batch = messages[start : start + BATCH_MESSAGES]
        artifacts = [
            Artifact(
                id=message["id"],
                kind="session_chunk",
                project=PROJECT,
                source="bench",
                text=message["text"],
                token_count=len(message["text"]) // 4,
                created_at=time.time(),
                meta={},
            )
            for message in batch
        ]
        database.add_artifacts(artifacts, embedder.embed([one["text"] for one in batch]))
    return path, embedder


def ask(memory: Any, query: str, depth: int) -> list[str]:  # noqa: ANN401 - classes of the peer
    """Return the ids of the messages that it recalls."""
    from memor.recall import recall

    path, embedder = memory
    result = recall(
        query,
        PROJECT,
        path,
        embedder=embedder,
        k=depth,
        threshold=0.0,
        min_similarity=-1.0,
        max_tokens=1_000_000,
    )
    return list(result.hit_ids)


if __name__ == "__main__":
    run_task(store, ask)

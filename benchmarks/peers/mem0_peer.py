"""mem0: `add(infer=False)`, so that no language model rewrites anything, and `search`."""

import os
from typing import Any

from peer_task import run_task

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["OPENAI_API_KEY"] = "none"

USER = "bench"


def store(task: dict[str, Any]) -> Any:  # noqa: ANN401 - a class of the peer
    """Store every message as it is, in a local Qdrant."""
    from mem0 import Memory

    os.environ["MEM0_DIR"] = task["folder"]
    memory = Memory.from_config(
        {
            "embedder": {
                "provider": "openai",
                "config": {
                    "model": task["model"],
                    "openai_base_url": task["url"],
                    "embedding_dims": 384,
                },
            },
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "collection_name": "bench",
                    "path": f"{task['folder']}/qdrant",
                    "embedding_model_dims": 384,
                    "on_disk": True,
                },
            },
            "history_db_path": f"{task['folder']}/history.db",
        }
    )
    for message in task["messages"]:
        memory.add(
            [{"role": "user", "content": message["text"]}],
            user_id=USER,
            metadata={"message": message["id"]},
            infer=False,
        )
    return memory


def ask(memory: Any, query: str, depth: int) -> list[str]:  # noqa: ANN401 - a class of the peer
    """Return the ids of the messages that its search finds."""
    found = memory.search(query, top_k=depth, filters={"user_id": USER}, threshold=0.0)
    return [item["metadata"]["message"] for item in found["results"]]


if __name__ == "__main__":
    run_task(store, ask)

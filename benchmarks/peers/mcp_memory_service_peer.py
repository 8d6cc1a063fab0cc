"""mcp-memory-service: its SQLite storage with `retrieve_hybrid`, keywords and vectors together."""

import asyncio
import hashlib
import os
from typing import Any

from peer_task import run_task

LOOP = asyncio.new_event_loop()


def store(task: dict[str, Any]) -> Any:  # noqa: ANN401 - a class of the peer
    """Store every message as a memory; the same text twice is stored once by the peer."""
    os.environ["MCP_EXTERNAL_EMBEDDING_URL"] = f"{task['url']}/embeddings"
    os.environ["MCP_EXTERNAL_EMBEDDING_MODEL"] = task["model"]
    os.environ["MCP_MEMORY_STORAGE_BACKEND"] = "sqlite_vec"
    os.environ["MCP_MEMORY_BASE_DIR"] = task["folder"]
    # Not every message that resembles an earlier one is the same.
    os.environ["MCP_SEMANTIC_DEDUP_ENABLED"] = "false"
    from mcp_memory_service.models.memory import Memory
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

    storage = SqliteVecMemoryStorage(f"{task['folder']}/memory.db")

    async def fill() -> None:
        await storage.initialize()
        for message in task["messages"]:
            digest = hashlib.sha256(message["text"].encode()).hexdigest()
            memory = Memory(message["text"], digest, metadata={"message": message["id"]})
            await storage.store(memory)

    LOOP.run_until_complete(fill())
    return storage


def ask(storage: Any, query: str, depth: int) -> list[str]:  # noqa: ANN401 - a class of the peer
    """Return the ids of the messages that its hybrid search finds."""
    found = LOOP.run_until_complete(storage.retrieve_hybrid(query, n_results=depth))
    return [result.memory.metadata["message"] for result in found]


if __name__ == "__main__":
    run_task(store, ask)

"""`recall` as a function that a framework offers to an agent as a tool."""

import asyncio
from collections.abc import Awaitable, Callable

from ai_smartness.memory import Memory

__all__ = ["recall_function"]


def recall_function(memory: Memory) -> Callable[[str], Awaitable[str]]:
    """Return a function whose name, docstring and parameter describe it to the agent."""

    async def recall(query: str) -> str:
        """Search what was said, done and decided in earlier sessions."""
        return (await asyncio.to_thread(memory.recall, query)).text

    return recall

"""A memory block of LlamaIndex: what is relevant to the latest message, and what was said before.

`Memory` of LlamaIndex keeps the latest messages itself. What leaves that window is captured, and
what the memory has to say to the latest prompt comes back in front of it.
"""

import asyncio
from typing import Any

from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock

from ai_smartness.memory import Memory

__all__ = ["LlamaIndexBlock"]


class LlamaIndexBlock(BaseMemoryBlock[str]):
    """A block for `Memory.from_defaults(memory_blocks=[LlamaIndexBlock(memory=memory)])`."""

    name: str = "ai_smartness"
    memory: Memory
    session: str | None = None
    priority: int = 1

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:  # noqa: ANN401 - LlamaIndex's
        prompts = [one.content for one in messages or () if one.role is MessageRole.USER]
        if not prompts or not prompts[-1]:
            return ""
        injected = await asyncio.to_thread(
            self.memory.inject, prompts[-1], session=self.session, lasting=False
        )
        return injected.text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = [
            {"role": message.role.value, "content": message.content}
            for message in messages
            if message.content
        ]
        await asyncio.to_thread(self.memory.capture, said, session=self.session)

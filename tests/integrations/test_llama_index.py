"""A chat engine of LlamaIndex whose memory has our block."""

import asyncio

import pytest

from ai_smartness import Memory
from builders import a_memory

pytest.importorskip(
    "llama_index.core", reason="llama-index-core is not installed: run scripts/test"
)

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory as ChatMemory

from ai_smartness.integrations.llama_index import LlamaIndexBlock


def test_a_chat_is_told_what_is_relevant_and_what_leaves_it_is_captured() -> None:
    memory = a_memory()
    memory.capture({"role": "user", "content": "We deploy the shop on Tuesdays."}, session="old")

    answer = asyncio.run(chat_with(memory))

    assert "We deploy the shop on Tuesdays." in answer
    assert any("invoice number 0" in hit.text for hit in memory.search("invoice number 0"))


async def chat_with(memory: Memory) -> str:
    """Ask about the past, then talk until the first messages leave the chat's own window."""
    chat_memory = ChatMemory.from_defaults(
        session_id="s1",
        token_limit=1_000,
        chat_history_token_ratio=0.1,
        token_flush_size=20,
        memory_blocks=[LlamaIndexBlock(memory=memory, session="s1")],
    )
    # The model of LlamaIndex for tests answers with all that it was asked, or with "text".
    echo = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=chat_memory)
    answer = str(await echo.achat("On which day do we deploy the shop?"))
    brief = SimpleChatEngine.from_defaults(llm=MockLLM(max_tokens=20), memory=chat_memory)
    for number in range(6):
        await brief.achat(f"The invoice number {number} has the wrong address on it.")
    # It has no close of its own.
    await chat_memory.sql_store._async_engine.dispose()  # type: ignore[attr-defined] # noqa: SLF001
    return answer

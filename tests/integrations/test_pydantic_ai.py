"""Agents of pydantic-ai with the memory as a capability, and models of the framework's own."""

import asyncio
from collections.abc import Iterator

import pytest

from ai_smartness import Memory
from builders import a_memory

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed: run scripts/test")

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from ai_smartness.integrations.pydantic_ai import PydanticAIMemory


def a_memory_of_a_deploy_day() -> Memory:
    memory = a_memory()
    memory.capture({"role": "user", "content": "We deploy the shop on Tuesdays."}, session="old")
    return memory


def test_an_agent_gets_what_is_relevant_to_its_prompt() -> None:
    seen: list[str] = []

    def model(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.instructions or "")
        return ModelResponse(parts=[TextPart("On Tuesdays.")])

    agent = Agent(FunctionModel(model), capabilities=[PydanticAIMemory(a_memory_of_a_deploy_day())])

    result = asyncio.run(agent.run("On which day do we deploy the shop?"))
    asyncio.run(agent.run("thanks!"))

    assert result.output == "On Tuesdays."
    assert "We deploy the shop on Tuesdays." in seen[0]
    assert "Tuesdays" not in seen[1]


def test_an_agent_asks_with_recall_and_keeps_with_remember() -> None:
    memory = a_memory_of_a_deploy_day()
    calls: Iterator[ModelResponsePart] = iter(
        [
            ToolCallPart("recall", {"query": "deploy the shop"}),
            ToolCallPart("remember", {"text": "Never deploy on Fridays."}),
            TextPart("Done."),
        ]
    )
    returned: list[str] = []

    def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        returned.extend(
            str(part.content) for part in last.parts if isinstance(part, ToolReturnPart)
        )
        return ModelResponse(parts=[next(calls)])

    agent = Agent(FunctionModel(model), capabilities=[PydanticAIMemory(memory, session="s1")])

    asyncio.run(agent.run("Look it up."))

    assert "We deploy the shop on Tuesdays." in returned[0]
    assert returned[1].startswith("Pinned as")
    assert memory.search("never deploy Fridays")[0].text == "Never deploy on Fridays."


def test_what_was_said_and_done_is_captured_once_with_its_session() -> None:
    memory = a_memory()
    agent = Agent(
        TestModel(call_tools=["recall"], custom_output_text="All good."),
        capabilities=[PydanticAIMemory(memory, session="s1")],
    )

    asyncio.run(agent.run("Check the login page."))

    events = [event for thread in memory.threads() for event in memory.all_events(thread.id)]
    texts = [event.text for event in sorted(events, key=lambda event: event.seq)]
    assert texts[0] == "Check the login page."
    assert texts[1].startswith("recall ")
    assert texts[-1] == "All good."
    assert {event.session for event in events} == {"s1"}
    assert memory.log() == []

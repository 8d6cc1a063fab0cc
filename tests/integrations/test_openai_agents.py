"""The runner of the OpenAI Agents SDK with a session that lives in the memory."""

import asyncio

import pytest

from ai_smartness import Memory
from builders import a_memory
from integrations.scripted_api import openai_answer, scripted_api

agents = pytest.importorskip("agents", reason="openai-agents is not installed: run scripts/test")

from openai import AsyncOpenAI  # noqa: E402

from ai_smartness.integrations.openai_agents import AgentsSession, recall_tool  # noqa: E402


def run_prompts(memory: Memory, answers: list[dict[str, object]], *prompts: str) -> list[object]:
    """Run prompts one after another in one session, and return the requests to the model."""

    async def run() -> None:
        client = AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        model = agents.OpenAIChatCompletionsModel(model="scripted", openai_client=client)
        agent = agents.Agent(name="a", model=model, tools=[recall_tool(memory)])
        config = agents.RunConfig(tracing_disabled=True)
        for prompt in prompts:
            session = AgentsSession("s1", memory)
            await agents.Runner.run(agent, prompt, session=session, run_config=config)
        await client.close()

    with scripted_api(answers) as (url, requests):
        asyncio.run(run())
    return list(requests)


def test_the_next_run_sees_what_the_session_holds() -> None:
    memory = a_memory()
    answers = [openai_answer("Noted."), openai_answer("On Tuesdays.")]

    requests = run_prompts(memory, answers, "Deploys go out on Tuesdays.", "When do we deploy?")

    contents = [message["content"] for message in requests[1]["messages"]]  # type: ignore[index]
    assert contents == ["Deploys go out on Tuesdays.", "Noted.", "When do we deploy?"]
    assert memory.search("deploys Tuesdays")[0].text == "Deploys go out on Tuesdays."


def test_an_agent_asks_the_memory_with_a_tool_and_the_call_is_in_the_session() -> None:
    memory = a_memory()
    memory.capture({"role": "user", "content": "Deploys go out on Tuesdays."}, session="earlier")
    answers = [openai_answer(tool="recall", query="deploys"), openai_answer("On Tuesdays.")]

    requests = run_prompts(memory, answers, "When do we deploy?")

    result = requests[1]["messages"][-1]  # type: ignore[index]
    assert result["role"] == "tool"
    assert "Deploys go out on Tuesdays." in result["content"]
    items = asyncio.run(AgentsSession("s1", memory).get_items())
    kinds = [item.get("type", item.get("role")) for item in items]
    assert kinds == ["user", "function_call", "function_call_output", "message"]


def test_items_come_back_as_they_were_also_the_latest_of_them() -> None:
    memory = a_memory()
    session = AgentsSession("s1", memory)
    items = [{"role": "user", "content": f"note {number}"} for number in range(5)]

    asyncio.run(session.add_items(items))  # type: ignore[arg-type]

    assert asyncio.run(session.get_items()) == items
    assert asyncio.run(session.get_items(2)) == items[3:]
    assert asyncio.run(AgentsSession("s2", memory).get_items()) == []


def test_the_calls_of_tools_that_the_api_runs_itself_come_back_too() -> None:
    search = {"type": "web_search_call", "id": "ws1", "status": "completed"}
    items = [{"role": "user", "content": "Which release is the newest?"}, search]
    session = AgentsSession("s1", a_memory())

    asyncio.run(session.add_items(items))  # type: ignore[arg-type]

    assert asyncio.run(session.get_items()) == items


def test_a_popped_item_and_a_cleared_session_can_be_brought_back() -> None:
    memory = a_memory()
    session = AgentsSession("s1", memory)
    items = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    asyncio.run(session.add_items(items))  # type: ignore[arg-type]

    assert asyncio.run(session.pop_item()) == items[1]
    assert asyncio.run(session.get_items()) == items[:1]
    assert asyncio.run(session.pop_item()) == items[0]
    assert asyncio.run(session.pop_item()) is None

    memory.undo()
    memory.undo()
    assert asyncio.run(session.get_items()) == items
    asyncio.run(session.clear_session())
    assert asyncio.run(session.get_items()) == []
    memory.undo()
    assert asyncio.run(session.get_items()) == items


def test_it_is_a_session_for_the_framework() -> None:
    assert isinstance(AgentsSession("s1", a_memory()), agents.Session)

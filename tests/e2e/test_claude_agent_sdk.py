"""The Claude Agent SDK with our hooks in its own process, and the Claude Code that it brings."""

import asyncio
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from e2e.loopback import Loopback
from e2e.scripted_model import says, scripted_model, uses
from e2e.site import ALONE

sdk = pytest.importorskip(
    "claude_agent_sdk", reason="claude-agent-sdk is not installed: scripts/test installs it"
)


from ai_smartness.integrations.claude_agent_sdk import claude_memory_hooks  # noqa: E402


def run_prompts(memory: Memory, folder: Path, url: str, *prompts: str) -> None:
    """Talk to Claude in one session, with the hooks of the memory."""
    home = folder / "home"
    home.mkdir()
    env = {**ALONE, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home), "ANTHROPIC_BASE_URL": url}
    options = sdk.ClaudeAgentOptions(
        hooks=claude_memory_hooks(memory),
        env=env,
        cwd=folder,
        allowed_tools=["Bash"],
        setting_sources=[],
    )

    async def talk() -> None:
        async with sdk.ClaudeSDKClient(options=options) as client:
            for prompt in prompts:
                await client.query(prompt)
                async for _ in client.receive_response():
                    pass

    asyncio.run(talk())


def test_claude_is_told_what_is_relevant_and_what_it_says_and_does_is_captured(
    tmp_path: Path, network: Loopback
) -> None:
    memory = Memory.open(tmp_path / "memory.db", project="demo", home=tmp_path / "ais")
    memory.capture(Message(text="We deploy the shop on Tuesdays, never on Fridays.", session="old"))
    steps = (uses("Bash", command="echo deploying"), says("On Tuesdays."), says("You're welcome."))

    with scripted_model(network, *steps) as model:
        prompts = ("On which day do we deploy the shop?", "thanks!")
        network.run(run_prompts, memory, tmp_path, model.url, *prompts)

        assert "We deploy the shop on Tuesdays" in model.requests[0].text
    events = [event for thread in memory.threads() for event in memory.all_events(thread.id)]
    texts = [event.text for event in sorted(events, key=lambda event: event.seq)]
    assert texts[1] == "On which day do we deploy the shop?"
    assert any("echo deploying" in text for text in texts)
    assert "On Tuesdays." in texts
    memory.close()

"""Every MCP tool, resource and prompt: how it is described, and what it answers."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from mcp import Client, MCPError
from pydantic import BaseModel

from mcp_serving import Site
from recorded import Recording
from snapshot_surfaces import World

PROFILES = ("all", "core", "readonly")

CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("ai_status", {}),
    ("ai_recall", {"query": "how long does the refresh token live"}),
    ("ai_recall", {"query": "Mehrwertsteuer Norwegen", "limit": 1}),
    ("ai_recall", {"query": "@s2-01"}),
    ("ai_recall", {"query": "kubernetes ingress"}),
    ("ai_recall", {"query": " "}),
    ("ai_recall", {}),
    ("ai_recall", {"query": "x", "limit": 99}),
    ("ai_recall", {"query": "x", "many": 3}),
    ("ai_recall", {"query": 7}),
    ("ai_statements", {}),
    ("ai_statements", {"kind": "decision", "query": "refresh token"}),
    ("ai_statements", {"kind": "poem"}),
    ("ai_suggestions", {}),
    ("ai_suggestions", {"context": "the refresh token of the login"}),
    ("ai_focus", {"topic": "refresh token"}),
    ("ai_focus", {"topic": "invoices", "weight": 0.4, "minutes": 30}),
    ("ai_focus", {"topic": "deploy", "lasting": True}),
    ("ai_focus", {"topic": "x", "weight": 7}),
    ("ai_focus", {"topic": "x", "minutes": 1e30}),
    ("ai_status", {}),
    ("ai_unfocus", {"topic": "refresh token"}),
    ("ai_unfocus", {}),
    ("ai_unfocus", {"topic": "nothing"}),
    ("ai_pin", {"content": "We never deploy on a Friday.", "title": "No Friday deploys"}),
    ("ai_pin", {"content": "Ana prefers tabs", "kind": "preference", "topics": ["style"]}),
    ("ai_pin", {"content": " "}),
    ("ai_pin", {"content": "x", "kind": "poem"}),
    ("ai_rate_context", {"thread_id": "@s1-01", "useful": True, "reason": "it named the file"}),
    ("ai_rate_context", {"thread_id": "@s3-01", "useful": False}),
    ("ai_rate_context", {"thread_id": "thread_none", "useful": True}),
    ("ai_rate_context", {"thread_id": "@s1-01"}),
    ("ai_merge", {"survivor": "@s1-01", "absorbed": "@s5-01"}),
    ("ai_merge", {"survivor": "@s1-01", "absorbed": "@s1-01"}),
    ("ai_merge", {"survivor": "@s1-01", "absorbed": "thread_none"}),
    ("ai_split", {"thread": "@s1-01"}),
    ("ai_split", {"thread": "@s3-16"}),
    ("ai_split", {"thread": "@s1-01", "parts": [{"title": "Half", "messages": ["s5-01"]}]}),
    ("ai_merge", {"survivor": "@s1-01", "absorbed": "@s5-01"}),
    ("ai_unlock", {"thread": "@s5-01"}),
    ("ai_unlock", {"thread": "@s5-01"}),
    (
        "ai_split",
        {
            "thread": "@s1-01",
            "parts": [{"title": "Forced", "messages": ["s1-10"]}],
            "lock": "force",
        },
    ),
    ("ai_unlock", {"thread": "@s1-10"}),
    ("ai_merge", {"survivor": "@s1-01", "absorbed": "@s1-10"}),
    ("ai_unlock", {"thread": "@s1-10", "force": True}),
    ("ai_split", {"thread": "@s1-01", "parts": [{"title": "x", "messages": ["s2-01"]}]}),
    ("ai_split", {"thread": "@s1-01", "parts": [{"title": "x"}]}),
    ("ai_split", {"thread": "@s1-01", "parts": []}),
    ("ai_split", {"thread": "thread_none"}),
    ("ai_compact", {"dry_run": True}),
    ("ai_compact", {"strategy": "aggressive", "dry_run": True}),
    ("ai_compact", {}),
    ("ai_compact", {"strategy": "wild"}),
    ("ai_undo", {}),
    ("ai_undo", {"change": 1}),
    ("ai_undo", {"change": 999}),
    ("ai_status", {}),
    ("ai_nothing", {}),
)

RESOURCES = ("memory://threads", "memory://thread/@s1-01", "memory://thread/none", "memory://x")
PROMPTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("recall", {"query": "refresh", "word_2": "token"}),
    ("recall", {}),
    ("handoff", {}),
    ("nothing", {}),
)


def spelled(world: World, value: Any) -> Any:  # noqa: ANN401 - JSON
    match value:
        case str():
            return world.spelled(value)
        case dict():
            return {name: spelled(world, each) for name, each in value.items()}
        case list():
            return [spelled(world, each) for each in value]
    return value


def data(found: BaseModel) -> object:
    return found.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_tool_calls(shop: World, recording: Recording) -> None:
    async def speak(client: Client) -> None:
        for name, arguments in CALLS:
            result = await client.call_tool(name, spelled(shop, arguments))
            (content,) = result.content
            title = f"{name} {arguments}"
            recording.add(title, f"[error: {result.is_error}]\n{getattr(content, 'text', '')}")
            if result.structured_content is not None:
                recording.add_data(f"{title}: structured", result.structured_content)

    shop.served(speak)
    recording.add("ais log", shop.ais("log", "-n", "50").output)


def test_tool_calls_that_only_read(shop: World, recording: Recording) -> None:
    async def speak(client: Client) -> None:
        for name, arguments in CALLS[:3] + CALLS[21:22]:
            result = await client.call_tool(name, spelled(shop, arguments))
            (content,) = result.content
            title = f"{name} {arguments}"
            recording.add(title, f"[error: {result.is_error}]\n{getattr(content, 'text', '')}")

    shop.ais("threads", "suspend", "@s1-01")
    shop.served(speak, "readonly")


@pytest.mark.parametrize("profile", PROFILES)
def test_tool_list(shop: World, recording: Recording, profile: str) -> None:
    async def speak(client: Client) -> None:
        recording.add("instructions", client.instructions or "")
        recording.add_data("tools", data(await client.list_tools()))
        recording.add_data("resources", data(await client.list_resources()))
        recording.add_data("templates", data(await client.list_resource_templates()))
        recording.add_data("prompts", data(await client.list_prompts()))

    shop.served(speak, profile)


def test_resources_and_prompts(shop: World, recording: Recording) -> None:
    async def speak(client: Client) -> None:
        for uri in RESOURCES:
            try:
                recording.add_data(uri, data(await client.read_resource(shop.spelled(uri))))
            except MCPError as error:
                recording.add(uri, f"MCPError: {error}")
        for name, arguments in PROMPTS:
            title = f"{name} {arguments}"
            try:
                recording.add_data(title, data(await client.get_prompt(name, arguments)))
            except MCPError as error:
                recording.add(title, f"MCPError: {error}")

    shop.served(speak)


@pytest.mark.parametrize("profile", PROFILES)
def test_first_answers(shop: World, recording: Recording, profile: str) -> None:
    """What the process answers before its SDK is loaded, and after."""
    site = Site(shop.home, shop.project)
    with site.line("--profile", profile) as line:
        add_sorted(recording, "initialize", line.begin())
        line.say("tools/list", 1)
        add_sorted(recording, "tools/list", line.hear())
        line.say("prompts/list", 2)
        add_sorted(recording, "prompts/list", line.hear())
        line.say("tools/call", 3, name="ai_unheard_of", arguments={})
        add_sorted(recording, "tools/call", line.hear())
        line.say("tools/list", 4)
        add_sorted(recording, "tools/list again", line.hear())
        line.say("nothing/like/it", 5)
        add_sorted(recording, "an unknown method", line.hear())


def add_sorted(recording: Recording, title: str, answer: object) -> None:
    """Add an answer whose order of keys says nothing."""
    recording.add(title, json.dumps(answer, ensure_ascii=False, indent=1, sort_keys=True))

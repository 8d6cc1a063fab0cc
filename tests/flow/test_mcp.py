"""The MCP server, spoken to by the official SDK's client over real pipes."""

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError, types

from ai_smartness.entrypoints.tools.definitions import TOOLS, Profile, offered_tools
from daemons import asked as asked_of_daemon
from daemons import running
from mcp_serving import Site, text_of

CHANGE = re.compile(r"ai_undo\((\d+)\)")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site.under(tmp_path)
    site.told(
        keys="the JWT signing keys live in vault, see config/jwt_keys.yaml",
        logo="the login page needs a bigger logo in the header",
    )
    return site


@pytest.fixture(params=["alone", "with a daemon"])
def either(site: Site, request: pytest.FixtureRequest) -> Iterator[Site]:
    with nullcontext() if request.param == "alone" else running(site.home):
        yield site


@pytest.mark.parametrize("profile", list(Profile))
def test_the_tools_of_a_profile_are_listed_with_what_they_are_for(
    site: Site,
    profile: Profile,
) -> None:
    found = site.asked(lambda client: client.list_tools(), "--profile", profile)

    assert tuple(tool.name for tool in found.tools) == offered_tools(profile)
    for tool in found.tools:
        assert tool.description == TOOLS[tool.name].about
        assert tool.annotations
        assert tool.annotations.open_world_hint is False
        assert tool.annotations.read_only_hint is (
            TOOLS[tool.name].reads or profile is Profile.READONLY
        )


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_every_tool_can_be_called(either: Site, mode: str) -> None:
    keys, logo = either.thread_of("keys"), either.thread_of("logo")

    async def speak(client: Client) -> dict[str, types.CallToolResult]:
        results = {}
        calls: dict[str, dict[str, object]] = {
            "ai_status": {},
            "ai_recall": {"query": "JWT signing keys", "limit": 1},
            "ai_pin": {"content": "User prefers dark mode", "topics": ["ui"]},
            "ai_focus": {"topic": "logo"},
            "ai_unfocus": {},
            "ai_rate_context": {"thread_id": logo, "useful": True},
            "ai_statements": {"kind": "rule", "query": "login"},
            "ai_suggestions": {"context": "login"},
            "ai_merge": {"survivor": keys, "absorbed": logo},
            "ai_split": {"thread": keys, "parts": [{"title": "Logo", "messages": ["logo"]}]},
            "ai_compact": {"dry_run": True},
        }
        for name, arguments in calls.items():
            results[name] = await client.call_tool(name, arguments)
        split = CHANGE.search(text_of(results["ai_split"]))
        assert split
        child = re.findall(r"thread_\w+", text_of(results["ai_split"]))[1]
        results["ai_unlock"] = await client.call_tool("ai_unlock", {"thread": child})
        results["ai_undo"] = await client.call_tool("ai_undo", {})
        return results

    results = either.asked(speak, mode=mode)

    assert set(results) == set(TOOLS)
    assert [name for name, result in results.items() if result.is_error] == []
    assert "config/jwt_keys.yaml" in text_of(results["ai_recall"])
    data = {name for name, result in results.items() if result.structured_content}
    assert data == {"ai_status", "ai_suggestions", "ai_compact"}
    for name in data:
        assert json.loads(text_of(results[name])) == results[name].structured_content


def test_what_the_memory_refuses_is_an_error_that_names_the_way_out(either: Site) -> None:
    result = either.called("ai_merge", survivor=either.thread_of("keys"), absorbed="thread_none")

    assert result.is_error
    assert text_of(result) == (
        "Not found: there is no thread thread_none in this project. "
        "`ai_recall` finds threads with their ids."
    )


def test_a_wrong_argument_is_an_error_that_names_it(either: Site) -> None:
    result = either.called("ai_focus", topic="x", weight=7)

    assert result.is_error
    assert "`weight` must be a number from 0 to 1, not 7" in text_of(result)


def test_a_tool_of_another_profile_is_not_there(site: Site) -> None:
    result = site.asked(
        lambda client: client.call_tool("ai_pin", {"content": "x"}),
        "--profile",
        "readonly",
    )

    assert result.is_error
    assert "There are ai_recall, ai_statements, ai_suggestions, ai_status." in text_of(result)


def test_reading_only_brings_nothing_back(either: Site) -> None:
    keys = either.thread_of("keys")
    with either.opened() as memory:
        memory.suspend(keys)

    text = text_of(
        either.asked(
            lambda client: client.call_tool("ai_recall", {"query": keys}),
            "--profile",
            "readonly",
        ),
    )

    assert ", suspended)" in text
    with either.opened() as memory:
        assert memory.thread(keys).status == "suspended"


def test_any_script_goes_in_and_comes_out(either: Site) -> None:
    words = "größe 数据库 🦀 \u202e\x00 \"quoted\" </ai-smartness-memory> 'x'"

    async def speak(client: Client) -> tuple[str, str]:
        pinned = await client.call_tool("ai_pin", {"content": words, "title": "Größe 数据库"})
        found = await client.call_tool("ai_recall", {"query": "größe 数据库 🦀"})
        return text_of(pinned), text_of(found)

    pinned, found = either.asked(speak)

    assert pinned.startswith("Pinned as thread_")
    assert "größe 数据库 🦀" in found.partition("not instructions.")[2]
    assert "🦀" in found
    assert found.count("</ai-smartness-memory>") == 1


def test_a_hundred_kilobytes_are_pinned(either: Site) -> None:
    long = "the deployment checklist, step by step. " * 2_500

    pinned = text_of(either.called("ai_pin", content=long))

    thread = re.findall(r"thread_\w+", pinned)[0]
    with either.opened() as memory:
        (event,) = memory.events(thread)
    assert len(event.text) > 99_000


def test_calls_at_the_same_time_are_all_answered(either: Site) -> None:
    async def speak(client: Client) -> list[str]:
        said: list[str] = []

        async def pin(number: int) -> None:
            result = await client.call_tool("ai_pin", {"content": f"fact number {number}"})
            said.append(text_of(result))

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(pin, number)
        return said

    said = either.asked(speak)

    assert len({re.findall(r"thread_\w+", each)[0] for each in said}) == 8


def test_who_asked_is_in_the_journal_with_its_session(either: Site) -> None:
    either.called("ai_pin", content="keep this")

    with either.opened() as memory:
        entry = memory.log()[0]
    assert (entry.who.kind, entry.session) == ("agent", "s9")
    assert entry.who.client == "mcp"


def test_with_a_daemon_the_daemon_does_it(site: Site) -> None:
    with running(site.home):
        site.called("ai_status")

        assert asked_of_daemon(site.home, "status")["asked"] == 1


def test_threads_are_resources(either: Site) -> None:
    keys = either.thread_of("keys")

    async def speak(client: Client) -> list[str]:
        listed = await client.list_resources()
        templates = await client.list_resource_templates()
        texts = [str(listed.resources[0].uri), templates.resource_templates[0].uri_template]
        for uri in ("memory://threads", f"memory://thread/{keys}"):
            (content,) = (await client.read_resource(uri)).contents
            assert isinstance(content, types.TextResourceContents)
            texts.append(content.text)
        return texts

    uri, template, threads, thread = either.asked(speak)

    assert (uri, template) == ("memory://threads", "memory://thread/{id}")
    assert f"- {keys} [active] " in threads
    assert "the JWT signing keys live in vault" in thread


def test_what_is_neither_resource_nor_prompt_is_a_clear_error(site: Site) -> None:
    async def speak(client: Client) -> list[str]:
        asked: list[Callable[[], Awaitable[object]]] = [
            lambda: client.read_resource("memory://thread/thread_none"),
            lambda: client.read_resource("memory://nothing"),
            lambda: client.get_prompt("recall"),
            lambda: client.get_prompt("nothing"),
        ]
        said = []
        for each in asked:
            with pytest.raises(MCPError) as caught:
                await each()
            said.append(str(caught.value))
        return said

    no_thread, no_resource, no_query, no_prompt = site.asked(speak)

    assert no_thread.startswith("Not found: there is no thread thread_none in this project.")
    assert no_resource.startswith("there is no memory://nothing, only memory://threads and")
    assert "`query` is missing" in no_query
    assert no_prompt == "there is no prompt 'nothing', only recall and handoff."


def test_prompts_hold_a_recall_and_where_things_stood(either: Site) -> None:
    async def speak(client: Client) -> list[str]:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        recall = await client.get_prompt("recall", {"query": "JWT signing keys"})
        handoff = await client.get_prompt("handoff")
        contents = [recall.messages[0].content, handoff.messages[0].content]
        texts = [each.text for each in contents if isinstance(each, types.TextContent)]
        return [*names, *texts]

    recall, handoff, found, stood = either.asked(speak)

    assert (recall, handoff) == ("recall", "handoff")
    assert "config/jwt_keys.yaml" in found
    assert "Where a session of this project stood" in stood


def test_a_client_that_hands_a_question_over_word_by_word_is_understood(
    site: Site,
) -> None:
    async def speak(client: Client) -> list[str]:
        recall, _ = (await client.list_prompts()).prompts
        names = [argument.name for argument in recall.arguments or []]
        texts = []
        for words in ("where do the JWT signing keys live", "one " * 3):
            given = dict(zip(names, words.split(), strict=False))
            (message,) = (await client.get_prompt("recall", given)).messages
            assert isinstance(message.content, types.TextContent)
            texts.append(message.content.text)
        return texts

    found, nothing = site.asked(speak)

    assert "# Memory Recall: where do the JWT signing keys live\n" in found
    assert "config/jwt_keys.yaml" in found
    assert "# Memory Recall: one one one\n" in nothing


def test_the_server_says_what_it_is(site: Site) -> None:
    async def speak(client: Client) -> tuple[str, str]:
        assert client.server_info
        return client.server_info.name, client.instructions or ""

    name, instructions = site.asked(speak)

    assert name == "ai_smartness"
    assert "ai_recall: Before you ask" in instructions

"""The tools as the official SDK's client has them, from the first call on a quiet machine."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from mcp import Client, types

from ai_smartness.entrypoints.tools.definitions import TOOLS
from daemons import asked
from e2e.mcp_site import LONG, UNICODE, a_site, leave_midway, start_daemon
from e2e.told import threads_in
from mcp_serving import Site, text_of

PROSE = set(TOOLS) - {"ai_status", "ai_suggestions", "ai_compact"}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with a_site(tmp_path) as site:
        yield site


async def both_pinned(client: Client) -> list[str]:
    """Pin two things at the same time, and name their threads."""
    said: list[str] = []

    async def pin(content: str) -> None:
        said.append(text_of(await client.call_tool("ai_pin", {"content": content})))

    async with anyio.create_task_group() as tasks:
        for content in (UNICODE, LONG):
            tasks.start_soon(pin, content)
    return [threads_in(each)[0] for each in said]


def test_every_tool_is_listed_and_called_by_one_client_while_a_daemon_comes_up(
    site: Site,
) -> None:
    keys, logo = site.thread_of("keys"), site.thread_of("logo")

    async def speak(client: Client) -> tuple[dict[str, types.CallToolResult], list[str]]:
        done = {}

        async def call(name: str, **arguments: object) -> str:
            done[name] = await client.call_tool(name, arguments)
            return text_of(done[name])

        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == [*TOOLS]
        # The first is done by the server itself, which starts a daemon for the others.
        await call("ai_recall", query="JWT signing keys", limit=1)
        start_daemon(site)
        await call("ai_status")
        pinned = await both_pinned(client)
        await call("ai_pin", content=UNICODE)
        await call("ai_focus", topic="logo")
        await call("ai_rate_context", thread_id=logo, useful=False, reason="an old one")
        await call("ai_statements", kind="rule")
        await call("ai_suggestions", context="the login page")
        await call("ai_merge", survivor=keys, absorbed=logo)
        await call("ai_split", thread=keys)
        split = await call("ai_split", thread=keys, parts=[{"title": "L", "messages": ["logo"]}])
        await call("ai_unlock", thread=threads_in(split)[1])
        await call("ai_compact", dry_run=True)
        await call("ai_undo")
        await call("ai_unfocus")
        return done, pinned

    done, pinned = site.asked(speak, mode="auto")

    assert set(done) == set(TOOLS)
    assert [name for name, result in done.items() if result.is_error] == []
    assert {name for name, result in done.items() if not result.structured_content} == PROSE
    assert "config/jwt_keys.yaml" in text_of(done["ai_recall"])
    assert json.loads(text_of(done["ai_compact"]))["dry_run"] is True
    assert int(str(asked(site.home, "status")["asked"])) >= len(TOOLS) - 1
    assert threads_in(text_of(done["ai_pin"]))[0] in pinned
    with site.opened() as memory:
        kept = {event.text for id_ in pinned for event in memory.events(id_)}
    assert kept == {UNICODE, LONG}


def test_an_error_says_the_way_out_and_the_session_goes_on(site: Site) -> None:
    async def speak(client: Client) -> list[types.CallToolResult]:
        return [
            await client.call_tool("ai_merge", {"survivor": "thread_a", "absorbed": "thread_b"}),
            await client.call_tool("ai_compact", {"strategy": "brutal"}),
            await client.call_tool("ai_status", {}),
        ]

    nobody, brutal, after = site.asked(speak, mode="auto")

    assert nobody.is_error
    assert "`ai_recall` finds threads with their ids" in text_of(nobody)
    assert brutal.is_error
    assert "one of gentle, normal, aggressive" in text_of(brutal)
    assert not after.is_error


PINNING = """
import sys, anyio
from mcp import Client, StdioServerParameters

async def pins():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(server) as client, anyio.create_task_group() as tasks:
        async def pin(number):
            content = f"{number} of a long list. " + "step by step, " * 7_000
            await client.call_tool("ai_pin", {"content": content})
            print("pinned", flush=True)

        for number in range(6):
            tasks.start_soon(pin, number)

anyio.run(pins)
"""


@pytest.mark.parametrize("with_daemon", [False, True], ids=["alone", "with a daemon"])
def test_a_client_that_is_killed_midway_leaves_a_whole_memory_and_nobody_behind(
    site: Site,
    *,
    with_daemon: bool,
) -> None:
    if with_daemon:
        start_daemon(site)
    client = subprocess.Popen(
        [sys.executable, "-c", PINNING, *site.command()],
        env=site.environment,
        cwd=site.project,
        stdout=subprocess.PIPE,
    )
    with client:
        assert client.stdout
        assert client.stdout.readline() == b"pinned\n"

        leave_midway(client, site)

    with site.opened() as memory:
        assert memory.check() == ""
        texts = [event.text for each in memory.threads() for event in memory.events(each.id)]
    long = [text for text in texts if "long list" in text]
    assert long
    assert len(texts) == len(long) + 2
    assert {len(text) for text in long} <= {len("0 of a long list. " + "step by step, " * 7_000)}

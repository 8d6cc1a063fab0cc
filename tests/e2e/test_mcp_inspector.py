"""The tools as the MCP Inspector has them: a client of somebody else, for one question a time."""

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ai_smartness.entrypoints.tools.definitions import TOOLS, Profile, offered_tools
from e2e.inspector import Inspector
from e2e.mcp_site import LONG, UNICODE, a_site, leave_midway, start_daemon
from e2e.told import threads_in
from mcp_serving import Site


class Asking:
    """The Inspector at a site."""

    def __init__(self, inspector: Inspector, site: Site) -> None:
        self.inspector = inspector
        self.site = site

    def asks(self, method: str, *options: str, profile: str = "all") -> dict[str, Any]:
        server = self.site.command("--profile", profile)
        where = {"cwd": self.site.project, "env": self.site.environment}
        return self.inspector.asked(server, method, *options, **where)  # type: ignore[arg-type]

    def calls(self, tool: str, **given: object) -> str:
        """Call a tool that is to succeed, and return its text."""
        result = self.result(tool, **given)
        assert not result.get("isError"), result
        (content,) = result["content"]
        if "structuredContent" in result:
            assert json.loads(content["text"]) == result["structuredContent"]
        return str(content["text"])

    def result(self, tool: str, **given: object) -> dict[str, Any]:
        return self.asks("tools/call", "--tool-name", tool, *_arguments(given))


def _arguments(given: dict[str, object]) -> list[str]:
    written = (
        f"{name}={each if isinstance(each, str) else json.dumps(each)}"
        for name, each in given.items()
    )
    return [word for each in written for word in ("--tool-arg", each)]


@pytest.fixture
def asking(tmp_path: Path, inspector: Inspector) -> Iterator[Asking]:
    with a_site(tmp_path) as site:
        yield Asking(inspector, site)


def test_every_tool_is_listed_and_called_by_several_clients_at_once(asking: Asking) -> None:
    keys, logo = asking.site.thread_of("keys"), asking.site.thread_of("logo")
    start_daemon(asking.site)

    calls: dict[str, dict[str, object]] = {
        "ai_status": {},
        "ai_recall": {"query": "JWT signing keys", "limit": 1},
        "ai_focus": {"topic": "logo", "weight": 0.5},
        "ai_rate_context": {"thread_id": logo, "useful": False},
        "ai_statements": {"kind": "rule"},
        "ai_suggestions": {"context": "the login page"},
        "ai_compact": {"strategy": "aggressive", "dry_run": True},
        "ai_split": {"thread": keys},
    }

    with ThreadPoolExecutor(4) as clients:
        listed = clients.submit(asking.asks, "tools/list")
        said = {name: clients.submit(asking.calls, name, **given) for name, given in calls.items()}
        pins = [clients.submit(asking.calls, "ai_pin", content=each) for each in (UNICODE, LONG)]
        error = clients.submit(asking.result, "ai_unlock", thread=keys)

    assert [tool["name"] for tool in listed.result()["tools"]] == [*TOOLS]
    assert json.loads(said["ai_status"].result())["messages"] >= 2
    assert "config/jwt_keys.yaml" in said["ai_recall"].result()
    assert said["ai_focus"].result().startswith('Focus set on "logo" (weight=0.5). ')
    assert said["ai_rate_context"].result().startswith(f"Rated {logo} as not useful. ")
    assert "# Statements" in said["ai_statements"].result()
    assert "health" in json.loads(said["ai_suggestions"].result())
    assert json.loads(said["ai_compact"].result())["strategy"] == "aggressive"
    assert f"Thread: {keys} " in said["ai_split"].result()
    assert error.result()["isError"]
    assert "it is not locked" in error.result()["content"][0]["text"]
    with asking.site.opened() as memory:
        kept = [memory.events(threads_in(each.result())[0])[0].text for each in pins]
    assert kept == [UNICODE, LONG]


def test_what_changes_the_memory_is_done_step_by_step_and_taken_back(asking: Asking) -> None:
    keys, logo = asking.site.thread_of("keys"), asking.site.thread_of("logo")
    start_daemon(asking.site)

    merged = asking.calls("ai_merge", survivor=keys, absorbed=logo)
    parts = [{"title": "The logo 🖼", "messages": ["logo"]}]
    split = asking.calls("ai_split", thread=keys, parts=parts, lock="force")
    (child,) = set(threads_in(split)) - {keys}
    locked = asking.result("ai_merge", survivor=keys, absorbed=child)
    unlocked = asking.calls("ai_unlock", thread=child, force=True)
    undone = asking.calls("ai_undo")
    unfocused = asking.calls("ai_unfocus")

    assert merged.startswith(f"Merged {logo} into {keys}")
    assert locked["isError"]
    assert f"`ai_unlock('{child}', force=True)` first" in locked["content"][0]["text"]
    assert unlocked.startswith(f"Unlocked {child} by force")
    assert undone.startswith("Undid change ")
    assert unfocused
    with asking.site.opened() as memory:
        assert memory.thread(child).title == "The logo 🖼"
        assert memory.thread(child).split_locked_until == "force"


def test_resources_and_prompts_are_read(asking: Asking) -> None:
    keys = asking.site.thread_of("keys")
    recall = ("--prompt-name", "recall", "--prompt-args", "query=JWT signing keys")
    with ThreadPoolExecutor(4) as clients:
        listed = clients.submit(asking.asks, "resources/list")
        templates = clients.submit(asking.asks, "resources/templates/list")
        threads = clients.submit(asking.asks, "resources/read", "--uri", "memory://threads")
        thread = clients.submit(asking.asks, "resources/read", "--uri", f"memory://thread/{keys}")
        prompts = clients.submit(asking.asks, "prompts/list")
        prompt = clients.submit(asking.asks, "prompts/get", *recall)

    assert [each["uri"] for each in listed.result()["resources"]] == ["memory://threads"]
    (template,) = templates.result()["resourceTemplates"]
    assert template["uriTemplate"] == "memory://thread/{id}"
    assert f"- {keys} [active] " in threads.result()["contents"][0]["text"]
    assert "the JWT signing keys live in vault" in thread.result()["contents"][0]["text"]
    assert [each["name"] for each in prompts.result()["prompts"]] == ["recall", "handoff"]
    assert "config/jwt_keys.yaml" in prompt.result()["messages"][0]["content"]["text"]


def test_a_profile_lists_its_own_tools(asking: Asking) -> None:
    for profile in (Profile.CORE, Profile.READONLY):
        listed = asking.asks("tools/list", profile=profile)["tools"]

        assert tuple(tool["name"] for tool in listed) == offered_tools(profile)
        reads = [tool["annotations"]["readOnlyHint"] for tool in listed]
        assert all(reads) == (profile is Profile.READONLY)


def test_an_inspector_that_is_killed_midway_leaves_a_whole_memory_and_nobody_behind(
    asking: Asking,
) -> None:
    site, inspector = asking.site, asking.inspector
    call = ("tools/call", "--tool-name", "ai_pin", "--tool-arg", f"content={LONG}")
    client = subprocess.Popen(
        inspector.command(site.command(), *call),
        env=site.environment,
        cwd=site.project,
        stdout=subprocess.DEVNULL,
    )

    leave_midway(client, site)

    with site.opened() as memory:
        assert memory.check() == ""

"""Whom the MCP server has a call done by, when the daemon is not as it should be."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ai_smartness.entrypoints.daemon.client import answer_line
from ai_smartness.entrypoints.mcp.stdio import ServerOptions
from ai_smartness.entrypoints.mcp.tool_caller import ToolCaller
from ai_smartness.entrypoints.tools.definitions import ToolCall, ToolReply
from ai_smartness.settings.paths import HomePaths
from mcp_serving import PATIENCE_SECONDS, Site

OLDER = answer_line(ok=False, error="there is no verb 'tool'.")
BROKEN = answer_line(ok=False, error="KeyError: 'x'")
DIES = b""


@contextmanager
def a_daemon_that_answers(site: Site, answer: bytes) -> Iterator[None]:
    """Have somebody at the daemon's socket who says one thing, once."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(HomePaths(str(site.home)).socket)
        listening.listen()

        def attend() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        thread = threading.Thread(target=attend)
        thread.start()
        yield
        thread.join(PATIENCE_SECONDS)


def asked(site: Site, answer: bytes, name: str, **arguments: object) -> ToolReply:
    setting = ServerOptions(str(site.home), str(site.project), None, "all")
    with a_daemon_that_answers(site, answer):
        return ToolCaller(setting).call_tool(ToolCall(name, arguments, "test"))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    for name in [name for name in os.environ if name.startswith("AIS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    return Site.under(tmp_path)


def test_a_daemon_that_does_not_know_tools_yet_is_done_without(site: Site) -> None:
    reply = asked(site, OLDER, "ai_pin", content="keep this")

    assert reply.text.startswith("Pinned as ")


def test_what_the_daemon_could_not_do_is_not_done_a_second_time(site: Site) -> None:
    reply = asked(site, BROKEN, "ai_pin", content="keep this")

    assert reply == ToolReply("Not done: KeyError: 'x'", is_error=True)


def test_what_may_be_done_twice_is_done_here_when_the_daemon_dies(site: Site) -> None:
    reply = asked(site, DIES, "ai_pin", content="keep this")

    assert reply.text.startswith("Pinned as ")


def test_what_may_not_be_done_twice_is_said_to_be_uncertain(site: Site) -> None:
    reply = asked(site, DIES, "ai_undo")

    assert reply.is_error
    assert reply.text.startswith("Not done, as far as is known: the memory's daemon ended")

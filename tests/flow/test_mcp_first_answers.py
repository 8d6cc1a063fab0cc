"""What the MCP server says before the SDK is loaded is what the SDK would say."""

import json
from typing import Any

import pytest
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from ai_smartness.entrypoints.mcp.first_answers import META_PREFIX, FirstAnswers
from ai_smartness.entrypoints.tools.definitions import Profile
from mcp_sdk import handshake_result, initialize_result, modern_result


def asked(greeting: FirstAnswers, method: str, **params: Any) -> Any:  # noqa: ANN401 - JSON
    said = {"jsonrpc": "2.0", "id": "x", "method": method, "params": params}
    answer = greeting.answer_line(json.dumps(said).encode() + b"\n")
    return None if answer is None else json.loads(answer)["result"]


def begun(profile: Profile, version: str) -> tuple[FirstAnswers, Any]:
    greeting = FirstAnswers(profile)
    client = {"name": "anybody", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {"roots": {}}, "clientInfo": client}
    return greeting, asked(greeting, "initialize", **params)


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_a_session_begins_as_the_sdk_begins_it(profile: Profile, version: str) -> None:
    greeting, hello = begun(profile, version)

    assert hello == initialize_result(profile, version)
    for method in ("tools/list", "ping"):
        assert asked(greeting, method) == handshake_result(profile, version, method)


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("version", MODERN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
def test_a_request_that_says_who_asks_is_answered_as_the_sdk_does(
    profile: Profile,
    version: str,
    method: str,
) -> None:
    meta = {f"{META_PREFIX}/protocolVersion": version, f"{META_PREFIX}/clientCapabilities": {}}

    answer = asked(FirstAnswers(profile), method, _meta=meta)

    assert answer == modern_result(profile, version, method)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", {}),
        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}),
        ("tools/list", {}),
        ("ping", {}),
        ("tools/list", {"_meta": {f"{META_PREFIX}/protocolVersion": "2026-07-28"}}),
        ("tools/call", {"name": "ai_status"}),
        ("resources/list", {}),
    ],
)
def test_what_is_unusual_is_left_to_the_sdk(method: str, params: dict[str, Any]) -> None:
    assert asked(FirstAnswers(Profile.ALL), method, **params) is None


def test_a_second_beginning_and_a_cursor_are_left_to_the_sdk() -> None:
    greeting, _ = begun(Profile.ALL, "2025-11-25")
    client = {"name": "anybody", "version": "1"}

    again = asked(
        greeting,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo=client,
    )

    assert (again, asked(greeting, "tools/list", cursor="x")) == (None, None)


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b'"x"',
        b"\xff",
        b"[" * 60_000,
        b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}',
        b'{"jsonrpc": "2.0", "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}' + b" " * 70_000,
    ],
)
def test_what_cannot_be_read_is_left_to_the_sdk(line: bytes) -> None:
    greeting, _ = begun(Profile.ALL, "2025-11-25")

    assert greeting.answer_line(line + b"\n") is None

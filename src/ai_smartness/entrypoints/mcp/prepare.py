"""Write down what the SDK answers to what every client asks first.

Run `python -m ai_smartness.entrypoints.mcp.prepare` when the tools, their words or the version
have changed; a test says when.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.shared.message import SessionMessage
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from ai_smartness.entrypoints.mcp.first_answers import META_PREFIX, prepared_folder
from ai_smartness.entrypoints.mcp.server import build_server
from ai_smartness.entrypoints.mcp.stdio import ServerOptions
from ai_smartness.entrypoints.tools.definitions import Profile, ToolCall, ToolReply

__all__ = ["main", "sdk_answers"]

CLIENT_INFO = {"name": "anybody", "version": "1"}


def main() -> None:
    """Write the answers of every profile."""
    for profile in Profile:
        path = Path(prepared_folder(), f"{profile}.json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(sdk_answers(profile), indent=1) + "\n", encoding="utf-8")


def sdk_answers(profile: Profile) -> dict[str, Any]:
    """Return what is to be prepared for a profile: of each era, each method's result."""
    hello = initialize_result(profile, HANDSHAKE_PROTOCOL_VERSIONS[-1])
    hello.pop("protocolVersion")
    return {
        "handshake": {
            "versions": [*HANDSHAKE_PROTOCOL_VERSIONS],
            "initialize": hello,
            "results": {
                method: handshake_result(profile, HANDSHAKE_PROTOCOL_VERSIONS[-1], method)
                for method in ("tools/list", "ping")
            },
        },
        "modern": {
            "versions": [*MODERN_PROTOCOL_VERSIONS],
            "results": {
                method: modern_result(profile, MODERN_PROTOCOL_VERSIONS[-1], method)
                for method in ("server/discover", "tools/list")
            },
        },
    }


def initialize_result(profile: Profile, version: str) -> dict[str, Any]:
    """Return the SDK's answer to the first message of a session."""
    return _sdk_result(profile, [_initialize_request(version)])


def handshake_result(profile: Profile, version: str, method: str) -> dict[str, Any]:
    """Return the SDK's answer to a request of a session that has begun."""
    return _sdk_result(
        profile,
        [_initialize_request(version), ("notifications/initialized", None), (method, {})],
    )


def modern_result(profile: Profile, version: str, method: str) -> dict[str, Any]:
    """Return the SDK's answer to a request that says for itself who asks."""
    meta = {
        f"{META_PREFIX}/protocolVersion": version,
        f"{META_PREFIX}/clientInfo": CLIENT_INFO,
        f"{META_PREFIX}/clientCapabilities": {},
    }
    return _sdk_result(profile, [(method, {"_meta": meta})])


def _initialize_request(version: str) -> tuple[str, dict[str, Any]]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT_INFO}
    return "initialize", params


def _sdk_result(
    profile: Profile,
    messages: "list[tuple[str, dict[str, Any] | None]]",
) -> dict[str, Any]:
    return anyio.run(_exchange_messages, profile, messages)


async def _exchange_messages(
    profile: Profile,
    messages: "list[tuple[str, dict[str, Any] | None]]",
) -> dict[str, Any]:
    """Say the messages to a server and return its answer to the last."""
    setting = ServerOptions(home="/", cwd="/", session=None, profile=profile.value)
    server = build_server(setting, _empty_reply)
    tell, heard = anyio.create_memory_object_stream[SessionMessage | Exception](len(messages))
    say, said = anyio.create_memory_object_stream[SessionMessage](len(messages))
    result: dict[str, Any] = {}
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, heard, say, server.create_initialization_options())
        for number, (method, params) in enumerate(messages):
            await tell.send(SessionMessage(_jsonrpc_message(number, method, params)))
            if params is not None:
                result = _response_result(await said.receive())
        await tell.aclose()
    await said.aclose()
    return result


def _jsonrpc_message(
    number: int,
    method: str,
    params: Mapping[str, Any] | None,
) -> "types.JSONRPCRequest | types.JSONRPCNotification":
    if params is None:
        return types.JSONRPCNotification(jsonrpc="2.0", method=method)
    return types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=dict(params))


def _response_result(said: SessionMessage) -> dict[str, Any]:
    if not isinstance(said.message, types.JSONRPCResponse):
        msg = f"the SDK answers {said.message}"
        raise TypeError(msg)
    return dict(said.message.result)


def _empty_reply(_call: ToolCall) -> ToolReply:
    return ToolReply("")


if __name__ == "__main__":
    main()

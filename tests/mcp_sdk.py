"""What the MCP SDK's own server answers to a client's first requests."""

from collections.abc import Mapping, Sequence
from typing import Any

import anyio
from mcp import types
from mcp.shared.message import SessionMessage

from ai_smartness.entrypoints.mcp.first_answers import META_PREFIX
from ai_smartness.entrypoints.mcp.server import build_server
from ai_smartness.entrypoints.mcp.stdio import ServerOptions
from ai_smartness.entrypoints.tools.definitions import Profile, ToolCall, ToolReply

__all__ = ["CLIENT_INFO", "handshake_result", "initialize_result", "modern_result"]

CLIENT_INFO = {"name": "anybody", "version": "1"}

Message = tuple[str, dict[str, Any] | None]


def initialize_result(profile: Profile, version: str) -> dict[str, Any]:
    """Return the SDK's answer to the first message of a session."""
    return _sdk_result(profile, [_initialize_request(version)])


def handshake_result(profile: Profile, version: str, method: str) -> dict[str, Any]:
    """Return the SDK's answer to a request in a session that has begun."""
    begun = [_initialize_request(version), ("notifications/initialized", None)]
    return _sdk_result(profile, [*begun, (method, {})])


def modern_result(profile: Profile, version: str, method: str) -> dict[str, Any]:
    """Return the SDK's answer to a request that names its client."""
    meta = {
        f"{META_PREFIX}/protocolVersion": version,
        f"{META_PREFIX}/clientInfo": CLIENT_INFO,
        f"{META_PREFIX}/clientCapabilities": {},
    }
    return _sdk_result(profile, [(method, {"_meta": meta})])


def _initialize_request(version: str) -> Message:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT_INFO}
    return "initialize", params


def _sdk_result(profile: Profile, messages: Sequence[Message]) -> dict[str, Any]:
    return anyio.run(_exchange_messages, profile, messages)


async def _exchange_messages(profile: Profile, messages: Sequence[Message]) -> dict[str, Any]:
    """Send the messages to a server and return its answer to the last."""
    options = ServerOptions(home="/", cwd="/", session=None, profile=profile.value)
    server = build_server(options, _empty_reply)
    send, requests = anyio.create_memory_object_stream[SessionMessage | Exception](len(messages))
    answers, receive = anyio.create_memory_object_stream[SessionMessage](len(messages))
    result: dict[str, Any] = {}
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, requests, answers, server.create_initialization_options())
        for number, (method, params) in enumerate(messages):
            await send.send(SessionMessage(_jsonrpc_message(number, method, params)))
            if params is not None:
                answer = (await receive.receive()).message
                assert isinstance(answer, types.JSONRPCResponse)
                result = dict(answer.result)
        await send.aclose()
    await receive.aclose()
    return result


def _jsonrpc_message(
    number: int, method: str, params: Mapping[str, Any] | None
) -> types.JSONRPCRequest | types.JSONRPCNotification:
    if params is None:
        return types.JSONRPCNotification(jsonrpc="2.0", method=method)
    return types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=dict(params))


def _empty_reply(_call: ToolCall) -> ToolReply:
    return ToolReply("")

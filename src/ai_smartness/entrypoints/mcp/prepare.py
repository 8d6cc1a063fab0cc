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

from ai_smartness.entrypoints.mcp.greeting import ENVELOPE, folder
from ai_smartness.entrypoints.mcp.server import server_of
from ai_smartness.entrypoints.mcp.setting import Setting
from ai_smartness.entrypoints.tools.asked import Call, Reply
from ai_smartness.entrypoints.tools.catalogue import Profile

__all__ = ["answers", "main"]

CLIENT = {"name": "anybody", "version": "1"}


def main() -> None:
    """Write the answers of every profile."""
    for profile in Profile:
        path = Path(folder(), f"{profile}.json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(answers(profile), indent=1) + "\n", encoding="utf-8")


def answers(profile: Profile) -> dict[str, Any]:
    """Return what is to be prepared for a profile: of each era, each method's result."""
    hello = initialize(profile, HANDSHAKE_PROTOCOL_VERSIONS[-1])
    hello.pop("protocolVersion")
    return {
        "handshake": {
            "versions": [*HANDSHAKE_PROTOCOL_VERSIONS],
            "initialize": hello,
            "results": {
                method: handshake(profile, HANDSHAKE_PROTOCOL_VERSIONS[-1], method)
                for method in ("tools/list", "ping")
            },
        },
        "modern": {
            "versions": [*MODERN_PROTOCOL_VERSIONS],
            "results": {
                method: modern(profile, MODERN_PROTOCOL_VERSIONS[-1], method)
                for method in ("server/discover", "tools/list")
            },
        },
    }


def initialize(profile: Profile, version: str) -> dict[str, Any]:
    """Return the SDK's answer to the first message of a session."""
    return _asked(profile, [_hello(version)])


def handshake(profile: Profile, version: str, method: str) -> dict[str, Any]:
    """Return the SDK's answer to a request of a session that has begun."""
    return _asked(profile, [_hello(version), ("notifications/initialized", None), (method, {})])


def modern(profile: Profile, version: str, method: str) -> dict[str, Any]:
    """Return the SDK's answer to a request that says for itself who asks."""
    meta = {
        f"{ENVELOPE}/protocolVersion": version,
        f"{ENVELOPE}/clientInfo": CLIENT,
        f"{ENVELOPE}/clientCapabilities": {},
    }
    return _asked(profile, [(method, {"_meta": meta})])


def _hello(version: str) -> tuple[str, dict[str, Any]]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    return "initialize", params


def _asked(profile: Profile, messages: "list[tuple[str, dict[str, Any] | None]]") -> dict[str, Any]:
    return anyio.run(_answered, profile, messages)


async def _answered(
    profile: Profile, messages: "list[tuple[str, dict[str, Any] | None]]"
) -> dict[str, Any]:
    """Say the messages to a server and return its answer to the last."""
    setting = Setting(home="/", cwd="/", session=None, profile=profile.value)
    server = server_of(setting, _nobody)
    tell, heard = anyio.create_memory_object_stream[SessionMessage | Exception](len(messages))
    say, said = anyio.create_memory_object_stream[SessionMessage](len(messages))
    result: dict[str, Any] = {}
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, heard, say, server.create_initialization_options())
        for number, (method, params) in enumerate(messages):
            await tell.send(SessionMessage(_message(number, method, params)))
            if params is not None:
                result = _result(await said.receive())
        await tell.aclose()
    await said.aclose()
    return result


def _message(
    number: int, method: str, params: Mapping[str, Any] | None
) -> "types.JSONRPCRequest | types.JSONRPCNotification":
    if params is None:
        return types.JSONRPCNotification(jsonrpc="2.0", method=method)
    return types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=dict(params))


def _result(said: SessionMessage) -> dict[str, Any]:
    if not isinstance(said.message, types.JSONRPCResponse):
        msg = f"the SDK answers {said.message}"
        raise TypeError(msg)
    return dict(said.message.result)


def _nobody(_call: Call) -> Reply:
    return Reply("")


if __name__ == "__main__":
    main()

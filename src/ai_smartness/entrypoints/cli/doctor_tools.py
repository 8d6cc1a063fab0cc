"""Whether the agent has our tools, examined by `ais doctor`: registered, allowed, answering."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

from ai_smartness.entrypoints.cli.client import our_server, project_settings, user_settings
from ai_smartness.entrypoints.cli.client_servers import servers_file
from ai_smartness.entrypoints.cli.client_settings import read
from ai_smartness.entrypoints.cli.doctor_case import Case
from ai_smartness.entrypoints.installing import permission, server
from ai_smartness.entrypoints.installing.server import Place
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError

__all__ = ["answers", "registered"]

PATIENCE_SECONDS = 20
"""Longer than any client waits: what is slow here is not broken, and is not called so."""

GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "ais doctor", "version": "1"},
    },
}


def registered(case: Case) -> str:
    """Say where our server is registered; what keeps the client from using it is raised."""
    path = servers_file(case.environ)
    config = read(path).value
    found = _found(case, config)
    if not found:
        return _unregistered(case)
    for place in found:
        if server.entry_at(config, place) != our_server(case.places.home):
            msg = f"the tools in {path} are of another installation or memory. {_again(place)}"
            raise RefusedError(msg)
    _refuse_switched_off(config, case.project)
    where = " and ".join("all projects" if place is None else "this project" for place in found)
    allowed = "" if any(_allowed(case)) else "; the client asks before each call"
    return f"in {path}, for {where}{allowed}"


def answers(case: Case) -> str:
    """Start our server as a client does, and see that it answers."""
    if not _found(case, read(servers_file(case.environ)).value):
        return "not registered here, so not asked"
    entry: Any = our_server(case.places.home)
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [entry["command"], *entry["args"]],
            input=json.dumps(GREETING) + "\n",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as mute:
        msg = f"the server of the tools does not answer ({mute}). Run `ais mcp` to see why."
        raise StoreError(msg) from mute
    about = _about(done.stdout)
    if about is None:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        msg = f"the server of the tools does not answer: {said}. Run `ais mcp` to see why."
        raise StoreError(msg)
    return f"answers as {about}"


def _unregistered(case: Case) -> str:
    if case.client.path is None:
        return "in no settings; there is no client here to connect"
    if case.runs:
        return "in no settings of this project; a plugin may bring them"
    msg = "the agent has no tools of ours. Run `ais init`, or `ais init --user` for all projects."
    raise NotFoundError(msg)


def _refuse_switched_off(config: object, project: str) -> None:
    try:
        off = config["projects"][project]["disabledMcpServers"]  # type: ignore[index] # caught
    except (KeyError, TypeError):
        return
    if server.NAME in off:
        msg = "the tools are switched off in this project. Switch them on with /mcp in the client."
        raise RefusedError(msg)


def _found(case: Case, config: object) -> list[Place]:
    """Name the places of this project where a server of ours is registered."""
    seen = [None, case.project] if case.root else [None]
    return [place for place in server.places_of_ours(config) if place in seen]


def _again(place: Place) -> str:
    return "Run `ais init --user` again." if place is None else "Run `ais init` again."


def _allowed(case: Case) -> Iterator[bool]:
    paths = [user_settings(case.environ), *([project_settings(case.root)] if case.root else [])]
    for path in paths:
        value = read(path).value
        yield isinstance(value, dict) and permission.is_in(value)


def _about(said: str) -> str | None:
    """Return the name that the server gives itself in its first answer."""
    try:
        about = json.loads(said.splitlines()[0])["result"]["serverInfo"]
        return f"{about['name']} {about.get('version', '')}".strip()
    except (IndexError, ValueError, KeyError, TypeError):
        return None

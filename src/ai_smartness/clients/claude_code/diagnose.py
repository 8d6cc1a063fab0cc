"""Check the connection of Claude Code: its program, our hooks and tools, and the hook's log."""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ai_smartness.clients.claude_code.detect import InstalledClient, find_client
from ai_smartness.clients.claude_code.hooks import is_permitted, our_hooks
from ai_smartness.clients.claude_code.register import (
    ServerPlace,
    our_places,
    our_server,
    registered_entry,
    servers_file,
)
from ai_smartness.clients.client import Diagnosis, InstallTarget
from ai_smartness.clients.client_files import (
    project_settings_path,
    read_file,
    shared_settings_path,
    user_settings_path,
)
from ai_smartness.clients.hook_groups import has_exactly_our_hooks, has_our_hooks
from ai_smartness.clients.hook_log import (
    HookRun,
    counted_prompts,
    percentile,
    prompts_text,
    read_hook_runs,
)
from ai_smartness.clients.own_program import SERVER_NAME
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError

__all__ = ["diagnose"]

SLOW_P95_MS = 300  # of all runs: above it, somebody waits at each step

SERVER_TIMEOUT_SECONDS = 20
"""Longer than any client waits: a slow server is not broken, and must not be called so."""

INITIALIZE_REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "ais doctor", "version": "1"},
    },
}


@dataclass(frozen=True)
class Connection:
    """What is checked: the target, the client on this machine, and the runs of the hook."""

    target: InstallTarget

    @cached_property
    def client(self) -> InstalledClient:
        """The client on this machine."""
        return find_client(self.target.environ)

    @cached_property
    def hook_runs(self) -> list[HookRun]:
        """The latest runs of the hook in this project."""
        return read_hook_runs(self.target.home / "logs", self.target.project_name)

    @property
    def settings_paths(self) -> list[Path]:
        """Every settings file that the client reads in this project."""
        root = self.target.project_root
        project = [shared_settings_path(root), project_settings_path(root)] if root else []
        return [user_settings_path(self.target.environ), *project]


def diagnose(target: InstallTarget, *, start_server: bool = False) -> Iterator[Diagnosis]:
    """Run every check; an error of ours is its finding, and says how to fix the problem."""
    connection = Connection(target)
    for name, check in {**CHECKS, **({"server": _check_server} if start_server else {})}.items():
        try:
            yield Diagnosis(name, is_good=True, text=check(connection))
        except AisError as error:
            yield Diagnosis(name, is_good=False, text=str(error))
        except OSError as error:
            yield Diagnosis(
                name, is_good=False, text=f"{error.filename}: {error.strerror}. Fix it."
            )


def _check_client(connection: Connection) -> str:
    if connection.client.path and connection.client.version is None:
        msg = f"{connection.client}. Start it once by hand, or name another with AIS_CLAUDE."
        raise StoreError(msg)
    if connection.client.version_warning:
        raise RefusedError(connection.client.version_warning)
    return str(connection.client)


def _check_hooks(connection: Connection) -> str:
    connected = [path for path in connection.settings_paths if _is_connected(connection, path)]
    if connected:
        twice = "; registered twice, but answered once" if len(connected) > 1 else ""
        return f"in {', '.join(str(path) for path in connected)}{twice}"
    if connection.hook_runs:
        return "not in the settings of this project, but they run, from a plugin or elsewhere"
    return _unconnected_finding(connection, "the client is not connected in this project")


def _unconnected_finding(connection: Connection, problem: str) -> str:
    """Raise the problem, unless there is no client to connect."""
    if connection.client.path is None:
        return "not in any settings; there is no client here to connect"
    msg = f"{problem}. Run `ais init`, or `ais init --user` for all projects."
    raise NotFoundError(msg)


def _is_connected(connection: Connection, path: Path) -> bool:
    """Say whether a file has our hooks; raise whatever keeps the client from running them."""
    settings = read_file(path).json_value
    if not isinstance(settings, dict):
        return False
    if settings.get("disableAllHooks") is True:
        msg = f"{path} switches all hooks off. Remove its `disableAllHooks`."
        raise RefusedError(msg)
    if not has_our_hooks(settings):
        return False
    wanted = our_hooks(connection.target.home, connection.client.assumed_version)
    if not has_exactly_our_hooks(settings, wanted):
        msg = (
            f"the hooks in {path} are for another version, installation or memory. "
            f"{_reconnect_remedy(connection, path)}"
        )
        raise RefusedError(msg)
    return True


def _reconnect_remedy(connection: Connection, path: Path) -> str:
    if path == user_settings_path(connection.target.environ):
        return "Run `ais init --user` again."
    root = connection.target.project_root
    if root and path == shared_settings_path(root):
        return "Remove them by hand: the file is committed, and they name folders of one machine."
    return "Run `ais init` again."


def _check_registration(connection: Connection) -> str:
    """Say where our server is registered; raise whatever keeps the client from using it."""
    path = servers_file(connection.target.environ)
    config = read_file(path).json_value
    places = _registered_places(connection, config)
    if not places and connection.hook_runs and connection.client.path is not None:
        return "not in the settings of this project; a plugin may bring them"
    if not places:
        return _unconnected_finding(connection, "the agent does not have our tools")
    for place in places:
        if registered_entry(config, place) != our_server(connection.target.home):
            again = "ais init --user" if place is None else "ais init"
            msg = f"the tools in {path} are of another installation or memory. Run `{again}` again."
            raise RefusedError(msg)
    _refuse_switched_off(config, connection.target.project_name)
    where = " and ".join("all projects" if place is None else "this project" for place in places)
    asks = "" if _is_any_permitted(connection) else "; the client asks before each call"
    return f"in {path}, for {where}{asks}"


def _registered_places(connection: Connection, config: object) -> list[ServerPlace]:
    """Name the places of this project where a server of ours is registered."""
    places = [None, connection.target.project_name] if connection.target.project_root else [None]
    return [place for place in our_places(config) if place in places]


def _refuse_switched_off(config: Any, project: str) -> None:  # noqa: ANN401 - any JSON
    try:
        disabled = config["projects"][project]["disabledMcpServers"]
    except (KeyError, TypeError):
        return
    if SERVER_NAME in disabled:
        msg = "the tools are switched off in this project. Switch them on with /mcp in the client."
        raise RefusedError(msg)


def _is_any_permitted(connection: Connection) -> bool:
    values = [read_file(path).json_value for path in connection.settings_paths]
    return any(isinstance(value, dict) and is_permitted(value) for value in values)


def _check_server(connection: Connection) -> str:
    """Start our MCP server as a client does, and see that it answers."""
    config = read_file(servers_file(connection.target.environ)).json_value
    if not _registered_places(connection, config):
        return "not registered here, so not tried"
    entry: Any = our_server(connection.target.home)
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [entry["command"], *entry["args"]],
            input=json.dumps(INITIALIZE_REQUEST) + "\n",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SERVER_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        msg = f"the MCP server does not answer ({error}). Run `ais mcp` to see why."
        raise StoreError(msg) from error
    name = _server_name(done.stdout)
    if name is None:
        reason = (done.stderr.strip().splitlines() or ["no error message"])[-1]
        msg = f"the MCP server does not answer: {reason}. Run `ais mcp` to see why."
        raise StoreError(msg)
    return f"answers as {name}"


def _server_name(output: str) -> str | None:
    """Return the name that the server gives itself in its first answer."""
    try:
        server = json.loads(output.splitlines()[0])["result"]["serverInfo"]
        return f"{server['name']} {server.get('version', '')}".strip()
    except (IndexError, ValueError, KeyError, TypeError):
        return None


def _check_hook_runs(connection: Connection) -> str:
    if not connection.hook_runs:
        return "none yet: start the client in a connected project"
    last = connection.hook_runs[-1]
    runs = _counted_runs(len(connection.hook_runs))
    return f"{runs} in the log, the last for {last.event} at {last.at}"


def _check_speed(connection: Connection) -> str:
    if not connection.hook_runs:
        return "not measured yet"
    took = [run.took_ms for run in connection.hook_runs]
    p50, p95 = percentile(took, 50), percentile(took, 95)
    speed = f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, of {_counted_runs(len(took))}"
    if p95 > SLOW_P95_MS:
        msg = (
            f"{speed}: too slow. Check whether the machine is short of memory or the disk is slow, "
            "and see `ais daemon logs`."
        )
        raise StoreError(msg)
    return speed


def _check_prompts(connection: Connection) -> str:
    return prompts_text(counted_prompts(connection.hook_runs))


def _check_errors(connection: Connection) -> str:
    failed = [place for place, run in enumerate(connection.hook_runs) if run.error]
    if not failed:
        return "none"
    run, since = connection.hook_runs[failed[-1]], len(connection.hook_runs) - 1 - failed[-1]
    error = f"{run.event} at {run.at}: {run.error}"
    if not since:
        log = connection.target.home / "logs" / "hook.log"
        msg = f"the last run failed: {error}. See {log}; nothing captured is lost."
        raise StoreError(msg)
    return f"{error}; {_counted_runs(since)} succeeded since"


def _counted_runs(number: int) -> str:
    return f"{number:,} run{'' if number == 1 else 's'}"


CHECKS: dict[str, Callable[[Connection], str]] = {
    "client": _check_client,
    "hooks": _check_hooks,
    "tools": _check_registration,
    "hook runs": _check_hook_runs,
    "hook time": _check_speed,
    "prompts": _check_prompts,
    "errors": _check_errors,
}

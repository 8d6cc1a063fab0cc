"""The checks of `ais doctor` on the client: its hooks and tools, how they run, and the daemon."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ai_smartness.clients.claude_code.hooks import (
    SERVER_NAME,
    has_exactly_our_hooks,
    has_our_hooks,
    is_permitted,
    our_hooks,
)
from ai_smartness.clients.claude_code.register import (
    ServerPlace,
    our_places,
    our_server,
    registered_entry,
    servers_file,
)
from ai_smartness.clients.claude_code.settings_json import (
    project_settings_path,
    read_file,
    shared_settings_path,
    user_settings_path,
)
from ai_smartness.entrypoints.cli.daemon import daemon_reply, is_lock_held
from ai_smartness.entrypoints.cli.doctor_check import (
    CheckedSetup,
    percentile,
    refuse_readable_by_others,
)
from ai_smartness.entrypoints.cli.output import counted_noun
from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.settings.paths import HomePaths

__all__ = ["CLIENT_CHECKS", "check_server"]

SLOW_P95_MS = 300
"""Twice what a hook gives itself: above it, somebody waits before each prompt."""

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


def _check_client(setup: CheckedSetup) -> str:
    if setup.client.path and setup.client.version is None:
        msg = f"{setup.client}. Start it once by hand, or name another with AIS_CLAUDE."
        raise StoreError(msg)
    if setup.client.version_warning:
        raise RefusedError(setup.client.version_warning)
    return str(setup.client)


def _check_hooks(setup: CheckedSetup) -> str:
    connected = [path for path in _settings_paths(setup) if _is_connected(setup, path)]
    if connected:
        return f"in {', '.join(str(path) for path in connected)}"
    if setup.hook_runs:
        return "not in the settings of this project, but they run, from a plugin or elsewhere"
    return _unconnected_finding(setup, "the client is not connected in this project")


def _unconnected_finding(setup: CheckedSetup, problem: str) -> str:
    """Raise the problem, unless there is no client to connect."""
    if setup.client.path is None:
        return "not in any settings; there is no client here to connect"
    msg = f"{problem}. Run `ais init`, or `ais init --user` for all projects."
    raise NotFoundError(msg)


def _is_connected(setup: CheckedSetup, path: Path) -> bool:
    """Say whether a file has our hooks; raise whatever keeps the client from running them."""
    settings = read_file(path).json_value
    if not isinstance(settings, dict):
        return False
    if settings.get("disableAllHooks") is True:
        msg = f"{path} switches all hooks off. Remove its `disableAllHooks`."
        raise RefusedError(msg)
    if not has_our_hooks(settings):
        return False
    wanted = our_hooks(setup.places.home, setup.client.assumed_version)
    if not has_exactly_our_hooks(settings, wanted):
        msg = (
            f"the hooks in {path} are for another version, installation or memory. "
            f"{_reconnect_remedy(setup, path)}"
        )
        raise RefusedError(msg)
    return True


def _reconnect_remedy(setup: CheckedSetup, path: Path) -> str:
    if path == user_settings_path(setup.environ):
        return "Run `ais init --user` again."
    if setup.root and path == shared_settings_path(setup.root):
        return "Remove them by hand: the file is committed, and they name folders of one machine."
    return "Run `ais init` again."


def _settings_paths(setup: CheckedSetup) -> list[Path]:
    """Name every settings file that the client reads in this project."""
    root = setup.root
    project = [shared_settings_path(root), project_settings_path(root)] if root else []
    return [user_settings_path(setup.environ), *project]


def _check_registration(setup: CheckedSetup) -> str:
    """Say where our server is registered; raise whatever keeps the client from using it."""
    path = servers_file(setup.environ)
    config = read_file(path).json_value
    places = _registered_places(setup, config)
    if not places and setup.hook_runs and setup.client.path is not None:
        return "not in the settings of this project; a plugin may bring them"
    if not places:
        return _unconnected_finding(setup, "the agent does not have our tools")
    for place in places:
        if registered_entry(config, place) != our_server(setup.places.home):
            again = "ais init --user" if place is None else "ais init"
            msg = f"the tools in {path} are of another installation or memory. Run `{again}` again."
            raise RefusedError(msg)
    _refuse_switched_off(config, setup.project)
    where = " and ".join("all projects" if place is None else "this project" for place in places)
    asks = "" if _is_any_permitted(setup) else "; the client asks before each call"
    return f"in {path}, for {where}{asks}"


def _registered_places(setup: CheckedSetup, config: object) -> list[ServerPlace]:
    """Name the places of this project where a server of ours is registered."""
    places = [None, setup.project] if setup.root else [None]
    return [place for place in our_places(config) if place in places]


def _refuse_switched_off(config: Any, project: str) -> None:  # noqa: ANN401 - any JSON
    try:
        disabled = config["projects"][project]["disabledMcpServers"]
    except (KeyError, TypeError):
        return
    if SERVER_NAME in disabled:
        msg = "the tools are switched off in this project. Switch them on with /mcp in the client."
        raise RefusedError(msg)


def _is_any_permitted(setup: CheckedSetup) -> bool:
    project = [project_settings_path(setup.root)] if setup.root else []
    values = [read_file(path).json_value for path in (user_settings_path(setup.environ), *project)]
    return any(isinstance(value, dict) and is_permitted(value) for value in values)


def check_server(setup: CheckedSetup) -> str:
    """Start our MCP server as a client does, and see that it answers."""
    if not _registered_places(setup, read_file(servers_file(setup.environ)).json_value):
        return "not registered here, so not tried"
    entry: Any = our_server(setup.places.home)
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


def _check_hook_runs(setup: CheckedSetup) -> str:
    if not setup.hook_runs:
        return "none yet: start the client in a connected project"
    last = setup.hook_runs[-1]
    runs = counted_noun(len(setup.hook_runs), "run")
    return f"{runs} in the log, the last for {last.event} at {last.at}"


def _check_speed(setup: CheckedSetup) -> str:
    if not setup.hook_runs:
        return "not measured yet"
    took = [run.took_ms for run in setup.hook_runs]
    p50, p95 = percentile(took, 50), percentile(took, 95)
    speed = f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, of {counted_noun(len(took), 'run')}"
    if p95 > SLOW_P95_MS:
        msg = (
            f"{speed}: too slow. Check whether the machine is short of memory or the disk is slow, "
            "and see `ais daemon logs`."
        )
        raise StoreError(msg)
    return speed


def _check_errors(setup: CheckedSetup) -> str:
    failed = [place for place, run in enumerate(setup.hook_runs) if run.error]
    if not failed:
        return "none"
    run, since = setup.hook_runs[failed[-1]], len(setup.hook_runs) - 1 - failed[-1]
    error = f"{run.event} at {run.at}: {run.error}"
    if not since:
        log = setup.places.home / "logs" / "hook.log"
        msg = f"the last run failed: {error}. See {log}; nothing captured is lost."
        raise StoreError(msg)
    return f"{error}; {counted_noun(since, 'run')} succeeded since"


def _check_daemon(setup: CheckedSetup) -> str:
    home = setup.places.home
    status = daemon_reply(home, "status")
    if status is None and is_lock_held(home):
        msg = "a daemon holds the memory and does not listen. Run `ais daemon stop`."
        raise StoreError(msg)
    if status is None:
        waiting = inbox.has_records(HomePaths(str(home)).inbox)
        return "not running; a hook starts it" + (", and it has work waiting" if waiting else "")
    if status.get("trouble"):
        msg = f"{status['trouble']} `ais daemon logs` says more."
        raise StoreError(msg)
    return f"running, version {status.get('version')}, since {status.get('since')}"


def _check_socket(setup: CheckedSetup) -> str:
    socket = Path(HomePaths(str(setup.places.home)).socket)
    if not socket.exists():
        return "none, as no daemon runs"
    refuse_readable_by_others([socket.parent, socket])
    return f"{socket}, readable only by you"


def _check_permissions(setup: CheckedSetup) -> str:
    home = setup.places.home
    names = ("inbox", "run", "recalls", "logs", "backups")
    folders = [home / name for name in names if (home / name).is_dir()]
    files = [file for folder in folders for file in folder.iterdir() if file.is_file()]
    files += [path for path in [home / "installed.json"] if path.is_file()]
    refuse_readable_by_others([*folders, *files])
    counts = f"{counted_noun(len(folders), 'folder')} and {counted_noun(len(files), 'file')}"
    return f"{counts}, readable only by you"


CLIENT_CHECKS: dict[str, Callable[[CheckedSetup], str]] = {
    "client": _check_client,
    "hooks": _check_hooks,
    "tools": _check_registration,
    "hook runs": _check_hook_runs,
    "hook time": _check_speed,
    "errors": _check_errors,
    "daemon": _check_daemon,
    "socket": _check_socket,
    "permissions": _check_permissions,
}

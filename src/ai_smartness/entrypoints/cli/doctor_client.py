"""Whether the agent has our tools, examined by `ais doctor`: registered, allowed, answering.

How the coding agent's client is connected, examined by `ais doctor`.

Whether it is there, whether our hooks are in its settings, whether they run, how fast, and
whether the daemon behind them is well.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ai_smartness.clients.claude_code import register as permission
from ai_smartness.clients.claude_code import register as server
from ai_smartness.clients.claude_code.hooks import has_exactly_our_hooks, has_our_hooks
from ai_smartness.clients.claude_code.install import (
    our_hooks,
    our_server,
    project_settings_path,
    shared_settings_path,
    user_settings_path,
)
from ai_smartness.clients.claude_code.register import ServerPlace, servers_file
from ai_smartness.clients.claude_code.settings_json import read_settings_file
from ai_smartness.entrypoints.cli.daemon import daemon_reply, is_lock_held
from ai_smartness.entrypoints.cli.doctor_check import (
    DoctorCase,
    percentile,
    refuse_readable_by_others,
)
from ai_smartness.entrypoints.cli.output import counted_noun
from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.settings.paths import HomePaths

__all__ = ["CLIENT_CHECKS", "check_registration", "check_server"]


SERVER_TIMEOUT_SECONDS = 20
"""Longer than any client waits: what is slow here is not broken, and is not called so."""

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


def check_registration(case: DoctorCase) -> str:
    """Say where our server is registered; what keeps the client from using it is raised."""
    path = servers_file(case.environ)
    config = read_settings_file(path).json_value
    found = _registered_places(case, config)
    if not found:
        return _unregistered_finding(case)
    for place in found:
        if server.registered_entry(config, place) != our_server(case.places.home):
            msg = f"the tools in {path} are of another installation or memory. {_register_remedy(place)}"
            raise RefusedError(msg)
    _refuse_switched_off(config, case.project)
    where = " and ".join("all projects" if place is None else "this project" for place in found)
    allowed = "" if any(_permission_flags(case)) else "; the client asks before each call"
    return f"in {path}, for {where}{allowed}"


def check_server(case: DoctorCase) -> str:
    """Start our server as a client does, and see that it answers."""
    if not _registered_places(case, read_settings_file(servers_file(case.environ)).json_value):
        return "not registered here, so not asked"
    entry: Any = our_server(case.places.home)
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
    except (OSError, subprocess.TimeoutExpired) as mute:
        msg = f"the server of the tools does not answer ({mute}). Run `ais mcp` to see why."
        raise StoreError(msg) from mute
    about = _server_name(done.stdout)
    if about is None:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        msg = f"the server of the tools does not answer: {said}. Run `ais mcp` to see why."
        raise StoreError(msg)
    return f"answers as {about}"


def _unregistered_finding(case: DoctorCase) -> str:
    if case.found_client.path is None:
        return "in no settings; there is no client here to connect"
    if case.hook_runs:
        return "in no settings of this project; a plugin may bring them"
    msg = "the agent has no tools of ours. Run `ais init`, or `ais init --user` for all projects."
    raise NotFoundError(msg)


def _refuse_switched_off(config: object, project: str) -> None:
    try:
        off = config["projects"][project]["disabledMcpServers"]  # type: ignore[index] # caught
    except (KeyError, TypeError):
        return
    if server.SERVER_NAME in off:
        msg = "the tools are switched off in this project. Switch them on with /mcp in the client."
        raise RefusedError(msg)


def _registered_places(case: DoctorCase, config: object) -> list[ServerPlace]:
    """Name the places of this project where a server of ours is registered."""
    seen = [None, case.project] if case.root else [None]
    return [place for place in server.our_places(config) if place in seen]


def _register_remedy(place: ServerPlace) -> str:
    return "Run `ais init --user` again." if place is None else "Run `ais init` again."


def _permission_flags(case: DoctorCase) -> Iterator[bool]:
    paths = [
        user_settings_path(case.environ),
        *([project_settings_path(case.root)] if case.root else []),
    ]
    for path in paths:
        value = read_settings_file(path).json_value
        yield isinstance(value, dict) and permission.is_permitted(value)


def _server_name(said: str) -> str | None:
    """Return the name that the server gives itself in its first answer."""
    try:
        about = json.loads(said.splitlines()[0])["result"]["serverInfo"]
        return f"{about['name']} {about.get('version', '')}".strip()
    except (IndexError, ValueError, KeyError, TypeError):
        return None


SLOW_P95_MS = 300
"""Twice what a hook gives itself: above it, somebody waits before each prompt."""


def _check_client(case: DoctorCase) -> str:
    if case.found_client.path and case.found_client.version is None:
        msg = f"{case.found_client}. Start it once by hand, or name another with AIS_CLAUDE."
        raise StoreError(msg)
    if case.found_client.version_warning:
        raise RefusedError(case.found_client.version_warning)
    return str(case.found_client)


def _check_hooks(case: DoctorCase) -> str:
    connected = [path for path in _settings_paths(case) if _is_connected(case, path)]
    if connected:
        return f"in {', '.join(str(path) for path in connected)}"
    if case.hook_runs:
        return "in no settings of this project; they run all the same, from a plugin or elsewhere"
    if case.found_client.path is None:
        return "in no settings; there is no client here to connect"
    msg = (
        "the client is not connected in this project. Run `ais init`, or `ais init --user` for "
        "all projects."
    )
    raise NotFoundError(msg)


def _is_connected(case: DoctorCase, path: Path) -> bool:
    """Say whether our hooks are in a file; what keeps the client from running them is raised."""
    value = read_settings_file(path).json_value
    if not isinstance(value, dict):
        return False
    if value.get("disableAllHooks") is True:
        msg = f"{path} switches all hooks off. Take its `disableAllHooks` out."
        raise RefusedError(msg)
    if not has_our_hooks(value):
        return False
    if not has_exactly_our_hooks(
        value,
        our_hooks(case.places.home, case.found_client.assumed_version),
    ):
        msg = (
            f"the hooks in {path} are for another version, installation or memory. "
            f"{_reconnect_remedy(case, path)}"
        )
        raise RefusedError(msg)
    return True


def _reconnect_remedy(case: DoctorCase, path: Path) -> str:
    if path == user_settings_path(case.environ):
        return "Run `ais init --user` again."
    if case.root and path == shared_settings_path(case.root):
        return "Take them out of it by hand: it is committed, and they name folders of a machine."
    return "Run `ais init` again."


def _settings_paths(case: DoctorCase) -> list[Path]:
    """Name every file of settings that the client reads in this project."""
    user = [user_settings_path(case.environ)]
    return (
        [*user, shared_settings_path(case.root), project_settings_path(case.root)]
        if case.root
        else user
    )


def _check_hook_runs(case: DoctorCase) -> str:
    if not case.hook_runs:
        return "none yet: start the client in a connected project"
    last = case.hook_runs[-1]
    return f"{counted_noun(len(case.hook_runs), 'run')} in the log, the last for {last.event} at {last.at}"


def _check_errors(case: DoctorCase) -> str:
    broken = [place for place, run in enumerate(case.hook_runs) if run.error]
    if not broken:
        return "none"
    run, since = case.hook_runs[broken[-1]], len(case.hook_runs) - 1 - broken[-1]
    said = f"{run.event} at {run.at}: {run.error}"
    if not since:
        log = case.places.home / "logs" / "hook.log"
        msg = f"the last run went wrong: {said}. See {log}; nothing captured is lost."
        raise StoreError(msg)
    return f"{said}; {counted_noun(since, 'run')} went well since"


def _check_speed(case: DoctorCase) -> str:
    if not case.hook_runs:
        return "not measured yet"
    took = [run.took_ms for run in case.hook_runs]
    p50, p95 = percentile(took, 50), percentile(took, 95)
    said = f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, of {counted_noun(len(took), 'run')}"
    if p95 > SLOW_P95_MS:
        msg = (
            f"{said}: too slow. See whether the machine is short of memory or the disk is slow, "
            "and what `ais daemon logs` says."
        )
        raise StoreError(msg)
    return said


def _check_daemon(case: DoctorCase) -> str:
    home = case.places.home
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


def _check_socket(case: DoctorCase) -> str:
    where = HomePaths(str(case.places.home))
    socket = Path(where.socket)
    if not socket.exists():
        return "none, as no daemon runs"
    refuse_readable_by_others([socket.parent, socket])
    return f"{socket}, yours alone"


def _check_permissions(case: DoctorCase) -> str:
    home = case.places.home
    names = ("inbox", "run", "recalls", "logs", "backups")
    folders = [home / name for name in names if (home / name).is_dir()]
    files = [file for folder in folders for file in folder.iterdir() if file.is_file()]
    record = [home / "installed.json"] if (home / "installed.json").is_file() else []
    refuse_readable_by_others([*folders, *files, *record])
    return f"{counted_noun(len(folders), 'folder')} and {counted_noun(len(files + record), 'file')}, yours alone"


CLIENT_CHECKS: dict[str, Callable[[DoctorCase], str]] = {
    "client": _check_client,
    "hooks": _check_hooks,
    "tools": check_registration,
    "hook runs": _check_hook_runs,
    "hook time": _check_speed,
    "errors": _check_errors,
    "daemon": _check_daemon,
    "socket": _check_socket,
    "permissions": _check_permissions,
}

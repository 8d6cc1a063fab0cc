"""How the coding agent's client is connected, examined by `ais doctor`.

Whether it is there, whether our hooks are in its settings, whether they run, how fast, and
whether the daemon behind them is well.
"""

from collections.abc import Callable
from pathlib import Path

from ai_smartness.entrypoints.cli.client import (
    our_hooks,
    project_settings,
    shared_settings,
    user_settings,
)
from ai_smartness.entrypoints.cli.client_daemon import asked, is_held
from ai_smartness.entrypoints.cli.client_settings import read
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.doctor_case import Case, refuse_readable_by_others
from ai_smartness.entrypoints.cli.doctor_tools import registered
from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts
from ai_smartness.entrypoints.installing.hook_log import percentile
from ai_smartness.entrypoints.installing.plan import are_in, has_ours
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError

__all__ = ["CLIENT_CHECKS"]

SLOW_P95_MS = 300
"""Twice what a hook gives itself: above it, somebody waits before each prompt."""


def _client(case: Case) -> str:
    if case.client.path and case.client.version is None:
        msg = f"{case.client}. Start it once by hand, or name another with AIS_CLAUDE."
        raise StoreError(msg)
    if case.client.lacking:
        raise RefusedError(case.client.lacking)
    return str(case.client)


def _hooks(case: Case) -> str:
    connected = [path for path in _files(case) if _is_connected(case, path)]
    if connected:
        return f"in {', '.join(str(path) for path in connected)}"
    if case.runs:
        return "in no settings of this project; they run all the same, from a plugin or elsewhere"
    if case.client.path is None:
        return "in no settings; there is no client here to connect"
    msg = (
        "the client is not connected in this project. Run `ais init`, or `ais init --user` for "
        "all projects."
    )
    raise NotFoundError(msg)


def _is_connected(case: Case, path: Path) -> bool:
    """Say whether our hooks are in a file; what keeps the client from running them is raised."""
    value = read(path).value
    if not isinstance(value, dict):
        return False
    if value.get("disableAllHooks") is True:
        msg = f"{path} switches all hooks off. Take its `disableAllHooks` out."
        raise RefusedError(msg)
    if not has_ours(value):
        return False
    if not are_in(value, our_hooks(case.places.home, case.client.taken_for)):
        msg = (
            f"the hooks in {path} are for another version, installation or memory. "
            f"{_remedy(case, path)}"
        )
        raise RefusedError(msg)
    return True


def _remedy(case: Case, path: Path) -> str:
    if path == user_settings(case.environ):
        return "Run `ais init --user` again."
    if case.root and path == shared_settings(case.root):
        return "Take them out of it by hand: it is committed, and they name folders of a machine."
    return "Run `ais init` again."


def _files(case: Case) -> list[Path]:
    """Name every file of settings that the client reads in this project."""
    user = [user_settings(case.environ)]
    return [*user, shared_settings(case.root), project_settings(case.root)] if case.root else user


def _runs(case: Case) -> str:
    if not case.runs:
        return "none yet: start the client in a connected project"
    last = case.runs[-1]
    return f"{counted(len(case.runs), 'run')} in the log, the last for {last.event} at {last.at}"


def _errors(case: Case) -> str:
    broken = [place for place, run in enumerate(case.runs) if run.error]
    if not broken:
        return "none"
    run, since = case.runs[broken[-1]], len(case.runs) - 1 - broken[-1]
    said = f"{run.event} at {run.at}: {run.error}"
    if not since:
        log = case.places.home / "logs" / "hook.log"
        msg = f"the last run went wrong: {said}. See {log}; nothing captured is lost."
        raise StoreError(msg)
    return f"{said}; {counted(since, 'run')} went well since"


def _speed(case: Case) -> str:
    if not case.runs:
        return "not measured yet"
    took = [run.took_ms for run in case.runs]
    p50, p95 = percentile(took, 50), percentile(took, 95)
    said = f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, of {counted(len(took), 'run')}"
    if p95 > SLOW_P95_MS:
        msg = (
            f"{said}: too slow. See whether the machine is short of memory or the disk is slow, "
            "and what `ais daemon logs` says."
        )
        raise StoreError(msg)
    return said


def _daemon(case: Case) -> str:
    home = case.places.home
    status = asked(home, "status")
    if status is None and is_held(home):
        msg = "a daemon holds the memory and does not listen. Run `ais daemon stop`."
        raise StoreError(msg)
    if status is None:
        waiting = inbox.waiting(Whereabouts(str(home)).inbox)
        return "not running; a hook starts it" + (", and it has work waiting" if waiting else "")
    if status.get("trouble"):
        msg = f"{status['trouble']} `ais daemon logs` says more."
        raise StoreError(msg)
    return f"running, version {status.get('version')}, since {status.get('since')}"


def _socket(case: Case) -> str:
    where = Whereabouts(str(case.places.home))
    socket = Path(where.socket)
    if not socket.exists():
        return "none, as no daemon runs"
    refuse_readable_by_others([socket.parent, socket])
    return f"{socket}, yours alone"


def _private(case: Case) -> str:
    home = case.places.home
    names = ("inbox", "run", "recalls", "logs", "backups")
    folders = [home / name for name in names if (home / name).is_dir()]
    files = [file for folder in folders for file in folder.iterdir() if file.is_file()]
    record = [home / "installed.json"] if (home / "installed.json").is_file() else []
    refuse_readable_by_others([*folders, *files, *record])
    return (
        f"{counted(len(folders), 'folder')} and {counted(len(files + record), 'file')}, yours alone"
    )


CLIENT_CHECKS: dict[str, Callable[[Case], str]] = {
    "client": _client,
    "hooks": _hooks,
    "tools": registered,
    "hook runs": _runs,
    "hook time": _speed,
    "errors": _errors,
    "daemon": _daemon,
    "socket": _socket,
    "permissions": _private,
}

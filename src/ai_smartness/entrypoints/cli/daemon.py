"""`ais daemon`: see, start and end the process that keeps the memory warm.

Ask the daemon of a memory from the command line: whether it is there, and to leave.
"""

import fcntl
import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import print_json, safe_text
from ai_smartness.entrypoints.daemon.client import (
    NoAnswerError,
    NoDaemonError,
    ask_daemon,
)
from ai_smartness.entrypoints.daemon.inbox import count_records
from ai_smartness.entrypoints.daemon.main import IDLE_MINUTES, become_daemon
from ai_smartness.entrypoints.daemon.spawn import (
    DaemonLock,
    spawn_daemon,
    stop_daemon,
)
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.settings.paths import HomePaths, make_private_folder

__all__ = ["daemon", "daemon_reply", "is_lock_held", "stop_and_wait", "without_daemon"]


ANSWER_SECONDS = 5.0
START_SECONDS = 30.0
END_SECONDS = 30.0
SHOWN_LINES = 40


@click.group(epilog="Example: ais daemon status")
def daemon() -> None:
    """See, start and end the process that keeps the memory warm.

    It starts by itself when an agent needs it, and ends when nobody has for half an hour.
    """


@daemon.command()
@json_option
@pass_context
def status(context: CliContext, *, as_json: bool) -> None:
    """Say whether it runs, and what it has done."""
    where = _daemon_paths(context)
    try:
        found = ask_daemon(where, "status", until=time.monotonic() + ANSWER_SECONDS)
    except NoDaemonError:
        said: dict[str, object] = {"running": False, "left": count_records(where.inbox)}
    except NoAnswerError as error:
        said = {"running": True, "answers": False, "error": str(error)}
    else:
        about = {name: value for name, value in found.items() if name not in ("v", "ok")}
        said = {"running": True, "answers": True, **about}
    if as_json:
        print_json(said)
    else:
        _print_status(said)


@daemon.command()
@json_option
@pass_context
def start(context: CliContext, *, as_json: bool) -> None:
    """Start it, unless it runs."""
    where = _daemon_paths(context)
    started = _start_daemon(where)
    if as_json:
        print_json({"running": True, "started": started})
    else:
        click.echo("The daemon is started." if started else "The daemon runs already.")


@daemon.command()
@json_option
@pass_context
def stop(context: CliContext, *, as_json: bool) -> None:
    """End it, after what it is doing; what is captured meanwhile waits in the inbox."""
    where = _daemon_paths(context)
    ran = _end_daemon(where)
    if as_json:
        print_json({"running": False, "stopped": ran})
    else:
        click.echo("The daemon is stopped." if ran else "No daemon runs.")


@daemon.command()
@json_option
@pass_context
def restart(context: CliContext, *, as_json: bool) -> None:
    """End it and start it anew."""
    where = _daemon_paths(context)
    _end_daemon(where)
    started = _start_daemon(where)
    if as_json:
        print_json({"running": True, "started": started})
    else:
        click.echo("The daemon is started anew.")


@daemon.command()
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=SHOWN_LINES,
    help="How many lines (40).",
)
@json_option
@pass_context
def logs(context: CliContext, limit: int, *, as_json: bool) -> None:
    """Show the latest lines of its log."""
    path = Path(_daemon_paths(context).logs) / "daemon.log"
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n") for line in deque(file, limit)]
    except FileNotFoundError as missing:
        msg = f"there is no log {path}: no daemon has run here yet. `ais daemon start` starts one."
        raise NotFoundError(msg) from missing
    if as_json:
        print_json({"path": path, "lines": lines})
    else:
        for line in lines:
            click.echo(safe_text(line))


@daemon.command(hidden=True)
@click.option("--home", "home", type=click.Path(file_okay=False), help="Folder of the memory.")
@click.option("--idle-minutes", type=click.FloatRange(0), default=IDLE_MINUTES)
@click.option("--ready", type=int, default=None, help="A pipe to write to when it answers.")
@pass_context
def run(context: CliContext, home: str | None, idle_minutes: float, ready: int | None) -> None:
    """Be the daemon, in this process."""
    become_daemon(home or _daemon_paths(context).home, idle_minutes=idle_minutes, ready=ready)


def _daemon_paths(context: CliContext) -> HomePaths:
    from ai_smartness.settings.paths import memory_home

    return HomePaths(os.fspath(memory_home(context.home, context.environ)))


def _start_daemon(where: HomePaths) -> bool:
    from ai_smartness.entrypoints.daemon.spawn import start_and_wait

    if start_and_wait(where, START_SECONDS):
        return True
    if not _is_running(where):
        msg = (
            f"the daemon did not start. {where.logs}/daemon.err and daemon.log there say why; "
            "`ais doctor` checks what it needs."
        )
        raise StoreError(msg)
    return False


def _end_daemon(where: HomePaths) -> bool:
    from ai_smartness.entrypoints.daemon.spawn import stop_daemon

    if not _is_running(where):
        return False
    if not stop_daemon(where, END_SECONDS):
        msg = f"the daemon does not end. Its process is named in {where.process_file}; end it with `kill`."
        raise StoreError(msg)
    return True


def _is_running(where: HomePaths) -> bool:
    """Say whether a daemon is there; wait for one that has the lock and does not listen yet."""
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            ask_daemon(where, "ping", until=time.monotonic() + ANSWER_SECONDS)
        except NoAnswerError:
            return True
        except NoDaemonError:
            if not is_lock_held(Path(where.home)):
                return False
            if time.monotonic() > until:
                return True
            time.sleep(0.02)
        else:
            return True


def _print_status(said: "dict[str, object]") -> None:
    if not said["running"]:
        click.echo("No daemon runs; it starts when an agent needs it.")
        if said["left"]:
            click.echo(f"Waiting in the inbox: {said['left']}")
        return
    if not said["answers"]:
        click.echo(f"A daemon runs and does not answer: {safe_text(str(said['error']))}")
        return
    click.echo(f"The daemon runs: version {said['version']}, process {said['pid']}.")
    click.echo(
        f"Since {said['since']}: asked {said['asked']} times, kept {said['drained']} events.",
    )
    click.echo(f"Waiting in the inbox: {said['left']}; set aside: {said['set_aside']}")
    if said["last_error"]:
        click.echo(f"Last error, at {said['last_error_at']}: {safe_text(str(said['last_error']))}")


REPLY_SECONDS = 3.0
STOP_SECONDS = 30.0
STOP_ATTEMPTS = 5
"""A hook may start a daemon between the end of one and our turn."""


def daemon_reply(home: Path, verb: str) -> dict[str, object] | None:
    """Return the daemon's answer; None where no daemon is. A mute one is an error."""
    where = HomePaths(str(home))
    try:
        return ask_daemon(where, verb, until=time.monotonic() + REPLY_SECONDS)
    except NoDaemonError:
        return None
    except NoAnswerError as mute:
        msg = (
            f"the daemon at {where.socket} gives no answer ({mute}). "
            "Run `ais daemon stop`; a hook starts the next."
        )
        raise StoreError(msg) from mute


def is_lock_held(home: Path) -> bool:
    """Say whether a daemon holds the memory's lock, listening or not."""
    try:
        handle = os.open(HomePaths(str(home)).lock, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def stop_and_wait(home: Path) -> None:
    """Have the daemon leave, if there is one, and wait until it has."""
    where = HomePaths(str(home))
    if is_lock_held(home) and not stop_daemon(where, STOP_SECONDS):
        msg = f"the daemon does not end. Its process is named in {where.process_file}; end it with `kill`."
        raise StoreError(msg)


@contextmanager
def without_daemon(home: Path) -> Iterator[None]:
    """Have no daemon while inside, and the one that ran started again after it.

    Hooks go on putting what they capture into the inbox.
    """
    where = HomePaths(str(home))
    for folder in (where.home, where.run):
        make_private_folder(folder)
    ran, lock = is_lock_held(home), DaemonLock(where.lock)
    for _ in range(STOP_ATTEMPTS):
        stop_and_wait(home)
        if lock.try_acquire():
            break
    else:
        msg = "a daemon is started again and again. Nothing was changed; end the agent, try again."
        raise StoreError(msg)
    try:
        yield
    finally:
        lock.release()
        if ran:
            spawn_daemon(where)

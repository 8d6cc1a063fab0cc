"""`ais daemon`: start, stop and inspect the background daemon of a memory.

Other commands use the functions below it to ask the daemon, or to work without one.
"""

import os
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import WholeHelpGroup, json_option
from ai_smartness.entrypoints.cli.output import print_json, print_text, safe_text
from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask_daemon
from ai_smartness.entrypoints.daemon.inbox import count_records
from ai_smartness.entrypoints.daemon.main import IDLE_MINUTES, become_daemon
from ai_smartness.entrypoints.daemon.pause import stop_and_wait, without_daemon
from ai_smartness.entrypoints.daemon.spawn import (
    HUNG_SECONDS,
    is_lock_held,
    start_and_wait,
)
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.settings.paths import HomePaths

if TYPE_CHECKING:
    from ai_smartness.model.erasure import ForgetResult

__all__ = ["daemon", "finish_forgetting"]

ANSWER_SECONDS = 5.0
START_SECONDS = 30.0
SHOWN_LINES = 40


@click.group(cls=WholeHelpGroup, epilog="Example: ais daemon status")
def daemon() -> None:
    """The daemon keeps the memory loaded, so that hooks get their answers quickly.

    It starts by itself when an agent needs it, and ends after half an hour without work.
    """


@daemon.command()
@json_option
@pass_context
def status(context: CliContext, *, as_json: bool) -> None:
    """Say whether the daemon runs, and what it has done."""
    paths = _daemon_paths(context)
    state: dict[str, object]
    try:
        answer = ask_daemon(paths, "status", until=time.monotonic() + ANSWER_SECONDS)
    except NoDaemonError:
        state = {"running": False, "left": count_records(paths.inbox)}
    except NoAnswerError as error:
        state = {"running": True, "answers": False, "error": str(error)}
    else:
        values = {name: value for name, value in answer.items() if name not in ("v", "ok")}
        state = {"running": True, "answers": True, **values}
    if as_json:
        print_json(state)
    else:
        _print_status(state)


@daemon.command()
@json_option
@pass_context
def start(context: CliContext, *, as_json: bool) -> None:
    """Start the daemon, unless it runs."""
    started = _start_daemon(_daemon_paths(context))
    if as_json:
        print_json({"running": True, "started": started})
    else:
        click.echo("The daemon is started." if started else "The daemon is already running.")


@daemon.command()
@json_option
@pass_context
def stop(context: CliContext, *, as_json: bool) -> None:
    """Stop the daemon after its current work; new events wait in the inbox.

    One that does not answer for two seconds is killed, which loses nothing.
    """
    stopped = _end_daemon(_daemon_paths(context))
    if as_json:
        print_json({"running": False, "stopped": stopped})
    else:
        click.echo("The daemon is stopped." if stopped else "No daemon is running.")


@daemon.command()
@json_option
@pass_context
def restart(context: CliContext, *, as_json: bool) -> None:
    """Stop the daemon and start it again."""
    paths = _daemon_paths(context)
    _end_daemon(paths)
    started = _start_daemon(paths)
    if as_json:
        print_json({"running": True, "started": started})
    else:
        click.echo("The daemon is restarted.")


@daemon.command()
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=SHOWN_LINES, help="How many lines (40)."
)
@json_option
@pass_context
def logs(context: CliContext, limit: int, *, as_json: bool) -> None:
    """Show the latest lines of the daemon's log."""
    path = Path(_daemon_paths(context).logs) / "daemon.log"
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n") for line in deque(file, limit)]
    except FileNotFoundError as error:
        msg = f"there is no log {path}: no daemon has run here yet. `ais daemon start` starts one."
        raise NotFoundError(msg) from error
    if as_json:
        print_json({"path": path, "lines": lines})
        return
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


def finish_forgetting(context: CliContext) -> "ForgetResult | None":
    """Finish a deletion that was interrupted, and say so; None if there is none."""
    from ai_smartness.wiring import build_memory

    if not context.is_forgetting:
        return None
    home = context.places.home
    with (
        without_daemon(home),
        build_memory(context.places, context.settings, str(home)) as memory,
    ):
        finished = memory.finish_forgetting()
    context.print_finished(finished)
    return finished


def _daemon_paths(context: CliContext) -> HomePaths:
    from ai_smartness.settings.paths import memory_home

    return HomePaths(os.fspath(memory_home(context.home, context.environ)))


def _start_daemon(paths: HomePaths) -> bool:
    if start_and_wait(paths, START_SECONDS):
        return True
    if not _is_running(paths):
        msg = (
            f"the daemon did not start. See daemon.err and daemon.log in {paths.logs}; "
            "`ais doctor` checks what it needs."
        )
        raise StoreError(msg)
    return False


def _end_daemon(paths: HomePaths) -> bool:
    if not _is_running(paths):
        return False
    stop_and_wait(Path(paths.home))
    return True


def _is_running(paths: HomePaths) -> bool:
    """Say whether a daemon runs; wait for one that has the lock and does not listen yet."""
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            ask_daemon(paths, "ping", until=time.monotonic() + HUNG_SECONDS)
        except NoAnswerError:
            return True
        except NoDaemonError:
            if not is_lock_held(paths):
                return False
            if time.monotonic() > until:
                return True
            time.sleep(0.02)
        else:
            return True


def _print_status(state: dict[str, object]) -> None:
    if not state["running"]:
        click.echo("No daemon is running; it starts when an agent needs it.")
        if state["left"]:
            click.echo(f"Waiting in the inbox: {state['left']}")
        return
    if not state["answers"]:
        print_text(f"The daemon is running and does not answer: {state['error']}")
        return
    print_text(f"The daemon is running: version {state['version']}, process {state['pid']}.")
    requests, stored = state["asked"], state["drained"]
    click.echo(f"Since {state['since']}: {requests} requests, {stored} events stored.")
    click.echo(f"Waiting in the inbox: {state['left']}; set aside: {state['set_aside']}")
    if state["last_error"]:
        print_text(f"Last error, at {state['last_error_at']}: {state['last_error']}")

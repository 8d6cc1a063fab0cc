"""`ais daemon`: see, start and end the process that keeps the memory warm."""

import os
import time
from collections import deque
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.output import print_json, visible
from ai_smartness.entrypoints.daemon.begin import IDLE_MINUTES, begin
from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask
from ai_smartness.entrypoints.daemon.inbox import left
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts
from ai_smartness.model.errors import NotFoundError, StoreError

__all__ = ["daemon"]

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
@as_json
@pass_context
def status(context: Context, *, as_json: bool) -> None:
    """Say whether it runs, and what it has done."""
    where = _whereabouts(context)
    try:
        found = ask(where, "status", until=time.monotonic() + ANSWER_SECONDS)
    except NoDaemonError:
        said: dict[str, object] = {"running": False, "left": left(where.inbox)}
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
@as_json
@pass_context
def start(context: Context, *, as_json: bool) -> None:
    """Start it, unless it runs."""
    where = _whereabouts(context)
    started = _started(where)
    if as_json:
        print_json({"running": True, "started": started})
    else:
        click.echo("The daemon is started." if started else "The daemon runs already.")


@daemon.command()
@as_json
@pass_context
def stop(context: Context, *, as_json: bool) -> None:
    """End it, after what it is doing; what is captured meanwhile waits in the inbox."""
    where = _whereabouts(context)
    ran = _ended(where)
    if as_json:
        print_json({"running": False, "stopped": ran})
    else:
        click.echo("The daemon is stopped." if ran else "No daemon runs.")


@daemon.command()
@as_json
@pass_context
def restart(context: Context, *, as_json: bool) -> None:
    """End it and start it anew."""
    where = _whereabouts(context)
    _ended(where)
    started = _started(where)
    if as_json:
        print_json({"running": True, "started": started})
    else:
        click.echo("The daemon is started anew.")


@daemon.command()
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=SHOWN_LINES, help="How many lines (40)."
)
@as_json
@pass_context
def logs(context: Context, limit: int, *, as_json: bool) -> None:
    """Show the latest lines of its log."""
    path = Path(_whereabouts(context).logs) / "daemon.log"
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
            click.echo(visible(line))


@daemon.command(hidden=True)
@click.option("--home", "home", type=click.Path(file_okay=False), help="Folder of the memory.")
@click.option("--idle-minutes", type=click.FloatRange(0), default=IDLE_MINUTES)
@click.option("--ready", type=int, default=None, help="A pipe to write to when it answers.")
@pass_context
def run(context: Context, home: str | None, idle_minutes: float, ready: int | None) -> None:
    """Be the daemon, in this process."""
    begin(home or _whereabouts(context).home, idle_minutes=idle_minutes, ready=ready)


def _whereabouts(context: Context) -> Whereabouts:
    from ai_smartness.settings import home  # noqa: PLC0415 - not for --help

    return Whereabouts(os.fspath(home(context.home, context.environ)))


def _started(where: Whereabouts) -> bool:
    from ai_smartness.entrypoints.daemon.starting import start_and_wait  # noqa: PLC0415

    if start_and_wait(where, START_SECONDS):
        return True
    if not _is_there(where):
        msg = (
            f"the daemon did not start. {where.logs}/daemon.err and daemon.log there say why; "
            "`ais doctor` checks what it needs."
        )
        raise StoreError(msg)
    return False


def _ended(where: Whereabouts) -> bool:
    from ai_smartness.entrypoints.daemon.starting import end  # noqa: PLC0415

    if not _is_there(where):
        return False
    if not end(where, END_SECONDS):
        msg = f"the daemon does not end. Its process is named in {where.about}; end it with `kill`."
        raise StoreError(msg)
    return True


def _is_there(where: Whereabouts) -> bool:
    """Say whether a daemon is there; wait for one that has the lock and does not listen yet."""
    from ai_smartness.entrypoints.cli.client_daemon import is_held  # noqa: PLC0415 - seldom

    until = time.monotonic() + START_SECONDS
    while True:
        try:
            ask(where, "ping", until=time.monotonic() + ANSWER_SECONDS)
        except NoAnswerError:
            return True
        except NoDaemonError:
            if not is_held(Path(where.home)):
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
        click.echo(f"A daemon runs and does not answer: {visible(str(said['error']))}")
        return
    click.echo(f"The daemon runs: version {said['version']}, process {said['pid']}.")
    click.echo(
        f"Since {said['since']}: asked {said['asked']} times, kept {said['drained']} events."
    )
    click.echo(f"Waiting in the inbox: {said['left']}; set aside: {said['set_aside']}")
    if said["last_error"]:
        click.echo(f"Last error, at {said['last_error_at']}: {visible(str(said['last_error']))}")

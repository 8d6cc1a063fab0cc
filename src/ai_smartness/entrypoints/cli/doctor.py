"""`ais doctor`: check the memory, its settings, the model and the client.

It changes nothing, and goes on whatever it finds. Every problem comes with its fix.
"""

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import click

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.hook_log import read_hook_runs
from ai_smartness.clients.ignore import IGNORE_FILE, unusable_reason
from ai_smartness.clients.project import project_by_path
from ai_smartness.clients.registry import CLIENTS, TOOL_CLIENTS, load_client
from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.daemon import daemon_reply
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    print_json,
    print_table,
    progress_bar,
    size_text,
)
from ai_smartness.entrypoints.cli.program_name import other_short_program, typed_program
from ai_smartness.entrypoints.cli.search import MAX_BACKLOG_MESSAGES
from ai_smartness.entrypoints.cli.server_store import check_server_store
from ai_smartness.entrypoints.daemon.inbox import (
    file_records,
    has_records,
    lost_events,
    waiting_files,
)
from ai_smartness.entrypoints.daemon.spawn import is_lock_held
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
from ai_smartness.settings.load import LoadedSettings, gather_settings
from ai_smartness.settings.paths import HomePaths, MemoryPaths

__all__ = ["Finding", "connection_findings", "doctor"]

SERVER_CHECK = "server"  # of the client that starts our MCP server, which needs the memory
MAIN_CLIENT_CHECKS = ("client", "hooks", "tools")  # of Claude Code alone; others have one line
STATE_STYLES = {"ok": "green", "problem": "bold red"}
LOST_LATELY_SECONDS = 86_400
MIN_FREE_BYTES = 200_000_000  # room for the default model and a few years of messages


@dataclass(frozen=True, slots=True)
class CheckedSetup:
    """The memory, the settings, the project and the client's connection that are checked."""

    places: MemoryPaths
    loaded: LoadedSettings
    project: str
    target: InstallTarget


class Finding(NamedTuple):
    """The result of one check: a state, or a problem and how to fix it."""

    check: str
    ok: bool
    found: str


PROVE_HELP = (
    "Start each connected client for one prompt and see that it runs our hook: without a model or "
    "an account, and nothing is captured. Also say when each hook last ran."
)


@click.command(epilog="Example: ais doctor --json")
@click.option("--prove", is_flag=True, help=PROVE_HELP)
@json_option
@click.pass_context
def doctor(ctx: click.Context, *, prove: bool, as_json: bool) -> None:
    """The exit code is 1 if there is a problem."""
    context = ctx.ensure_object(CliContext)
    links_problem = _links_problem(context)
    if links_problem:
        context = replace(context, has_links=False)
    loaded = gather_settings(context.places, context.environ)
    context.print_warnings(loaded.warnings)
    setup = CheckedSetup(context.places, loaded, context.project_name, context.install_target())
    findings = [Finding("projects", ok=False, found=links_problem)] if links_problem else []
    findings += [*_all_findings(setup), *(_hook_proofs(setup.target) if prove else ())]
    if as_json:
        print_json([finding._asdict() for finding in findings])
    else:
        rows = [("ok" if item.ok else "problem", item.check, item.found) for item in findings]
        print_table(("", "check", "found"), rows, styles=STATE_STYLES)
    if not all(finding.ok for finding in findings):
        ctx.exit(1)


def _links_problem(context: CliContext) -> str:
    """Say that the user's links between projects are broken; empty if they are not."""
    try:
        _ = context.project_folder
    except StoreError as error:
        return str(error)
    return ""


def _hook_proofs(target: InstallTarget) -> Iterator[Finding]:
    """Start every client that is connected here, and say when each of its hooks last ran."""
    from ai_smartness.entrypoints.cli.prove_hooks import prove_hooks

    runs = read_hook_runs(target.home / "logs", target.project_name)
    clients = [load_client(name) for name in CLIENTS]
    connected = {
        client.name
        for client in clients
        if any(not file.is_changed for file in client.plan_install(target).files)
    }
    for client in clients:
        name, proof = client.name, None
        if name in connected:
            with progress_bar(f"starting {client.title}"):
                proof = prove_hooks(client, target)
        if proof is not None:
            yield Finding(*proof)
        last = {run.event: run.at for run in runs if run.client == name and run.event != "none"}
        if last:
            times = ", ".join(f"{event} at {at}" for event, at in last.items())
            yield Finding(f"{name} runs", ok=True, found=f"last: {times}")
        elif name in connected and proof is None:
            found = f"{client.title} has our hooks, and none has run here yet. Start it once."
            yield Finding(f"{name} runs", ok=False, found=found)


def connection_findings(context: CliContext) -> Iterator[Finding]:
    """Check the client's connection and the daemon, for `ais status`."""
    target = context.install_target()
    setup = CheckedSetup(context.places, context.loaded_settings, context.project_name, target)
    yield from _client_findings(target, start_server=False)
    yield _run_check("daemon", _check_daemon, setup)


def _client_findings(target: InstallTarget, *, start_server: bool) -> list[Finding]:
    """Check every client; a Claude Code that is not here is left out if another one is."""
    main, *others = [
        [Finding(*item) for item in load_client(name).diagnose(target, start_server=start_server)]
        for name in (*CLIENTS, *TOOL_CLIENTS)
    ]
    found = [finding for findings in others for finding in findings]
    has_main = load_client().find_program(target.environ).path is not None
    if found and not has_main and all(finding.ok for finding in main):
        main = [finding for finding in main if finding.check not in MAIN_CLIENT_CHECKS]
    return [*main, *found]


def _all_findings(setup: CheckedSetup) -> Iterator[Finding]:
    """Run every check; a memory that does not open is not asked further."""
    memory = _run_check("memory", _check_memory, setup)
    diagnoses = _client_findings(setup.target, start_server=memory.ok)
    yield from (_run_check(name, check, setup) for name, check in CHECKS.items())
    if setup.loaded.settings.search.reranker != "none":
        yield _run_check("reranker", _check_reranker, setup)
    yield from (finding for finding in diagnoses if finding.check != SERVER_CHECK)
    yield from (_run_check(name, check, setup) for name, check in DAEMON_CHECKS.items())
    yield from _waiting_findings(setup)
    if reason := _ignore_file_reason(setup):
        yield Finding("ignored paths", ok=False, found=reason)
    yield memory
    if memory.ok:
        yield _run_check("waiting", _check_backlog, setup)
    yield from (finding for finding in diagnoses if finding.check == SERVER_CHECK)
    if setup.loaded.settings.llm.provider != "none":
        yield _run_check("language model", _check_llm, setup)


def _run_check(name: str, check: Callable[[CheckedSetup], str], setup: CheckedSetup) -> Finding:
    """Run one check. An error of ours is its finding: each says how to fix the problem."""
    try:
        return Finding(name, ok=True, found=check(setup))
    except AisError as error:
        return Finding(name, ok=False, found=str(error))
    except OSError as error:
        return Finding(name, ok=False, found=f"{error.filename}: {error.strerror}. Fix that.")


def _check_python(_setup: CheckedSetup) -> str:
    return f"{platform.python_version()}, {platform.python_implementation()}"


def _check_program(setup: CheckedSetup) -> str:
    """Say how to call this program, and whether its other name `ai` starts something else."""
    typed = typed_program(setup.target.environ)
    known = typed if typed == "ais" else f"{typed}; `ais` is not on your PATH"
    other = other_short_program(setup.target.environ)
    return f"{known}; `ai` is another program here, {other}" if other else known


def _check_sqlite(_setup: CheckedSetup) -> str:
    from ai_smartness.wiring import checked_sqlite

    return checked_sqlite()


def _check_settings(setup: CheckedSetup) -> str:
    if setup.loaded.problems:
        raise RefusedError("; ".join(str(problem) for problem in setup.loaded.problems))
    if moved := _unrecorded_folders(setup):
        msg = (
            f"the daemon does not use your {', '.join(moved)}: it takes no folders from a "
            "session's environment. Run `ais init` once to record yours."
        )
        raise RefusedError(msg)
    count = len(setup.loaded.origins)
    return f"{counted_noun(count, 'value')} set, the rest by default" if count else "all defaults"


def _unrecorded_folders(setup: CheckedSetup) -> list[str]:
    """Name the variables without which the daemon looks for settings or models elsewhere."""
    from ai_smartness.settings.background_environment import background_environment

    places, environ = setup.places, setup.target.environ
    names = []
    if places.user_file.parent != places.home and places.user_file.exists():
        names += ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]
    if places.cache.exists() and places.database.exists():
        names += ["AIS_CACHE", "XDG_CACHE_HOME"]
    daemons = background_environment(str(places.home), environ)
    return [name for name in names if environ.get(name) != daemons.get(name)]


def _check_home(setup: CheckedSetup) -> str:
    home = setup.places.home
    if not os.path.lexists(home):
        msg = f"there is no folder {home} yet. Run `ais init`."
        raise NotFoundError(msg)
    if not stat.S_ISDIR(home.stat().st_mode):
        msg = f"{home} is not a folder. Move it away, or choose another place with --home."
        raise StoreError(msg)
    if not os.access(home, os.W_OK | os.X_OK):
        msg = f"{home} is not writable. Run `chmod u+rwx {home}`, or choose another with --home."
        raise StoreError(msg)
    _refuse_readable_by_others([home])
    return f"{home}, readable only by you"


def _check_disk(setup: CheckedSetup) -> str:
    home = setup.places.home
    place = next(folder for folder in (home, *home.parents) if os.access(folder, os.F_OK))
    free = shutil.disk_usage(place).free
    if free < MIN_FREE_BYTES:
        msg = f"only {size_text(free)} are free at {place}. Make room, or move it with --home."
        raise StoreError(msg)
    return f"{size_text(free)} free"


def _check_lost_events(setup: CheckedSetup) -> str:
    """Say how many events hooks could not keep; a problem if that happened lately."""
    count, last = lost_events(HomePaths(str(setup.places.home)).run)
    if not count:
        return "none"
    lost = f"{counted_noun(count, 'event')} could not be kept"
    if time.time() - last < LOST_LATELY_SECONDS or not last:
        msg = (
            f"{lost} lately, most likely for want of room: see `disk` and `folder`. The client's "
            "transcripts have what was said: `ais import` brings it in."
        )
        raise StoreError(msg)
    return f"{lost}, the last on {formatted_time(datetime.fromtimestamp(last, UTC))}"


def _check_model(setup: CheckedSetup) -> str:
    from ai_smartness.wiring import load_embedder, local_models

    settings = setup.loaded.settings
    name = settings.embedder.model
    if local_models(setup.places).is_unpulled(name):
        msg = f"{name} is missing, so search is by keyword only. Run `ais model pull {name}`."
        raise NotFoundError(msg)
    embedder = load_embedder(setup.places, settings)
    if embedder is None:
        return f"{name}: search is by keyword only"
    embedder.query("Does it work?")
    return f"{embedder.space}, {embedder.dimension} dimensions"


def _check_addresses(setup: CheckedSetup) -> str:
    """List every address that may be contacted; that is no problem, but nobody should wonder."""
    from ai_smartness.wiring import contacted_addresses

    addresses = contacted_addresses(setup.places, setup.loaded.settings, setup.target.environ)
    return "; ".join(addresses) or "none: everything stays on this machine"


def _check_reranker(setup: CheckedSetup) -> str:
    from ai_smartness.wiring import load_reranker

    try:
        reranker = load_reranker(setup.loaded.settings)
    except AisError as error:
        msg = (
            f"{error} Until then, searches are not reordered. `ais model use --reranker none` "
            "does without it."
        )
        raise StoreError(msg) from error
    return f"{reranker.name}, for the first hits of a search" if reranker else "none"


def _check_backups(setup: CheckedSetup) -> str:
    from ai_smartness.wiring import backup_store, is_on_server

    if is_on_server(setup.loaded.settings):
        return "the server's own, which cannot be seen from here; `ais backup` makes a dump"

    store = backup_store(setup.places, setup.loaded.settings)
    backups = store.all()
    _refuse_readable_by_others([backup.path for backup in backups])
    if backups:
        newest = formatted_time(backups[0].at)
        return f"{counted_noun(len(backups), 'backup')} in {store.folder}, newest {newest}"
    if setup.loaded.settings.backup.automatic:
        return "none yet; the daemon makes one a day, `ais backup` makes one now"
    return "none, and `backup.automatic` is off; `ais backup` makes one"


def _check_memory(setup: CheckedSetup) -> str:
    from ai_smartness.wiring import backup_store, build_memory, is_on_server

    if is_on_server(setup.loaded.settings):
        return check_server_store(setup.places, setup.loaded.settings, setup.project)
    file = setup.places.database
    if not os.access(file, os.F_OK):
        msg = f"there is no memory {file} yet. Run `ais init`."
        if backup_store(setup.places, setup.loaded.settings).all():
            msg = f"there is no memory {file}, though there was one. {_recovery_hint(setup)}"
        raise NotFoundError(msg)
    with build_memory(setup.places, setup.loaded.settings, setup.project) as memory:
        damage = memory.check()
        _refuse_readable_by_others(sorted(file.parent.glob(f"{file.name}*")))
    if damage:
        msg = f"{file} is damaged: {damage}. {_recovery_hint(setup)}"
        raise StoreError(msg)
    return f"{file}, {size_text(file.stat().st_size)}, intact, readable only by you"


def _recovery_hint(setup: CheckedSetup) -> str:
    """Say how to get a damaged memory back, as far as possible."""
    from ai_smartness.wiring import backup_store

    backups = backup_store(setup.places, setup.loaded.settings).all()
    if not backups:
        return (
            "There is no backup: `ais restore --begin-anew` sets the file aside and starts an "
            "empty memory, and `ais import` imports the clients' transcripts. Events in the "
            "inbox are stored then."
        )
    return (
        f"The newest backup is of {formatted_time(backups[0].at)}: `ais restore latest` restores "
        "the newest intact one and keeps this file; then `ais import` imports what was said "
        "since. Events in the inbox are stored then."
    )


def _check_backlog(setup: CheckedSetup) -> str:
    from ai_smartness.wiring import build_memory

    with build_memory(setup.places, setup.loaded.settings, setup.project) as memory:
        pending = memory.status().pending
    backlog = f"{counted_noun(pending, 'message')} of this project not embedded yet"
    if pending > MAX_BACKLOG_MESSAGES:
        msg = f"{backlog}. Run `ais reindex --missing`."
        raise RefusedError(msg)
    return backlog


def _check_llm(setup: CheckedSetup) -> str:
    """Say which language model is configured and what it used today.

    It is not asked anything: that could cost something.
    """
    from ai_smartness.wiring import build_memory, has_memory, language_model

    settings = setup.loaded.settings
    model = language_model(settings, setup.target.environ)
    state = "none" if model is None else model.check()
    if not has_memory(setup.places, settings):
        return state
    with build_memory(setup.places, settings, setup.project) as memory:
        used = memory.tokens_today()
    return f"{state}; {used:,} of {settings.llm.daily_tokens:,} tokens used today"


def _check_daemon(setup: CheckedSetup) -> str:
    home = setup.places.home
    status = daemon_reply(home, "status")
    if status is None and is_lock_held(HomePaths(str(home))):
        msg = "a daemon holds the memory and does not listen. Run `ais daemon stop`."
        raise StoreError(msg)
    if status is None:
        waiting = has_records(HomePaths(str(home)).inbox)
        return "not running; a hook starts it" + (", and it has work waiting" if waiting else "")
    if status.get("trouble"):
        msg = f"{status['trouble']} `ais daemon logs` says more."
        raise StoreError(msg)
    return f"running, version {status.get('version')}, since {status.get('since')}"


def _waiting_findings(setup: CheckedSetup) -> Iterator[Finding]:
    """Name each project whose records wait because its own settings are broken."""
    folder = HomePaths(str(setup.places.home)).inbox
    for name, cwd in waiting_files(folder):
        root = project_by_path(cwd).root
        paths = MemoryPaths(
            home=setup.places.home,
            cache=setup.places.cache,
            user_file=setup.places.user_file,
            project_file=Path(root) / ".ai" / "config.toml",
        )
        problems = gather_settings(paths, setup.target.environ).problems
        reason = " ".join(map(str, problems)) or "The daemon stores them now."
        count = counted_noun(len(file_records(folder, name)), "record")
        yield Finding("waiting project", ok=False, found=f"{count} of {root} not stored: {reason}")


def _ignore_file_reason(setup: CheckedSetup) -> str:
    """Say why every path of this project is hidden from the memory; nothing if that is not so."""
    root = setup.target.project_root
    reason = unusable_reason(str(root)) if root else ""
    return reason and (
        f"{root}/{IGNORE_FILE} is not used: {reason}. Until it is a small text file, or gone, "
        "every path of this project counts as ignored."
    )


def _check_socket(setup: CheckedSetup) -> str:
    socket = Path(HomePaths(str(setup.places.home)).socket)
    if not socket.exists():
        return "none, as no daemon runs"
    _refuse_readable_by_others([socket.parent, socket])
    return f"{socket}, readable only by you"


def _check_permissions(setup: CheckedSetup) -> str:
    home = setup.places.home
    names = ("inbox", "run", "recalls", "briefs", "logs", "backups")
    folders = [home / name for name in names if (home / name).is_dir()]
    files = [file for folder in folders for file in folder.iterdir() if file.is_file()]
    records = (home / "installed.json", home / "environment.json")
    files += [path for path in records if path.is_file()]
    _refuse_readable_by_others([*folders, *files])
    counts = f"{counted_noun(len(folders), 'folder')} and {counted_noun(len(files), 'file')}"
    return f"{counts}, readable only by you"


def _refuse_readable_by_others(paths: Sequence[Path]) -> None:
    """Refuse files and folders that anybody but their owner can use."""
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            right = "700" if path.is_dir() else "600"
            msg = f"others can use {path} (mode {mode:o}). Run `chmod {right} {path}`."
            raise StoreError(msg)


CHECKS: dict[str, Callable[[CheckedSetup], str]] = {
    "command": _check_program,
    "Python": _check_python,
    "SQLite": _check_sqlite,
    "settings": _check_settings,
    "folder": _check_home,
    "disk": _check_disk,
    "lost": _check_lost_events,
    "model": _check_model,
    "addresses": _check_addresses,
    "backups": _check_backups,
}
DAEMON_CHECKS: dict[str, Callable[[CheckedSetup], str]] = {
    "daemon": _check_daemon,
    "socket": _check_socket,
    "permissions": _check_permissions,
}

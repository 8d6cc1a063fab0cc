"""The checks of a setup: the memory, its settings, the model, the daemon and the clients.

They change nothing, and go on whatever they find. Every problem comes with its fix. `ais doctor`
prints them, and the page Health shows them.
"""

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.ignore import IGNORE_FILE, unusable_reason
from ai_smartness.clients.project import project_by_path
from ai_smartness.clients.registry import CLIENTS, TOOL_CLIENTS, load_client
from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask_daemon
from ai_smartness.entrypoints.daemon.inbox import (
    file_records,
    has_records,
    lost_events,
    waiting_files,
)
from ai_smartness.entrypoints.daemon.spawn import is_lock_held
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
from ai_smartness.model.status import MAX_BACKLOG_MESSAGES
from ai_smartness.settings.load import LoadedSettings, gather_settings
from ai_smartness.settings.paths import HomePaths, MemoryPaths
from ai_smartness.settings.schema import Settings
from ai_smartness.text.display import counted_noun, formatted_time, size_text

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = [
    "CheckedSetup",
    "Finding",
    "all_findings",
    "check_daemon",
    "client_findings",
    "run_check",
    "space_of_others",
]

SERVER_CHECK = "server"  # of the client that starts our MCP server, which needs the memory
MAIN_CLIENT_CHECKS = ("client", "hooks", "tools")  # of Claude Code alone; others have one line
LOST_LATELY_SECONDS = 86_400
ANSWER_SECONDS = 5.0  # for the daemon's word
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


def all_findings(setup: CheckedSetup, *, start_server: bool) -> Iterator[Finding]:
    """Run every check; a memory that does not open is not asked further.

    `start_server` also starts our MCP server as a client does.
    """
    memory = run_check("memory", _check_memory, setup)
    diagnoses = client_findings(setup.target, start_server=start_server and memory.ok)
    yield from (run_check(name, check, setup) for name, check in CHECKS.items())
    if setup.loaded.settings.search.reranker != "none":
        yield run_check("reranker", _check_reranker, setup)
    yield from (finding for finding in diagnoses if finding.check != SERVER_CHECK)
    yield from (run_check(name, check, setup) for name, check in DAEMON_CHECKS.items())
    yield from _waiting_findings(setup)
    if reason := _ignore_file_reason(setup):
        yield Finding("ignored paths", ok=False, found=reason)
    yield memory
    if memory.ok:
        yield run_check("waiting", _check_backlog, setup)
    yield from (finding for finding in diagnoses if finding.check == SERVER_CHECK)
    if setup.loaded.settings.llm.provider != "none":
        yield run_check("language model", _check_llm, setup)


def run_check(name: str, check: Callable[[CheckedSetup], str], setup: CheckedSetup) -> Finding:
    """Run one check. An error of ours is its finding: each says how to fix the problem."""
    try:
        return Finding(name, ok=True, found=check(setup))
    except AisError as error:
        return Finding(name, ok=False, found=str(error))
    except OSError as error:
        return Finding(name, ok=False, found=f"{error.filename}: {error.strerror}. Fix that.")


def client_findings(target: InstallTarget, *, start_server: bool) -> list[Finding]:
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


def _check_python(_setup: CheckedSetup) -> str:
    return f"{platform.python_version()}, {platform.python_implementation()}"


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
        return _check_server_store(setup.places, setup.loaded.settings, setup.project)
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


def _check_server_store(places: MemoryPaths, settings: Settings, project: str) -> str:
    """Say what the server of the memory is, and whether the memory in it is intact."""
    from ai_smartness.wiring import build_memory, check_server

    report = check_server(settings.store.url)
    if report.problems:
        msg = f"{report}: {'; '.join(report.problems)}."
        raise StoreError(msg)
    with build_memory(places, settings, project) as memory:
        damage, warnings = memory.check(), [*report.warnings, *_model_warnings(memory)]
    if damage:
        msg = f"{report.name} is damaged: {damage}. Restore a backup of the server."
        raise StoreError(msg)
    if warnings:
        msg = f"{report}; but {'; '.join(warnings)}."
        raise RefusedError(msg)
    return f"{report}, intact"


def _model_warnings(memory: "Memory") -> Iterator[str]:
    """Tell a client whose model is not the one that the team's messages are embedded with."""
    with suppress(AisError):  # a model that does not load has a check of its own
        embedder = memory.embedder
        models = [embedder, embedder.other_languages] if embedder else []
        ours = [model.space for model in models if model]
        if other := space_of_others(memory.status().spaces, ours):
            yield (
                f"most messages are embedded with {other}, which this machine does not use, so "
                f"its searches by meaning miss them; `ais config set embedder.model "
                f"{other.partition('@')[0]}` uses it here too"
            )


def space_of_others(counts: Mapping[str, int], ours: Sequence[str]) -> str | None:
    """Return the model that has more vectors in the memory than each of ours, if there is one."""
    if not ours:
        return None
    most = max(counts, key=lambda space: counts[space], default=None)
    is_ahead = most is not None and counts[most] > max(counts.get(space, 0) for space in ours)
    return most if is_ahead else None


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


def check_daemon(setup: CheckedSetup) -> str:
    """Say whether the daemon runs; one that holds the memory and does not listen is a problem."""
    home = setup.places.home
    status = _daemon_status(home)
    if status is None and is_lock_held(HomePaths(str(home))):
        msg = "a daemon holds the memory and does not listen. Run `ais daemon stop`."
        raise StoreError(msg)
    if status is None:
        waiting = has_records(HomePaths(str(home)).inbox)
        return "not running; a hook starts it" + (", and it has work waiting" if waiting else "")
    if status.get("trouble"):
        msg = f"{status['trouble']} `ais daemon logs` says more."
        raise StoreError(msg)
    text = f"running, version {status.get('version')}"
    since = status.get("since")
    if not isinstance(since, str):  # an older daemon does not say it
        return text
    return f"{text}, since {formatted_time(datetime.fromisoformat(since))}"


def _daemon_status(home: Path) -> dict[str, object] | None:
    """Return the daemon's state, or None if no daemon runs; refuse one that does not answer."""
    paths = HomePaths(str(home))
    try:
        return ask_daemon(paths, "status", until=time.monotonic() + ANSWER_SECONDS)
    except NoDaemonError:
        return None
    except NoAnswerError as error:
        msg = (
            f"the daemon at {paths.socket} gives no answer ({error}). "
            "Run `ais daemon stop`; a hook starts the next."
        )
        raise StoreError(msg) from error


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
    "daemon": check_daemon,
    "socket": _check_socket,
    "permissions": _check_permissions,
}

"""`ais doctor`: check the memory, its settings, the model and the client.

It changes nothing, and goes on whatever it finds. Every problem comes with its fix.
"""

import os
import platform
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.doctor_check import (
    CheckedSetup,
    Finding,
    checked_setup,
    refuse_readable_by_others,
    run_check,
)
from ai_smartness.entrypoints.cli.doctor_client import CLIENT_CHECKS, check_server
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    print_json,
    print_table,
    size_text,
)
from ai_smartness.entrypoints.cli.search import MAX_BACKLOG_MESSAGES
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.settings.load import gather_settings

__all__ = ["doctor"]

MIN_SQLITE_VERSION = (3, 35, 0)
MIN_FREE_BYTES = 200_000_000
"""Room for the default model and a few years of messages."""


@click.command(epilog="Example: ais doctor --json")
@json_option
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """The exit code is 1 if there is a problem."""
    context = ctx.ensure_object(CliContext)
    loaded = gather_settings(context.places, context.environ)
    context.print_warnings(loaded.warnings)
    findings = list(_all_findings(checked_setup(context, loaded)))
    if as_json:
        print_json([finding._asdict() for finding in findings])
    else:
        rows = [("ok" if item.ok else "problem", item.check, item.found) for item in findings]
        print_table(("", "check", "found"), rows)
    if not all(finding.ok for finding in findings):
        ctx.exit(1)


def _all_findings(setup: CheckedSetup) -> Iterator[Finding]:
    """Run every check; a memory that does not open is not asked further."""
    for name, check in {**CHECKS, **CLIENT_CHECKS}.items():
        yield run_check(name, check, setup)
    memory = run_check("memory", _check_memory, setup)
    yield memory
    if memory.ok:
        yield run_check("waiting", _check_backlog, setup)
        yield run_check("server", check_server, setup)
    if setup.loaded.settings.llm.provider != "none":
        yield run_check("language model", _check_llm, setup)


def _check_python(_setup: CheckedSetup) -> str:
    return f"{platform.python_version()}, {platform.python_implementation()}"


def _check_sqlite(_setup: CheckedSetup) -> str:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < MIN_SQLITE_VERSION:
        needed = ".".join(str(part) for part in MIN_SQLITE_VERSION)
        msg = f"SQLite {version} is too old: {needed} is needed. Use a newer Python."
        raise StoreError(msg)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except sqlite3.Error as error:
        msg = f"SQLite {version} lacks full-text search (FTS5). Use a Python whose SQLite has it."
        raise StoreError(msg) from error
    finally:
        connection.close()
    return f"{version}, with full-text search"


def _check_settings(setup: CheckedSetup) -> str:
    if setup.loaded.problems:
        raise RefusedError("; ".join(str(problem) for problem in setup.loaded.problems))
    count = len(setup.loaded.origins)
    return f"{counted_noun(count, 'value')} set, the rest by default" if count else "all defaults"


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
    refuse_readable_by_others([home])
    return f"{home}, readable only by you"


def _check_disk(setup: CheckedSetup) -> str:
    home = setup.places.home
    place = next(folder for folder in (home, *home.parents) if os.access(folder, os.F_OK))
    free = shutil.disk_usage(place).free
    if free < MIN_FREE_BYTES:
        msg = f"only {size_text(free)} are free at {place}. Make room, or move it with --home."
        raise StoreError(msg)
    return f"{size_text(free)} free"


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


def _check_backups(setup: CheckedSetup) -> str:
    from ai_smartness.wiring import backup_store

    store = backup_store(setup.places, setup.loaded.settings)
    backups = store.all()
    refuse_readable_by_others([backup.path for backup in backups])
    if backups:
        newest = formatted_time(backups[0].at)
        return f"{counted_noun(len(backups), 'backup')} in {store.folder}, newest {newest}"
    if setup.loaded.settings.backup.automatic:
        return "none yet; the daemon makes one a day, `ais backup` makes one now"
    return "none, and `backup.automatic` is off; `ais backup` makes one"


def _check_memory(setup: CheckedSetup) -> str:
    from ai_smartness.wiring import backup_store, build_memory

    file = setup.places.database
    if not os.access(file, os.F_OK):
        msg = f"there is no memory {file} yet. Run `ais init`."
        if backup_store(setup.places, setup.loaded.settings).all():
            msg = f"there is no memory {file}, though there was one. {_recovery_hint(setup)}"
        raise NotFoundError(msg)
    with build_memory(setup.places, setup.loaded.settings, setup.project) as memory:
        damage = memory.check()
        refuse_readable_by_others(sorted(file.parent.glob(f"{file.name}*")))
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
    from ai_smartness.wiring import build_memory, language_model

    settings = setup.loaded.settings
    model = language_model(settings, setup.environ)
    state = "none" if model is None else model.check()
    if not os.access(setup.places.database, os.F_OK):
        return state
    with build_memory(setup.places, settings, setup.project) as memory:
        used = memory.tokens_today()
    return f"{state}; {used:,} of {settings.llm.daily_tokens:,} tokens used today"


CHECKS: dict[str, Callable[[CheckedSetup], str]] = {
    "Python": _check_python,
    "SQLite": _check_sqlite,
    "settings": _check_settings,
    "folder": _check_home,
    "disk": _check_disk,
    "model": _check_model,
    "backups": _check_backups,
}

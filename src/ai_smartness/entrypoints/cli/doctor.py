"""What `ais doctor` says of backups, and of a memory that is damaged or gone.

The language model, examined by `ais doctor`: how it is set, and whether it is within reach.

It is not asked anything: that could cost something.

`ais doctor`: check that everything is as it should be, and say how to mend what is not.

It changes nothing, and goes on whatever it finds.
"""

import os
import platform
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.doctor_check import (
    DoctorCase,
    Finding,
    doctor_case,
    refuse_readable_by_others,
    run_check,
)
from ai_smartness.entrypoints.cli.doctor_client import CLIENT_CHECKS, check_server
from ai_smartness.entrypoints.cli.options import formatted_time, json_option
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, print_table
from ai_smartness.entrypoints.cli.search import MAX_BACKLOG_MESSAGES
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.settings.load import gather_settings

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["check_backups", "check_llm", "doctor", "is_llm_configured", "recovery_hint"]


def check_backups(case: DoctorCase) -> str:
    """Say what backups there are."""
    from ai_smartness.wiring import backup_store

    kept = backup_store(case.places, case.loaded.settings)
    found = kept.all()
    refuse_readable_by_others([each.path for each in found])
    if found:
        return f"{counted_noun(len(found), 'backup')} in {kept.folder}, newest {formatted_time(found[0].at)}"
    if case.loaded.settings.backup.automatic:
        return "none yet; the daemon makes one a day, `ais backup` makes one now"
    return "none, and `backup.automatic` is off; `ais backup` makes one"


def recovery_hint(case: DoctorCase) -> str:
    """Say how a memory that is damaged is had again, as far as it can be."""
    from ai_smartness.wiring import backup_store

    found = backup_store(case.places, case.loaded.settings).all()
    if not found:
        return (
            "There is no backup: `ais restore --begin-anew` sets the file aside and begins an "
            "empty memory, and `ais import` brings in what the clients' transcripts hold. What "
            "waits in the inbox is stored then."
        )
    return (
        f"The newest backup is of {formatted_time(found[0].at)}: `ais restore latest` puts the newest "
        "good one in place and keeps this file; then `ais import` brings in what was said since. "
        "What waits in the inbox is stored then."
    )


def is_llm_configured(case: DoctorCase) -> bool:
    """Say whether there is one to examine."""
    return case.loaded.settings.llm.provider != "none"


def check_llm(case: DoctorCase) -> str:
    """Say which it is and what it took today; refuse where it cannot be asked."""
    from ai_smartness.wiring import build_memory, language_model

    settings = case.loaded.settings
    model = language_model(settings, case.environ)
    said = "none" if model is None else model.check()
    if not os.access(case.places.database, os.F_OK):
        return said
    with build_memory(case.places, settings, case.project) as memory:
        used = memory.tokens_today()
    return f"{said}; {used:,} of {settings.llm.daily_tokens:,} tokens used today"


MIN_SQLITE_VERSION = (3, 35, 0)
MIN_FREE_BYTES = 200_000_000
"""Room for the default model and a few years of messages."""


@click.command(epilog="Example: ais doctor --json")
@json_option
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """Check that everything is as it should be, and say how to mend what is not.

    Ends with exit code 1 if there is a problem.
    """
    context = ctx.ensure_object(CliContext)
    loaded = gather_settings(context.places, context.environ)
    context.print_warnings(loaded.warnings)
    findings = list(_all_findings(doctor_case(context, loaded)))
    _print_findings(findings, as_json=as_json)
    if not all(finding.ok for finding in findings):
        ctx.exit(1)


def _all_findings(case: DoctorCase) -> Iterator[Finding]:
    """Examine one thing after the other; a memory that does not open is not asked further."""
    for name, check in {**CHECKS, **CLIENT_CHECKS}.items():
        yield run_check(name, check, case)
    memory = run_check("memory", _check_memory, case)
    yield memory
    if memory.ok:
        yield run_check("waiting", _check_backlog, case)
        yield run_check("server", check_server, case)
    if is_llm_configured(case):
        yield run_check("language model", check_llm, case)


def _print_findings(findings: "Sequence[Finding]", *, as_json: bool) -> None:
    if as_json:
        print_json([finding._asdict() for finding in findings])
        return
    rows = [("ok" if each.ok else "problem", each.check, each.found) for each in findings]
    print_table(("", "check", "found"), rows)


def _check_python(_case: DoctorCase) -> str:
    return f"{platform.python_version()}, {platform.python_implementation()}"


def _check_sqlite(_case: DoctorCase) -> str:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < MIN_SQLITE_VERSION:
        needed = ".".join(str(part) for part in MIN_SQLITE_VERSION)
        msg = f"SQLite {version} is too old: {needed} is needed. Use a newer Python."
        raise StoreError(msg)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except sqlite3.Error as lacking:
        msg = f"SQLite {version} has no full text (FTS5). Use a Python whose SQLite has it."
        raise StoreError(msg) from lacking
    finally:
        connection.close()
    return f"{version}, with full text"


def _check_settings(case: DoctorCase) -> str:
    if case.loaded.problems:
        raise RefusedError("; ".join(str(problem) for problem in case.loaded.problems))
    return f"{counted_noun(len(case.loaded.origins), 'value')} set, the rest as by default"


def _check_home(case: DoctorCase) -> str:
    home = case.places.home
    if not os.path.lexists(home):
        msg = f"there is no folder {home} yet. Run `ais init`."
        raise NotFoundError(msg)
    if not stat.S_ISDIR(home.stat().st_mode):
        msg = f"{home} is not a folder. Move it away, or choose another place with --home."
        raise StoreError(msg)
    if not os.access(home, os.W_OK | os.X_OK):
        msg = (
            f"{home} cannot be written to. Run `chmod u+rwx {home}`, or choose another with --home."
        )
        raise StoreError(msg)
    refuse_readable_by_others([home])
    return f"{home}, yours alone"


def _check_disk(case: DoctorCase) -> str:
    from rich.filesize import decimal

    home = case.places.home
    place = next(folder for folder in (home, *home.parents) if os.access(folder, os.F_OK))
    free = shutil.disk_usage(place).free
    if free < MIN_FREE_BYTES:
        msg = (
            f"only {decimal(free)} are free at {place}. Make room, or move the memory with --home."
        )
        raise StoreError(msg)
    return f"{decimal(free)} free"


def _check_model(case: DoctorCase) -> str:
    from ai_smartness.wiring import load_embedder, local_models

    settings = case.loaded.settings
    name = settings.embedder.model
    if local_models(case.places).is_unpulled(name):
        msg = f"{name} is not here: search is by words alone. Run `ais model pull {name}`."
        raise NotFoundError(msg)
    embedder = load_embedder(case.places, settings)
    if embedder is None:
        return f"{name}: search is by words alone"
    embedder.query("Does it work?")
    return f"{embedder.space}, {embedder.dimension} dimensions"


def _check_memory(case: DoctorCase) -> str:
    from rich.filesize import decimal

    from ai_smartness.wiring import backup_store, build_memory

    file = case.places.database
    if not os.access(file, os.F_OK):
        msg = f"there is no memory {file} yet. Run `ais init`."
        if backup_store(case.places, case.loaded.settings).all():
            msg = f"there is no memory {file}, though there was one. {recovery_hint(case)}"
        raise NotFoundError(msg)
    with build_memory(case.places, case.loaded.settings, case.project) as memory:
        damage = memory.check()
        refuse_readable_by_others(sorted(file.parent.glob(f"{file.name}*")))
    if damage:
        msg = f"{file} is damaged: {damage}. {recovery_hint(case)}"
        raise StoreError(msg)
    return f"{file}, {decimal(file.stat().st_size)}, whole, yours alone"


def _check_backlog(case: DoctorCase) -> str:
    from ai_smartness.wiring import build_memory

    with build_memory(case.places, case.loaded.settings, case.project) as memory:
        found = memory.status()
    waiting = f"{counted_noun(found.pending, 'message')} of this project to be embedded"
    if found.pending > MAX_BACKLOG_MESSAGES:
        msg = f"{waiting}. Run `ais reindex --missing`."
        raise RefusedError(msg)
    return waiting


CHECKS: dict[str, Callable[[DoctorCase], str]] = {
    "Python": _check_python,
    "SQLite": _check_sqlite,
    "settings": _check_settings,
    "folder": _check_home,
    "disk": _check_disk,
    "model": _check_model,
    "backups": check_backups,
}

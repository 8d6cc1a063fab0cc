"""`ais doctor`: check that everything is as it should be, and say how to mend what is not.

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

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.doctor_backup import backed_up, way_back
from ai_smartness.entrypoints.cli.doctor_case import (
    Case,
    Finding,
    case_of,
    examined,
    refuse_readable_by_others,
)
from ai_smartness.entrypoints.cli.doctor_client import CLIENT_CHECKS
from ai_smartness.entrypoints.cli.doctor_llm import is_configured, usable
from ai_smartness.entrypoints.cli.doctor_tools import answers
from ai_smartness.entrypoints.cli.output import print_json, print_table
from ai_smartness.entrypoints.cli.search import EMBEDDED_FIRST_MESSAGES
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.settings import gathered

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["doctor"]

LEAST_SQLITE = (3, 35, 0)
LEAST_FREE_BYTES = 200_000_000
"""Room for the default model and a few years of messages."""


@click.command(epilog="Example: ais doctor --json")
@as_json
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """Check that everything is as it should be, and say how to mend what is not.

    Ends with exit code 1 if there is a problem.
    """
    context = ctx.ensure_object(Context)
    loaded = gathered(context.places, context.environ)
    context.warn(loaded.warnings)
    findings = list(_findings(case_of(context, loaded)))
    _print_findings(findings, as_json=as_json)
    if not all(finding.ok for finding in findings):
        ctx.exit(1)


def _findings(case: Case) -> Iterator[Finding]:
    """Examine one thing after the other; a memory that does not open is not asked further."""
    for name, check in {**CHECKS, **CLIENT_CHECKS}.items():
        yield examined(name, check, case)
    memory = examined("memory", _memory, case)
    yield memory
    if memory.ok:
        yield examined("waiting", _waiting, case)
        yield examined("server", answers, case)
    if is_configured(case):
        yield examined("language model", usable, case)


def _print_findings(findings: "Sequence[Finding]", *, as_json: bool) -> None:
    if as_json:
        print_json([finding._asdict() for finding in findings])
        return
    rows = [("ok" if each.ok else "problem", each.check, each.found) for each in findings]
    print_table(("", "check", "found"), rows)


def _python(_case: Case) -> str:
    return f"{platform.python_version()}, {platform.python_implementation()}"


def _sqlite(_case: Case) -> str:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < LEAST_SQLITE:
        needed = ".".join(str(part) for part in LEAST_SQLITE)
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


def _settings(case: Case) -> str:
    if case.loaded.problems:
        raise RefusedError("; ".join(str(problem) for problem in case.loaded.problems))
    return f"{counted(len(case.loaded.origins), 'value')} set, the rest as by default"


def _home(case: Case) -> str:
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


def _disk(case: Case) -> str:
    from rich.filesize import decimal  # noqa: PLC0415 - not for --help

    home = case.places.home
    place = next(folder for folder in (home, *home.parents) if os.access(folder, os.F_OK))
    free = shutil.disk_usage(place).free
    if free < LEAST_FREE_BYTES:
        msg = (
            f"only {decimal(free)} are free at {place}. Make room, or move the memory with --home."
        )
        raise StoreError(msg)
    return f"{decimal(free)} free"


def _model(case: Case) -> str:
    from ai_smartness.wiring import load_embedder, model_shelf  # noqa: PLC0415 - not for --help

    settings = case.loaded.settings
    name = settings.embedder.model
    if model_shelf(case.places).lacks(name):
        msg = f"{name} is not here: search is by words alone. Run `ais model pull {name}`."
        raise NotFoundError(msg)
    embedder = load_embedder(case.places, settings)
    if embedder is None:
        return f"{name}: search is by words alone"
    embedder.query("Does it work?")
    return f"{embedder.space}, {embedder.dimension} dimensions"


def _memory(case: Case) -> str:
    from rich.filesize import decimal  # noqa: PLC0415 - not for --help

    from ai_smartness.wiring import backups, wired  # noqa: PLC0415 - not for --help

    file = case.places.database
    if not os.access(file, os.F_OK):
        msg = f"there is no memory {file} yet. Run `ais init`."
        if backups(case.places, case.loaded.settings).all():
            msg = f"there is no memory {file}, though there was one. {way_back(case)}"
        raise NotFoundError(msg)
    with wired(case.places, case.loaded.settings, case.project) as memory:
        damage = memory.check()
        refuse_readable_by_others(sorted(file.parent.glob(f"{file.name}*")))
    if damage:
        msg = f"{file} is damaged: {damage}. {way_back(case)}"
        raise StoreError(msg)
    return f"{file}, {decimal(file.stat().st_size)}, whole, yours alone"


def _waiting(case: Case) -> str:
    from ai_smartness.wiring import wired  # noqa: PLC0415 - not for --help

    with wired(case.places, case.loaded.settings, case.project) as memory:
        found = memory.status()
    waiting = f"{counted(found.pending, 'message')} of this project to be embedded"
    if found.pending > EMBEDDED_FIRST_MESSAGES:
        msg = f"{waiting}. Run `ais reindex --missing`."
        raise RefusedError(msg)
    return waiting


CHECKS: dict[str, Callable[[Case], str]] = {
    "Python": _python,
    "SQLite": _sqlite,
    "settings": _settings,
    "folder": _home,
    "disk": _disk,
    "model": _model,
    "backups": backed_up,
}

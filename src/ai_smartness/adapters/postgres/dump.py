"""Back up a database with `pg_dump`, which has to be installed and as new as the server.

It holds the rows of one moment. It holds no roles and no settings of the server, and nothing that
was written later: a server's own backup with its log (PITR) does. It is restored with
`pg_restore` into a new database. Where several people use the database, it holds one's own memory.
"""

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from ai_smartness.adapters.postgres.connections import connection_name
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.transfer import DUMP_NAMES, Backup

__all__ = ["dump_database", "dumps_in"]

_TIME_FORMAT = "memory-%Y%m%d-%H%M%S.dump"
_OPTIONS = ("--format=custom", "--no-owner")


def dump_database(url: str, folder: Path, now: datetime) -> Path:
    """Write a dump, readable by its owner alone, and return its path."""
    program = shutil.which("pg_dump")
    if program is None:
        msg = (
            "`pg_dump` is not on this machine's PATH, so nothing was backed up. Install the "
            "client programs of PostgreSQL, or rely on the backups of the server."
        )
        raise RefusedError(msg)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / now.strftime(_TIME_FORMAT)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        done = subprocess.run(
            [program, *_OPTIONS, *_schema_option(url), f"--file={draft}", f"--dbname={url}"],
            capture_output=True,
            check=False,
        )
        if done.returncode:
            reason = "; ".join(done.stderr.decode(errors="replace").strip().splitlines())
            msg = (
                f"`pg_dump` could not back up {connection_name(url)}: {reason}. Nothing was "
                "written; its version has to be that of the server, or newer."
            )
            raise StoreError(msg)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def dumps_in(folder: Path) -> list[Backup]:
    """Return the dumps in a folder, the newest first."""
    paths = sorted(folder.glob(DUMP_NAMES), reverse=True)
    return [backup for path in paths if (backup := _dump_at(path)) is not None]


def _dump_at(path: Path) -> Backup | None:
    try:
        at = datetime.strptime(path.name, _TIME_FORMAT).replace(tzinfo=UTC)
        return Backup(path=path, at=at, size=path.stat().st_size, daily=False)
    except (OSError, ValueError):
        return None


def _schema_option(url: str) -> list[str]:
    """Leave out the memories of other people, whose schemas this role cannot read."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT quote_ident(current_schema()) WHERE current_schema() <> 'public' "
            "OR EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'ais_team')"
        ).fetchone()
    return [f"--schema={row[0]}"] if row else []

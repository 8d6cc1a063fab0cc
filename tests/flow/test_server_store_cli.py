"""The commands with a memory on a server: checked, moved to, used, backed up, forgotten."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ai_smartness.entrypoints.hooks.offline_search import open_index
from ai_smartness.settings.paths import HomePaths
from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from engines import POSTGRES, TEMPORARY
from postgres_server import MissingServerError, installed_programs, started_server


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def url() -> Iterator[str]:
    """Return the address of an empty memory."""
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    yield POSTGRES.url(TEMPORARY)
    POSTGRES.end_test()


def test_init_checks_the_server_and_uses_it_from_then_on(project: Path, url: str) -> None:
    made = ais("init", "--store", url, "--no-hooks", "--no-import", "--yes")

    assert made.exit_code == 0, made.output
    assert "PostgreSQL 18" in made.output
    assert "pgvector 0.8" in made.output
    assert "a socket of this machine" in made.output
    captured(project, said("the deploy key rotates every 90 days", id_="m1"))
    home = HomePaths(os.environ["AIS_HOME"])
    assert not Path(home.database).exists()
    assert "deploy key" in ais("search", "deploy").output
    assert "server    " in ais("status").output
    assert json.loads(ais("status", "--json").output)["messages"] == 1
    assert "intact" in ais("doctor").output


def test_init_changes_nothing_if_the_server_does_not_answer(project: Path) -> None:
    made = ais("init", "--store", "postgresql://ais@/memory?host=/tmp/ais-no-server", "--no-hooks")

    assert made.exit_code == 1
    assert "does not answer" in made.output
    assert ais("config", "get", "store.url").output.strip() == "none"
    assert project.exists()


@pytest.mark.usefixtures("project")
def test_a_password_is_never_written_into_the_settings() -> None:
    for command in (
        ("config", "set", "store.url", "postgresql://me:hunter2secret@localhost/memory"),
        ("config", "set", "store.url", "host=localhost user=me password=hunter2secret"),
        ("init", "--store", "postgresql://me:hunter2secret@localhost/memory", "--no-hooks"),
        ("move", "--to", "postgresql://me:hunter2secret@localhost/memory"),
    ):
        refused = ais(*command)
        assert refused.exit_code == 1
        assert ".pgpass" in refused.output
        assert "hunter2secret" not in refused.output
    files = [path for path in Path(os.environ["AIS_HOME"]).rglob("*") if path.is_file()]
    assert not [path for path in files if b"hunter2secret" in path.read_bytes()]


@pytest.fixture
def guarded_url() -> Iterator[str]:
    """Return the address of a database whose server wants a password: `sesame`."""
    try:
        with started_server() as server:
            server.run_sql("CREATE ROLE anna LOGIN PASSWORD 'sesame'")
            server.run_sql("CREATE DATABASE memory OWNER anna")
            server.run_sql("CREATE EXTENSION vector", "memory")
            rules = server.folder / "data" / "pg_hba.conf"
            rules.write_text(f"local memory anna scram-sha-256\n{rules.read_text()}")
            server.run_sql("SELECT pg_reload_conf()")
            yield server.url("memory").replace("//ais@", "//anna@")
    except MissingServerError as error:
        pytest.skip(f"postgres is needed and cannot be had: {error}")


@pytest.mark.usefixtures("project")
def test_a_missing_or_wrong_password_is_named_with_the_file_for_it(
    guarded_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init = ("init", "--store", guarded_url, "--no-hooks", "--no-import", "--yes")
    missing = ais(*init)
    monkeypatch.setenv("PGPASSWORD", "hunter2secret")
    wrong = ais(*init)
    monkeypatch.setenv("PGPASSWORD", "sesame")
    accepted = ais(*init)
    doctor = ais("doctor")

    for refused in (missing, wrong):
        assert refused.exit_code == 1
        assert "~/.pgpass" in refused.stderr
        assert "hunter2secret" not in refused.output
    assert accepted.exit_code == 0
    for answer in (accepted, doctor):
        assert "the daemon does not get PGPASSWORD" in " ".join(answer.output.split())
    (tmp_path / ".pgpass").write_text("*:*:memory:anna:sesame\n")
    (tmp_path / ".pgpass").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "PGPASSWORD" not in ais("doctor").output


def test_a_memory_that_is_moved_answers_as_before_and_the_file_stays(
    project: Path, url: str
) -> None:
    three_threads(project)
    home = HomePaths(os.environ["AIS_HOME"])
    before, size = ais("search", "rotate keys").output, Path(home.database).stat().st_size

    moved = ais("move", "--to", url)

    assert moved.exit_code == 0, moved.output
    assert "4 of 4 searches have the same answers" in moved.output
    assert ais("search", "rotate keys").output == before
    assert Path(home.database).stat().st_size == size
    # A hook without a daemon must not answer from the file of before.
    assert open_index(home.database, str(project), float("inf")) is None
    again = ais("move", "--to", url)
    assert again.exit_code == 1
    assert "holds a memory already" in again.output


def test_what_is_forgotten_on_a_server_names_what_is_out_of_reach(project: Path, url: str) -> None:
    captured(project, said("zanzibarine is a secret word", id_="m1"), said("other", id_="m2"))
    assert ais("move", "--to", url).exit_code == 0

    forgotten = ais("forget", "matching", "zanzibarine", "--yes")

    assert forgotten.exit_code == 0, forgotten.output
    assert "none was found" in forgotten.output
    assert "write-ahead log: it is given free at a checkpoint, every 5 minutes" in forgotten.output
    assert "archive_mode is off" in forgotten.output
    assert "none is connected now" in forgotten.output
    assert "memory.db: rewritten" in forgotten.output
    assert ais("search", "zanzibarine").output.count("zanzibarine") == 0


def test_a_dump_is_listed_and_a_deletion_names_it_or_removes_it(
    project: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{installed_programs()}{os.pathsep}{os.environ['PATH']}")
    captured(project, said("zanzibarine is a secret word", id_="m1"), said("other", id_="m2"))
    assert ais("move", "--to", url).exit_code == 0
    assert ais("backup").exit_code == 0
    (listed,) = json.loads(ais("backup", "list", "--json").output)
    assert Path(listed["path"]).name in ais("backup", "list").output

    forgotten = ais("forget", "matching", "zanzibarine", "--yes")

    assert f"the dump {listed['path']}" in forgotten.output
    assert "`--backups remove`" in forgotten.output
    assert ais("forget", "message", "m2", "--backups", "remove", "--yes").exit_code == 0
    assert not Path(listed["path"]).exists()


def test_a_move_to_a_memory_is_refused_by_a_dry_run_too(project: Path, url: str) -> None:
    captured(project, said("in the file", id_="m1"))
    assert ais("move", "--to", url, "--dry-run").exit_code == 0
    assert ais("move", "--to", url).exit_code == 0
    assert ais("config", "set", "store.url", "none").exit_code == 0

    refused = ais("move", "--to", url, "--dry-run")

    assert refused.exit_code == 1
    assert "holds a memory already" in refused.output


def test_the_answer_of_a_deletion_names_the_slots_of_the_server(project: Path, url: str) -> None:
    captured(project, said("zanzibarine is a secret word", id_="m1"), said("other", id_="m2"))
    assert ais("move", "--to", url).exit_code == 0
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_create_physical_replication_slot('a_standby', true)")
        forgotten = ais("forget", "matching", "zanzibarine", "--yes", "--json")
        connection.execute("SELECT pg_drop_replication_slot('a_standby')")

    (log,) = [text for text in json.loads(forgotten.output)["unreached"] if "write-ahead" in text]

    assert re.search(r"a_standby \d+ MB now and nobody reads it", log)


def test_a_server_is_not_restored_from_files(project: Path, url: str) -> None:
    assert ais("init", "--store", url, "--no-hooks", "--no-import").exit_code == 0

    refused = ais("restore")

    assert refused.exit_code == 1
    assert "pg_restore" in refused.output
    assert project.exists()


def test_a_memory_comes_back_to_its_file(project: Path, url: str) -> None:
    captured(project, said("in the file", id_="m1"))
    assert ais("init", "--store", url, "--no-hooks", "--no-import").exit_code == 0
    captured(project, said("on the server", id_="m2"))

    assert ais("config", "set", "store.url", "none").exit_code == 0

    assert "in the file" in ais("search", "file").output
    home = HomePaths(os.environ["AIS_HOME"])
    assert not Path(home.server_mark).exists()

"""The server of a memory goes away and comes back: prompts are not held up, nothing is lost."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ai_smartness import Memory
from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import StoreError
from builders import said, stored
from daemons import asked, kept_ids, running
from hooking import Ran, an_event, hooked
from postgres_server import MissingServerError, PostgresServer, started_server

DEPLOYED = "we deploy on tuesdays with fabric"
ASKED = "on which of the days do we deploy the shop with fabric?"


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    try:
        with started_server() as server:
            server.run_sql("CREATE DATABASE memory")
            yield server
    except MissingServerError as error:
        pytest.skip(f"postgres is needed and cannot be had: {error}")


@pytest.fixture
def home(tmp_path: Path, server: PostgresServer) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(f'[store]\nurl = "{server.url("memory")}"\n')
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    return project


def wait_for_copy(home: Path, text: str) -> None:
    """Wait until the daemon has copied a message; the inbox is drained meanwhile."""
    while text not in copied_texts(home):
        asked(home, "drain", seconds=60)


def copied_texts(home: Path) -> list[str]:
    file = home / "read-copy.db"
    if not file.exists():
        return []
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        try:
            return [row[0] for row in connection.execute("SELECT text FROM events")]
        except sqlite3.OperationalError:
            return []  # it is being made


def prompted(home: Path, project: Path, text: str, session: str) -> Ran:
    """Run the hook as a client does before a prompt."""
    fields = {"prompt": text, "cwd": str(project), "session_id": session, "prompt_id": text[:5]}
    return hooked(home, an_event("UserPromptSubmit", **fields))


def test_prompts_go_on_without_the_server_and_the_inbox_drains_when_it_is_back(
    home: Path, project: Path, server: PostgresServer
) -> None:
    with running(home):
        prompted(home, project, DEPLOYED, "s1")
        assert asked(home, "drain", seconds=60)["left"] == 0

        server.stop()
        ran = prompted(home, project, ASKED, "s2")
        assert ran.is_harmless
        assert b"tuesdays" not in ran.printed
        assert asked(home, "drain", seconds=1)["left"] == 1

        server.start()
        while asked(home, "drain", seconds=60)["left"]:
            pass  # the daemon tries again by itself, after a pause

        assert len(kept_ids(home, project)) == 2
        shown = prompted(home, project, "on which day do we deploy with fabric?", "s3")
        assert b"tuesdays" in shown.printed


def test_with_a_read_copy_prompts_are_answered_while_the_server_is_away(
    home: Path, project: Path, server: PostgresServer
) -> None:
    with (home / "config.toml").open("a") as settings:
        settings.write("[team]\nread_copy = true\n")
    with running(home):
        prompted(home, project, DEPLOYED, "s1")
        wait_for_copy(home, DEPLOYED)

        server.stop()

        ran = prompted(home, project, ASKED, "s2")
        assert ran.is_harmless
        assert b"tuesdays" in ran.printed


def test_what_is_forgotten_on_the_server_leaves_the_copy(
    home: Path, project: Path, server: PostgresServer
) -> None:
    with (home / "config.toml").open("a") as settings:
        settings.write("[team]\nread_copy = true\n")
    with running(home):
        prompted(home, project, DEPLOYED, "s1")
        wait_for_copy(home, DEPLOYED)

        with closing(PostgresStore.open(server.url("memory"))) as store:
            (seq,) = store.erasure.selected_seqs(Selection(session="s1"))
            with store.erasure.deletion_allowed():
                store.erasure.remove_events([seq])
        prompted(home, project, "invoices have a due date", "s2")
        wait_for_copy(home, "invoices have a due date")

        assert DEPLOYED not in copied_texts(home)


def test_without_a_copy_the_memory_that_was_here_before_the_server_answers(
    home: Path, project: Path, server: PostgresServer
) -> None:
    name = str(project.resolve())
    with Memory.open(home / "memory.db", project=name) as memory:
        memory.capture(said(DEPLOYED, session="s1"))
    with running(home):
        asked(home, "drain", seconds=60)
        prompted(home, project, "invoices have a due date", "s2")

        server.stop()

        ran = prompted(home, project, ASKED, "s3")
        assert ran.is_harmless
        assert b"tuesdays" in ran.printed


def test_a_unit_whose_server_is_gone_says_so_and_leaves_the_connections_usable(
    server: PostgresServer,
) -> None:
    with closing(PostgresStore.open(server.url("memory"))) as store:
        stored(store, "before")
        server.stop()

        for _ in range(3):
            with pytest.raises(StoreError, match="does not answer"), store.unit("demo"):
                store.events.last_seq("demo")

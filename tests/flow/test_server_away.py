"""The server of a memory goes away and comes back: prompts are not held up, nothing is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemons import asked, kept_ids, running
from hooking import Ran, an_event, hooked
from postgres_server import MissingServerError, PostgresServer, started_server


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


def prompted(home: Path, project: Path, text: str, session: str) -> Ran:
    """Run the hook as a client does before a prompt."""
    fields = {"prompt": text, "cwd": str(project), "session_id": session, "prompt_id": text[:5]}
    return hooked(home, an_event("UserPromptSubmit", **fields))


def test_prompts_go_on_without_the_server_and_the_inbox_drains_when_it_is_back(
    home: Path, project: Path, server: PostgresServer
) -> None:
    with running(home):
        prompted(home, project, "we deploy on tuesdays with fabric", "s1")
        assert asked(home, "drain", seconds=60)["left"] == 0

        server.stop()
        ran = prompted(home, project, "how do we deploy with fabric?", "s2")
        assert ran.is_harmless
        assert b"tuesdays" not in ran.printed
        assert asked(home, "drain", seconds=1)["left"] == 1

        server.start()
        while asked(home, "drain", seconds=60)["left"]:
            pass  # the daemon tries again by itself, after a pause

        assert len(kept_ids(home, project)) == 2
        shown = prompted(home, project, "on which day do we deploy with fabric?", "s3")
        assert b"tuesdays" in shown.printed

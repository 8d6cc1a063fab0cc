"""Whatever happens in the middle of a restore, the memory is intact and no message is lost."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import restore_killing
from ai_smartness.adapters.sqlite.file_lock import locked_for_replacing
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.model.errors import StoreError
from builders import said
from command_line import ais, captured, standing_in_a_project
from daemons import kept_ids
from hooking import an_event, hooked, log_of

ROUNDS = 6
"""More than a restore has steps. A hundred: `python tests/restore_killing.py FOLDER killed 100`."""


@pytest.mark.parametrize("how", ["killed", "arrival"])
def test_no_step_of_a_restore_can_be_disturbed(tmp_path: Path, how: str) -> None:
    done = subprocess.run(
        [sys.executable, restore_killing.__file__, str(tmp_path), how, str(ROUNDS)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
    )

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == ROUNDS
    assert all(re.search(r", intact, 0 of \d+ lost$", line) for line in lines), done.stdout
    wanted = ": killed," if how == "killed" else ": ended with 0,"
    assert any(wanted in line for line in lines), done.stdout


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_nobody_opens_a_memory_while_it_is_replaced(tmp_path: Path, project: Path) -> None:
    captured(project, said("before", id_="m1"))
    database = tmp_path / "home" / "memory.db"

    with locked_for_replacing(database, 0):
        with pytest.raises(StoreError, match="is being replaced by a backup"):
            SqliteStore.open(database, busy_timeout_ms=0)
        ran = hooked(
            tmp_path / "home", an_event("UserPromptSubmit", prompt="before", cwd=str(project))
        )

    assert ran.is_harmless
    assert not ran.printed
    assert "trouble" not in log_of(tmp_path / "home")[-1]
    assert kept_ids(tmp_path / "home", project) == ["m1"]


def test_a_second_name_of_the_memory_that_a_killed_restore_left_is_removed(
    tmp_path: Path, project: Path
) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    home = tmp_path / "home"
    alias = home / "memory.db.replaced-20260101-000000"
    os.link(home / "memory.db", alias)

    ran = ais("restore")

    assert ran.exit_code == 0, ran.output
    assert not alias.exists()
    assert len(list(home.glob("memory.db.replaced-*"))) == 1
    assert kept_ids(home, project) == ["m1"]

"""Back a memory up and put it back."""

import json
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from ai_smartness.adapters.sqlite.backup_files import SqliteBackups
from ai_smartness.entrypoints.daemon.periodic_checks import DailyBackup
from ai_smartness.model.errors import StoreError
from ai_smartness.settings.paths import HomePaths
from builders import NOON, a_memory, said
from command_line import ais, captured, standing_in_a_project
from daemons import captured as in_the_inbox
from daemons import record


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def quiet(_done: int, _total: int) -> None:
    """Tell nobody."""


def _same(at: datetime) -> datetime:
    return at


def the_backup(home: Path) -> Path:
    (path,) = (home / "backups").iterdir()
    return path


def complaints(path: Path) -> str:
    connection = sqlite3.connect(path)
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    found += [str(row) for row in connection.execute("PRAGMA foreign_key_check")]
    connection.close()
    return "; ".join(each for each in found if each != "ok")


def test_a_backup_is_one_whole_file_for_its_owner_alone(home: Path, project: Path) -> None:
    captured(project, said("rotate the JWT keys", id_="m1"))

    ran = ais("backup")

    assert ran.exit_code == 0
    path = the_backup(home)
    assert str(path) in ran.stdout
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    with a_memory(path, project=str(project)) as memory:
        assert memory.message("m1").text == "rotate the JWT keys"


def test_backups_are_listed_the_newest_first(project: Path) -> None:
    captured(project, said("first", id_="m1"))
    ais("backup")
    ais("backup")

    listed = json.loads(ais("backup", "list", "--json").stdout)

    assert len(listed) == 2
    assert listed[0]["at"] > listed[1]["at"]
    assert {each["daily"] for each in listed} == {False}
    assert listed[0]["path"].rpartition("/")[2] in ais("backup", "list").stdout


def test_a_backup_can_go_to_another_folder(tmp_path: Path, project: Path) -> None:
    captured(project, said("first", id_="m1"))

    ran = ais("backup", "--to", str(tmp_path / "stick"))

    assert ran.exit_code == 0
    assert len(list((tmp_path / "stick").iterdir())) == 1
    assert "There is no backup" in ais("backup", "list").stdout


def test_where_backups_go_can_be_set(tmp_path: Path, project: Path) -> None:
    captured(project, said("first", id_="m1"))

    ais("backup", AIS_BACKUP_FOLDER=str(tmp_path / "elsewhere"))

    assert len(list((tmp_path / "elsewhere").iterdir())) == 1


def test_without_a_memory_there_is_nothing_to_back_up(home: Path) -> None:
    ran = ais("backup")

    assert ran.exit_code == 3
    assert "ais init" in ran.stderr
    assert not home.exists()


def test_a_folder_that_is_a_file_is_refused_with_the_way_out(tmp_path: Path, project: Path) -> None:
    captured(project, said("first", id_="m1"))
    (tmp_path / "file").touch()

    ran = ais("backup", "--to", str(tmp_path / "file" / "inside"))

    assert ran.exit_code == 1
    assert "cannot keep backups in" in ran.stderr


WRITES = """
import sys
from pathlib import Path
from ai_smartness.model.event import Message
from builders import a_memory
path, session = Path(sys.argv[1]), sys.argv[2]
with a_memory(path, embedder=lambda: None) as memory:
    print("ready", flush=True)
    for number in range(10_000):
        memory.capture(Message(id=f"{session}-{number}", session=session, text=f"line {number}"))
        if number == 5:
            print("going", flush=True)
"""


def test_a_backup_made_while_eight_processes_write_is_consistent(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        memory.capture([said(f"line {n} " * 20, id_=f"m{n}") for n in range(2_000)])
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITES, path, f"s{number}"],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        for number in range(8)
    ]
    try:
        for each in writers:
            assert each.stdout is not None
            assert each.stdout.readline() == b"ready\n"
            assert each.stdout.readline() == b"going\n"
        kept = SqliteBackups(path, tmp_path / "backups")
        made = [kept.make_backup(NOON, quiet) for _ in range(3)]
        assert all(each.poll() is None for each in writers)
    finally:
        for each in writers:
            each.kill()
            each.communicate()

    assert len({each.path for each in made}) == 3
    for backup in made:
        assert complaints(backup.path) == ""
        with a_memory(backup.path) as memory:
            ids = [event.id for event in memory._store.events.after_seq("demo", 0, 100_000)]  # noqa: SLF001
        # Of each session all that was said up to a moment, without a gap.
        for session in (f"s{number}" for number in range(8)):
            own = [id_ for id_ in ids if id_.startswith(f"{session}-")]
            assert own == [f"{session}-{number}" for number in range(len(own))]
            assert len(own) > 5


def test_what_is_captured_between_two_steps_is_kept_and_not_in_the_backup(tmp_path: Path) -> None:
    kept = SqliteBackups(tmp_path / "memory.db", tmp_path / "backups")
    with a_memory(tmp_path / "memory.db") as memory:
        memory.capture(said("before", id_="m1"))

        def say(_done: int, _total: int) -> None:
            memory.capture(said("now", id_="m2"))

        made = kept.make_backup(NOON, say)

        assert memory.message("m2").text == "now"
    with a_memory(made.path) as backup:
        assert backup.status().events == 1


def test_a_backup_that_is_called_off_leaves_nothing(tmp_path: Path) -> None:
    kept = SqliteBackups(tmp_path / "memory.db", tmp_path / "backups")
    with a_memory(tmp_path / "memory.db") as memory:
        memory.capture(said("before", id_="m1"))

    def call_off(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.make_backup(NOON, call_off)

    assert list((tmp_path / "backups").iterdir()) == []


def test_a_daily_backup_is_made_when_something_has_changed_and_older_ones_go(
    home: Path, project: Path
) -> None:
    captured(project, said("first", id_="m1"))
    today = datetime.now(UTC)
    days = [today + timedelta(days=number) for number in range(10)]
    made = []
    for day in days:
        os.utime(home / "memory.db", (day.timestamp() - 60,) * 2)
        made.append(DailyBackup(str(home), partial(_same, day)).back_up_if_due(quiet))

    assert made == [True] * 10
    assert not DailyBackup(str(home), lambda: days[-1] + timedelta(hours=1)).back_up_if_due(quiet)
    kept = SqliteBackups(home / "memory.db", home / "backups").all()
    assert {each.at.date() for each in kept} >= {day.date() for day in days[-3:]}
    assert len(kept) <= 6
    assert all(each.daily for each in kept)


def test_nothing_is_backed_up_where_nothing_changed(home: Path, project: Path) -> None:
    captured(project, said("first", id_="m1"))
    now = datetime.now(UTC)
    assert DailyBackup(str(home), lambda: now).back_up_if_due(quiet)

    assert not DailyBackup(str(home), lambda: now + timedelta(days=3)).back_up_if_due(quiet)


def test_daily_backups_can_be_turned_off(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured(project, said("first", id_="m1"))
    monkeypatch.setenv("AIS_BACKUP_AUTOMATIC", "false")

    assert not DailyBackup(str(home), lambda: datetime.now(UTC)).back_up_if_due(quiet)


def test_no_daily_backup_is_made_of_a_memory_that_is_not_there(home: Path) -> None:
    assert not DailyBackup(str(home), lambda: NOON).back_up_if_due(quiet)
    assert not home.exists()


def test_a_damaged_memory_is_noticed_by_its_daily_backup_and_older_ones_stay(
    home: Path, project: Path
) -> None:
    captured(project, *(said(f"message {number} " * 50) for number in range(300)))
    now = datetime.now(UTC)
    assert DailyBackup(str(home), lambda: now).back_up_if_due(quiet)
    file = home / "memory.db"
    content = bytearray(file.read_bytes())
    content[20 * 4096 : 30 * 4096] = b"\x55" * (10 * 4096)
    file.write_bytes(content)
    os.utime(file, ((now + timedelta(days=1)).timestamp(),) * 2)

    with pytest.raises(StoreError, match=r"damaged.*ais restore latest"):
        DailyBackup(str(home), lambda: now + timedelta(days=2)).back_up_if_due(quiet)

    assert len(list((home / "backups").iterdir())) == 1


def test_where_the_daemon_meets_its_hooks_is_not_part_of_a_backup(
    home: Path, project: Path
) -> None:
    captured(project, said("first", id_="m1"))
    in_the_inbox(home, record(project, "m2"))

    ais("backup")

    assert [path.suffix for path in (home / "backups").iterdir()] == [".db"]
    assert Path(HomePaths(str(home)).inbox).exists()

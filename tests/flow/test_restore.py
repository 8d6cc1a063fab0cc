"""A backup is put in the place of the memory, which is kept."""

import json
import sqlite3
from pathlib import Path

import pytest

from ai_smartness.adapters.sqlite.migrations import MIGRATIONS, Migration
from ai_smartness.adapters.sqlite.open_database import open_database
from ai_smartness.memory import Memory
from builders import a_memory, said
from command_line import ais, captured, standing_in_a_project
from daemons import asked, kept_ids, record, running
from daemons import captured as in_the_inbox

LATER = (*MIGRATIONS, Migration(MIGRATIONS[-1].number + 1, "a test", ("CREATE TABLE later (x)",)))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def the_backup(home: Path) -> Path:
    (path,) = (home / "backups").iterdir()
    return path


def test_what_was_backed_up_is_restored_and_what_was_there_is_kept(
    home: Path, project: Path
) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    captured(project, said("after", id_="m2"))

    ran = ais("restore")

    assert ran.exit_code == 0, ran.output
    assert kept_ids(home, project) == ["m1"]
    (old,) = home.glob("memory.db.replaced-*")
    assert str(old) in ran.stdout
    assert "ais import" in ran.stdout
    assert old.stat().st_mode & 0o777 == 0o600
    with a_memory(old, project=str(project)) as memory:
        assert memory.message("m2").text == "after"
    assert not list(home.glob("memory.db.restoring-*"))


def test_a_restore_can_be_taken_back_by_restoring_what_was_kept(home: Path, project: Path) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    captured(project, said("after", id_="m2"))
    ais("restore")
    (old,) = home.glob("memory.db.replaced-*")

    ran = ais("restore", str(old))

    assert ran.exit_code == 0, ran.output
    assert kept_ids(home, project) == ["m1", "m2"]


def test_a_dry_run_says_the_same_and_changes_nothing(home: Path, project: Path) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    captured(project, said("after", id_="m2"))
    before = sorted(path.name for path in home.iterdir())

    told = json.loads(ais("restore", "latest", "--dry-run", "--json").stdout)

    assert told["contents"]["events"] == 1
    assert told["before"]["events"] == 2
    assert told["backup"] == str(the_backup(home))
    assert kept_ids(home, project) == ["m1", "m2"]
    assert sorted(path.name for path in home.iterdir()) == before


def test_the_newest_good_backup_is_taken_where_the_newest_is_damaged(
    home: Path, project: Path
) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    captured(project, said("after", id_="m2"))
    ais("backup")
    newest = max((home / "backups").iterdir())
    newest.write_bytes(newest.read_bytes()[:20_000])

    ran = ais("restore", "latest")

    assert ran.exit_code == 0
    assert f"cannot restore {newest}: it is damaged" in ran.stderr
    assert kept_ids(home, project) == ["m1"]


def test_a_damaged_backup_is_refused_and_nothing_changes(home: Path, project: Path) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    path = the_backup(home)
    path.write_bytes(path.read_bytes()[:20_000])
    before = (home / "memory.db").read_bytes()

    ran = ais("restore", path.name)

    assert ran.exit_code == 1
    assert "it is damaged" in ran.stderr
    assert (home / "memory.db").read_bytes() == before
    assert not list(home.glob("memory.db.r*"))


def test_what_is_no_backup_is_refused(home: Path, project: Path, tmp_path: Path) -> None:
    captured(project, said("before", id_="m1"))
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()

    assert "is not a backup of a memory" in ais("restore", str(other)).stderr
    assert ais("restore", "nowhere.db").exit_code == 3
    assert "no intact backup" in ais("restore").stderr
    assert kept_ids(home, project) == ["m1"]


def test_a_backup_from_the_future_is_refused(home: Path, project: Path, tmp_path: Path) -> None:
    captured(project, said("before", id_="m1"))
    later = tmp_path / "later.db"
    open_database(later, migrations=LATER).close()

    ran = ais("restore", str(later))

    assert ran.exit_code == 1
    assert "a newer ai_smartness wrote it" in ran.stderr
    assert kept_ids(home, project) == ["m1"]


def test_a_backup_from_before_is_brought_up_to_date_when_it_is_opened(
    home: Path, project: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.db"
    database = open_database(old, migrations=MIGRATIONS[:1])
    database.run("INSERT INTO projects (name) VALUES (?)", (str(project),))
    database.close()

    ran = ais("restore", str(old))

    assert ran.exit_code == 0, ran.output
    with Memory.open(project=project, home=home) as memory:
        memory.capture(said("from now on", id_="m1"))
        assert memory.message("m1").text == "from now on"


def test_a_restore_puts_a_memory_where_there_is_none(home: Path, project: Path) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    (home / "memory.db").unlink()

    ran = ais("restore")

    assert ran.exit_code == 0, ran.output
    assert kept_ids(home, project) == ["m1"]


def test_a_restore_that_was_killed_leaves_the_memory_and_no_litter(
    home: Path, project: Path
) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    (home / "memory.db.restoring-20260101-000000").write_bytes(b"half of a copy")
    assert kept_ids(home, project) == ["m1"]

    assert ais("restore").exit_code == 0

    assert not list(home.glob("*restoring*"))


def test_a_memory_that_is_linked_from_elsewhere_stays_so(
    home: Path, project: Path, tmp_path: Path
) -> None:
    captured(project, said("before", id_="m1"))
    disk = tmp_path / "disk"
    disk.mkdir()
    (home / "memory.db").rename(disk / "memory.db")
    (home / "memory.db").symlink_to(disk / "memory.db")
    ais("backup")
    captured(project, said("after", id_="m2"))

    ran = ais("restore")

    assert ran.exit_code == 0, ran.output
    assert (home / "memory.db").is_symlink()
    assert kept_ids(home, project) == ["m1"]
    assert len(list(disk.glob("memory.db.replaced-*"))) == 1


def test_a_restore_waits_for_nobody_who_has_the_memory_open(home: Path, project: Path) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")

    with Memory.open(project=project, home=home) as memory:
        memory.capture(said("open", id_="m2"))
        ran = ais("restore")
        assert memory.message("m2").text == "open"

    assert ran.exit_code == 1
    assert "another program has" in ran.stderr
    assert kept_ids(home, project) == ["m1", "m2"]


def test_the_daemon_is_ended_and_the_inbox_is_kept_while_a_backup_is_restored(
    home: Path, project: Path
) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    with running(home) as daemon:
        in_the_inbox(home, record(project, "m2"))
        assert asked(home, "drain", seconds=30)["left"] == 0

        ran = ais("restore")
        assert ran.exit_code == 0, ran.output
        assert daemon.process.wait(60) == 0

    in_the_inbox(home, record(project, "m3"))
    with running(home):
        assert asked(home, "drain", seconds=30)["left"] == 0
    assert kept_ids(home, project) == ["m1", "m3"]


def test_the_index_of_the_vectors_is_not_taken_over(home: Path, project: Path) -> None:
    captured(project, said("before", id_="m1"))
    ais("backup")
    graphs = home / "memory.db.vectors"
    graphs.mkdir()
    (graphs / "project-1-space-1.graph").write_bytes(b"of other rows")

    ais("restore")

    assert not graphs.exists()
    (old,) = home.glob("memory.db.replaced-*.vectors")
    assert (old / "project-1-space-1.graph").exists()

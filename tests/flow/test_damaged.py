"""A memory whose file is damaged: noticed, kept, and had again as far as it can be."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ai_smartness import Memory
from ai_smartness.model.errors import AisError, StoreError
from builders import said
from command_line import ais, captured, standing_in_a_project
from daemons import asked, kept_ids, record, running
from daemons import captured as in_the_inbox
from hooking import an_event, hooked, kept_in

MESSAGES = 300
PAGE = 4096


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def home(tmp_path: Path, project: Path) -> Path:
    """Prepare a memory with a backup, and say something since."""
    assert ais("init").exit_code == 0
    captured(project, *(said(f"message {n} " * 50, id_=f"m{n}", minute=n) for n in range(MESSAGES)))
    assert ais("backup").exit_code == 0
    captured(project, said("said since", id_="since"))
    return tmp_path / "home"


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def cut_within_its_first_page(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:1000])


def flip_bytes_in_its_pages(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for start in range(2 * PAGE, len(content), 3 * PAGE):
        for place in range(start, min(start + PAGE, len(content)), 7):
            content[place] ^= 0xFF
    file.write_bytes(content)


def spoil_its_header(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[:16] = b"not SQLite at al"
    file.write_bytes(content)


def leave_nothing(file: Path) -> None:
    file.write_bytes(b"")
    long_ago = file.stat().st_mtime - 3600
    os.utime(file, (long_ago, long_ago))


def put_something_else_there(file: Path) -> None:
    file.write_text("dear diary, today " * 1000)


DAMAGES = [
    cut_in_half,
    cut_within_its_first_page,
    flip_bytes_in_its_pages,
    spoil_its_header,
    leave_nothing,
    put_something_else_there,
]
damaged = pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: str(each.__name__))


@damaged
def test_the_doctor_notices_and_says_the_way_back(
    home: Path,
    damage: Callable[[Path], None],
) -> None:
    damage(home / "memory.db")

    ran = ais("doctor", "--json")

    found = {each["check"]: each["found"] for each in json.loads(ran.stdout) if not each["ok"]}
    assert ran.exit_code == 1
    assert "ais restore latest" in found["memory"]


@damaged
def test_nothing_is_written_to_a_damaged_file_as_if_it_were_a_new_one(
    home: Path,
    project: Path,
    damage: Callable[[Path], None],
) -> None:
    damage(home / "memory.db")

    def use() -> None:
        with Memory.open(project=project, home=home) as memory:
            memory.check() and pytest.fail("it was opened, and is found damaged")
            memory.capture([said("more", id_=f"n{n}") for n in range(100)])
            memory.search("message")

    # Found damaged when it is opened, checked or used: never taken for an empty one.
    with pytest.raises((AisError, pytest.fail.Exception)):
        use()


@damaged
def test_the_newest_good_backup_takes_its_place_and_the_damaged_file_is_kept(
    home: Path,
    project: Path,
    damage: Callable[[Path], None],
) -> None:
    damage(home / "memory.db")
    content = (home / "memory.db").read_bytes()

    ran = ais("restore", "latest")

    assert ran.exit_code == 0, ran.output
    assert "damaged" in ran.stdout
    assert len(kept_ids(home, project)) == MESSAGES
    (kept,) = home.glob("memory.db.damaged-*[0-9]")
    assert kept.read_bytes() == content
    assert ais("status").exit_code == 0


@damaged
def test_what_hooks_capture_meanwhile_waits_in_the_inbox_and_is_stored_afterwards(
    home: Path,
    project: Path,
    damage: Callable[[Path], None],
) -> None:
    damage(home / "memory.db")
    in_the_inbox(home, record(project, "meanwhile", "said while it was damaged"))
    with running(home):
        asked(home, "drain", seconds=1)

    assert ais("restore", "latest").exit_code == 0

    with running(home):
        # Longer than the daemon waits before it repeats an attempt that failed.
        assert asked(home, "drain", seconds=50)["left"] == 0
    # Where the damage was not in what a capture touches, it may have been stored before.
    (kept,) = home.glob("memory.db.damaged-*[0-9]")
    assert "meanwhile" in kept_ids(home, project) or _holds(kept, "meanwhile")


def _holds(file: Path, id_: str) -> bool:
    connection = sqlite3.connect(file)
    try:
        return bool(connection.execute("SELECT 1 FROM events WHERE id = ?", (id_,)).fetchall())
    except sqlite3.Error:
        return False
    finally:
        connection.close()


@damaged
def test_a_hook_goes_on_capturing(
    home: Path,
    project: Path,
    damage: Callable[[Path], None],
) -> None:
    damage(home / "memory.db")

    ran = hooked(home, an_event("UserPromptSubmit", cwd=str(project), prompt="what about tokens?"))

    assert ran.is_harmless
    assert [each["text"] for each in kept_in(home)] == ["what about tokens?"]


def test_the_daemon_says_what_is_wrong_and_how_to_go_on(home: Path, project: Path) -> None:
    spoil_its_header(home / "memory.db")
    in_the_inbox(home, record(project, "meanwhile"))

    with running(home):
        left = asked(home, "drain", seconds=30)["left"]
        trouble = str(asked(home, "status")["trouble"])

    assert left == 1
    assert "ais restore latest" in trouble


def test_without_a_backup_one_can_begin_anew_and_the_file_is_kept(
    home: Path,
    project: Path,
) -> None:
    for each in (home / "backups").iterdir():
        each.unlink()
    cut_in_half(home / "memory.db")
    content = (home / "memory.db").read_bytes()

    refused = ais("restore")
    ran = ais("restore", "--begin-anew")

    assert refused.exit_code == 3
    assert "ais restore --begin-anew" in refused.stderr
    assert ran.exit_code == 0, ran.output
    assert "ais import" in ran.stdout
    assert kept_ids(home, project) == []
    (kept,) = home.glob("memory.db.damaged-*[0-9]")
    assert kept.read_bytes() == content


def test_a_memory_that_has_gone_is_missed_where_there_are_backups(home: Path) -> None:
    for each in home.glob("memory.db*"):
        each.unlink()

    ran = ais("doctor", "--json")

    (found,) = [each["found"] for each in json.loads(ran.stdout) if each["check"] == "memory"]
    assert "ais restore latest" in found


def test_an_empty_file_is_a_new_memory_where_there_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    file = tmp_path / "home" / "memory.db"
    file.touch(0o600)
    os.utime(file, (0, 0))

    assert ais("status").exit_code == 0


def test_the_error_on_opening_names_the_way_back(home: Path, project: Path) -> None:
    leave_nothing(home / "memory.db")

    with pytest.raises(StoreError, match=r"damaged.*ais restore latest.*ais import.*inbox"):
        Memory.open(project=project, home=home)

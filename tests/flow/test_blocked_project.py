"""One project that cannot be used does not stop the others."""

import os
from pathlib import Path

import pytest

from ai_smartness.memory import Memory
from command_line import ais
from daemons import asked, captured, here, kept_ids, record


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    monkeypatch.delenv("AIS_HOME", raising=False)
    return tmp_path / "home"


def a_project(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".ai").mkdir()
    return folder


def left(home: Path) -> object:
    return asked(home, "drain", seconds=30)["left"]


def broken_text(settings: Path) -> None:
    settings.write_text("[place\n")


def link_to_a_device(settings: Path) -> None:
    settings.symlink_to("/dev/zero")


def pipe(settings: Path) -> None:
    os.mkfifo(settings)


@pytest.mark.parametrize("break_file", [broken_text, link_to_a_device, pipe])
def test_broken_settings_of_one_project_hold_up_that_project_alone(
    home: Path, tmp_path: Path, break_file: object
) -> None:
    broken, fine = a_project(tmp_path / "broken"), a_project(tmp_path / "fine")
    settings = broken / ".ai" / "config.toml"
    assert callable(break_file)
    break_file(settings)
    captured(home, record(broken, "b1"), record(fine, "f1"), record(broken, "b2"))
    with here(home):
        assert left(home) == 2
        assert kept_ids(home, fine) == ["f1"]
        captured(home, record(broken, "b3"), record(fine, "f2"))
        assert left(home) == 3
        assert kept_ids(home, fine) == ["f1", "f2"]

        settings.unlink()
        assert left(home) == 0

    assert kept_ids(home, broken) == ["b1", "b2", "b3"]


def test_what_waits_outlives_the_daemon(home: Path, tmp_path: Path) -> None:
    broken = a_project(tmp_path / "broken")
    broken_text(broken / ".ai" / "config.toml")
    captured(home, record(broken, "b1", "the text that waits"))
    with here(home):
        assert left(home) == 1
    (broken / ".ai" / "config.toml").unlink()
    with here(home):
        assert left(home) == 0

    assert kept_ids(home, broken) == ["b1"]
    with Memory.open(project=broken, home=home) as memory:
        assert memory.message("b1").text == "the text that waits"


def test_doctor_names_the_project_that_waits_and_why(home: Path, tmp_path: Path) -> None:
    broken, fine = a_project(tmp_path / "broken"), a_project(tmp_path / "fine")
    broken_text(broken / ".ai" / "config.toml")
    captured(home, record(broken, "b1"), record(fine, "f1"))
    with here(home):
        assert left(home) == 1
    (fine / ".aiignore").symlink_to("/dev/zero")

    done = ais("--home", str(home), "--project", str(fine), "doctor")

    assert f"1 record of {broken}" in done.output
    assert "is not a TOML file" in done.output
    assert ".aiignore" in done.output
    assert "it is not a regular file" in done.output


def test_deletion_reaches_what_waits(home: Path, tmp_path: Path) -> None:
    broken, fine = a_project(tmp_path / "broken"), a_project(tmp_path / "fine")
    broken_text(broken / ".ai" / "config.toml")
    captured(
        home,
        record(broken, "b1", "the pangolin said so"),
        record(broken, "b2", "else"),
        record(fine, "f1", "a pangolin, too"),
    )
    with here(home):
        assert left(home) == 2

    place = ("--home", str(home), "--project", str(fine))
    done = ais(*place, "forget", "matching", "pangolin", "--everywhere", "--yes")
    assert done.exit_code == 0, done.output

    waiting = "".join(path.read_text() for path in (home / "inbox").iterdir())
    assert "pangolin" not in waiting
    assert "else" in waiting

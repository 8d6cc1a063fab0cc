"""Files of settings that are not as one would like them: mended for, or refused and left alone."""

import os
import stat
from pathlib import Path

import pytest

from command_line import ais, standing_in_a_project
from fake_client import FOREIGN, said_in
from terminal import terminal


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def local(project: Path) -> Path:
    """Name the project's file of settings, in its folder."""
    (project / ".claude").mkdir()
    return project / ".claude" / "settings.local.json"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is not JSON"),
        (b'{"a": 1} // mine', "is not JSON"),
        (b'{"a": NaN}', "NaN is no number"),
        (b"[]", "holds no object"),
        (b'{"hooks": []}', "`hooks` is no object"),
        (b'{"hooks": {"Stop": "x"}}', "`hooks.Stop` is no list"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_what_cannot_be_understood_is_refused_and_left_alone(
    tmp_path: Path, local: Path, content: bytes, said: str
) -> None:
    local.write_bytes(content)

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert str(local) in ran.stderr
    assert said in ran.stderr
    assert local.read_bytes() == content
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{}",
        b"{ }\n",
        b'{"hooks":{}}',
        FOREIGN.encode(),
        FOREIGN.replace("\n", "\r\n").encode(),
        FOREIGN.replace("    ", "\t").encode(),
        b"\xef\xbb\xbf" + FOREIGN.encode(),
        b'{"a":1,"hooks":{"Stop":[{"hooks":[]}]},"b":{"c":[]}}\n\n\n',
        b'{"a": "\\ud83d", "e": 1e3, "big": 123456789012345678901234567890, "a": "twice"}',
    ],
)
def test_however_it_is_laid_out_uninstall_leaves_it_byte_for_byte(
    local: Path, content: bytes
) -> None:
    local.write_bytes(content)

    assert ais("init", "--yes").exit_code == 0
    there = local.read_bytes()
    assert ais("uninstall", "--yes").exit_code == 0

    assert b"hooks/main.py" in there
    assert (b"\r\n" in there) == (b"\r\n" in content)
    assert local.read_bytes() == content


def test_a_file_keeps_its_mode(local: Path) -> None:
    local.write_text(FOREIGN)
    local.chmod(0o640)

    ais("init", "--yes")

    assert stat.S_IMODE(local.stat().st_mode) == 0o640
    assert list(local.parent.iterdir()) == [local]


def test_a_read_only_file_is_refused(local: Path) -> None:
    local.write_text(FOREIGN)
    local.chmod(0o444)

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert f"`chmod u+w {local}`" in ran.stderr
    assert local.read_text() == FOREIGN


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_to_is_refused(local: Path) -> None:
    local.write_text(FOREIGN)
    local.parent.chmod(0o555)

    ran = ais("init", "--yes")

    local.parent.chmod(0o755)
    assert ran.exit_code == 1
    assert local.read_text() == FOREIGN


def test_a_file_in_place_of_the_folder_is_refused(project: Path) -> None:
    (project / ".claude").write_text("a file")

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert ".claude" in ran.stderr


def test_a_folder_in_place_of_the_file_is_refused(local: Path) -> None:
    local.mkdir()

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert "Is a directory" in ran.stderr


def test_the_users_file_may_be_a_link_and_stays_one(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_text(FOREIGN)
    link = tmp_path / "claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(kept)

    ais("init", "--user", "--yes")

    assert link.is_symlink()
    assert "SessionStart" in said_in(kept)["hooks"]
    ais("uninstall", "--yes")
    assert link.is_symlink()
    assert kept.read_text() == FOREIGN


def test_a_project_that_links_to_a_file_outside_is_refused(tmp_path: Path, local: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text("{}")
    local.symlink_to(elsewhere)

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert "outside the project" in ran.stderr
    assert elsewhere.read_text() == "{}"


def test_a_link_that_leads_in_a_circle_is_refused(local: Path) -> None:
    local.symlink_to(local)

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert str(local) in ran.stderr


def test_a_file_that_somebody_changes_meanwhile_is_left_to_them(local: Path) -> None:
    local.write_text(FOREIGN)

    with terminal("init", columns=200) as screen:
        screen.until("[Y/n]:")
        local.write_text("{}")
        screen.type("y")
        screen.until("changed by somebody else meanwhile")
        assert screen.end() == 1

    assert local.read_text() == "{}"


@pytest.mark.parametrize("record", ["", "[]", '{"files": {"/x": {"before": 1}}}'])
def test_a_record_that_cannot_be_read_is_named(tmp_path: Path, local: Path, record: str) -> None:
    ais("init", "--no-hooks")
    (tmp_path / "home" / "installed.json").write_text(record)

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert "installed.json cannot be read" in ran.stderr
    assert not local.exists()

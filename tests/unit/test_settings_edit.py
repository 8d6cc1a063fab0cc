import os
import stat
from pathlib import Path

import pytest

from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.settings.edit import remove_value, write_value
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.settings.setting import Layer
from settings_files import paths_in


def test_a_change_keeps_comments_and_order(tmp_path: Path) -> None:
    found = paths_in(
        tmp_path,
        user="# mine\n[search]\ncandidates = 20  # enough\n\n[embedder] # later\nthreads = 2\n",
    )

    write_value(found, Layer.USER, "search.candidates", "50")
    write_value(found, Layer.USER, "embedder.model", "none")
    remove_value(found, Layer.USER, "embedder.threads")

    assert found.user_file.read_text() == (
        '# mine\n[search]\ncandidates = 50  # enough\n\n[embedder] # later\nmodel = "none"\n'
    )


def test_the_users_file_is_for_the_user_alone(tmp_path: Path) -> None:
    found = paths_in(tmp_path)

    write_value(found, Layer.USER, "embedder.threads", "1")

    assert stat.S_IMODE(found.user_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(found.user_file.parent.stat().st_mode) == 0o700
    assert os.listdir(found.user_file.parent) == ["config.toml"]  # noqa: PTH208 - names alone


def test_a_linked_users_file_stays_a_link(tmp_path: Path) -> None:
    found = paths_in(tmp_path, user="# linked")
    elsewhere = found.user_file.rename(tmp_path / "dotfiles.toml")
    found.user_file.symlink_to(elsewhere)

    write_value(found, Layer.USER, "embedder.threads", "1")

    assert found.user_file.is_symlink()
    assert "threads = 1" in elsewhere.read_text()


def test_a_link_in_a_project_is_not_written_through(tmp_path: Path) -> None:
    found = paths_in(tmp_path, project="# linked")
    assert found.project_file
    elsewhere = found.project_file.rename(tmp_path / "precious.toml")
    found.project_file.symlink_to(elsewhere)

    write_value(found, Layer.PROJECT, "search.candidates", "50")

    assert elsewhere.read_text() == "# linked"
    assert load_settings(found, {}).settings.search.candidates == 50


def test_a_projects_file_takes_only_what_it_may_say(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="without --project"):
        write_value(paths_in(tmp_path), Layer.PROJECT, "embedder.model", "none")


@pytest.mark.parametrize("text", ["embedder = 3\n", "[[embedder]]\n"])
def test_a_file_that_cannot_take_the_value_is_left_alone(tmp_path: Path, text: str) -> None:
    found = paths_in(tmp_path, user=text)

    with pytest.raises(RefusedError, match="by hand"):
        write_value(found, Layer.USER, "embedder.threads", "1")

    assert found.user_file.read_text() == text


def test_without_a_project_nothing_is_set_for_one(tmp_path: Path) -> None:
    found = memory_paths(tmp_path, None, {})

    with pytest.raises(NotFoundError, match="no project"):
        write_value(found, Layer.PROJECT, "search.candidates", "50")

    assert load_settings(found, {}).settings == Settings()


def test_a_home_that_cannot_be_written_is_a_fault_of_the_disk(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")

    with pytest.raises(StoreError, match="Nothing has changed"):
        write_value(paths_in(tmp_path), Layer.USER, "embedder.threads", "1")


def test_an_unknown_key_can_be_taken_out_to_mend_a_file(tmp_path: Path) -> None:
    found = paths_in(tmp_path, user="old = 1\n[embedder]\nmodle = 1\n[gone]\nx = 1\n")

    for key in ("old", "embedder.modle", "gone"):
        remove_value(found, Layer.USER, key)

    assert load_settings(found, {}).settings == Settings()


def test_taking_out_what_is_not_there_or_a_whole_section_is_refused(tmp_path: Path) -> None:
    found = paths_in(tmp_path, user="[embedder]\nthreads = 1\n")

    with pytest.raises(NotFoundError, match="not set"):
        remove_value(found, Layer.USER, "embedder.model")
    with pytest.raises(RefusedError, match="is a section"):
        remove_value(found, Layer.USER, "embedder")

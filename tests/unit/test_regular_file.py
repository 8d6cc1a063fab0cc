"""Only regular files of bounded size are read."""

import os
import socket
from pathlib import Path

import pytest

from ai_smartness.settings.regular_file import UnusableFileError, read_regular_file


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")

    assert read_regular_file(str(tmp_path / "a"), 5) == b"12345"
    assert read_regular_file(str(tmp_path / "a"), 5, within=str(tmp_path)) == b"12345"


def test_a_larger_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123456")

    with pytest.raises(UnusableFileError, match="larger than 5 bytes"):
        read_regular_file(str(tmp_path / "a"), 5)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular_file(str(tmp_path / "a"), 5)


def test_a_pipe_a_socket_a_device_and_a_folder_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for name in ("pipe", "socket", "device", "folder"):
            with pytest.raises(UnusableFileError, match="not a regular file"):
                read_regular_file(str(tmp_path / name), 1_000)


def test_a_file_that_hides_its_size_is_not_read_without_end() -> None:
    with pytest.raises(UnusableFileError, match="larger than 10 bytes"):
        read_regular_file("/proc/self/maps", 10)


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "project-2").write_text("a neighbour with the same start of its name")
    (project / "link").symlink_to(tmp_path / "secret")
    (project / "inside").write_text("fine")
    (project / "friend").symlink_to("inside")

    assert read_regular_file(str(project / "friend"), 99, within=str(project)) == b"fine"
    for path in (project / "link", project / ".." / "project-2"):
        with pytest.raises(UnusableFileError, match="not in the project"):
            read_regular_file(str(path), 99, within=str(project))

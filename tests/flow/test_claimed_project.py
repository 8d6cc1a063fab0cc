"""A folder cannot claim the memory of another project, whatever stands in its `.git`."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from ai_smartness.adapters.git import GitWorktree, PatientReads
from ai_smartness.clients.project import project_by_path


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def name_of(folder: Path) -> str:
    return project_by_path(str(folder)).name


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "victim"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = tmp_path / "hostile"
    folder.mkdir()
    return folder


def made_up_worktree(hostile: Path, common: Path, *, at: str = "worktree") -> None:
    """Write everything that an unpacked archive can contain."""
    private = hostile / at
    private.mkdir(parents=True)
    (private / "commondir").write_text(f"{common}\n")
    (private / "gitdir").write_text(f"{hostile}/.git\n")
    (private / "HEAD").write_text("ref: refs/heads/main\n")
    (hostile / ".git").write_text(f"gitdir: {private}\n")


def test_a_made_up_worktree_is_a_project_of_its_own(victim: Path, hostile: Path) -> None:
    made_up_worktree(hostile, victim / ".git")

    assert name_of(hostile) == str(hostile)


def test_nor_does_the_folder_name_of_real_worktrees_help_it(victim: Path, hostile: Path) -> None:
    made_up_worktree(hostile, victim / ".git", at="fake.git/worktrees/one")

    assert name_of(hostile) == str(hostile)


def test_a_link_among_its_files_does_not_help_it(victim: Path, hostile: Path) -> None:
    (victim / ".git" / "worktrees").mkdir()
    (hostile / "fake").mkdir()
    (hostile / "fake" / "worktrees").symlink_to(victim / ".git" / "worktrees")
    (hostile / ".git").write_text("gitdir: fake/worktrees/one\n")

    assert name_of(hostile) == str(hostile)


def test_the_worktree_of_another_folder_is_not_taken(victim: Path, hostile: Path) -> None:
    genuine = hostile.parent / "genuine"
    git(victim, "worktree", "add", "-q", str(genuine))
    (hostile / ".git").write_text((genuine / ".git").read_text())

    assert name_of(hostile) == str(hostile)
    (hostile / ".git").unlink()
    (hostile / ".git").symlink_to(genuine / ".git")
    assert name_of(hostile) == str(hostile)
    assert name_of(genuine) == str(victim)


def test_a_link_to_another_repository_is_not_that_repository(victim: Path, hostile: Path) -> None:
    (hostile / ".git").symlink_to(victim / ".git")

    assert name_of(hostile) == str(hostile)


def test_a_worktree_with_relative_pointers_belongs_to_its_repository(
    victim: Path, tmp_path: Path
) -> None:
    git(victim, "worktree", "add", "-q", str(tmp_path / "feature"))
    (tmp_path / "feature" / ".git").write_text("gitdir: ../victim/.git/worktrees/feature\n")
    private = victim / ".git" / "worktrees" / "feature"
    (private / "gitdir").write_text("../../../../feature/.git\n")

    assert name_of(tmp_path / "feature") == str(victim)


def test_a_moved_worktree_is_a_project_of_its_own_until_git_repairs_it(
    victim: Path, tmp_path: Path
) -> None:
    git(victim, "worktree", "add", "-q", str(tmp_path / "feature"))
    moved = (tmp_path / "feature").rename(tmp_path / "moved")

    before = name_of(moved)
    git(moved, "worktree", "repair")

    assert before == str(moved)
    assert name_of(moved) == str(victim)


def test_variables_and_settings_of_git_do_not_choose_the_project(
    victim: Path, hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(victim / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(victim))
    monkeypatch.setenv("GIT_COMMON_DIR", str(victim / ".git"))
    subprocess.run(
        ["git", "init", "-q", str(hostile)], check=True, env={"PATH": os.environ["PATH"]}
    )
    with (hostile / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tworktree = {victim}\n")

    assert name_of(hostile) == str(hostile)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_repository_that_somebody_else_put_above_is_not_ours(tmp_path: Path) -> None:
    shared, mine = tmp_path / "shared", tmp_path / "shared" / "mine"
    mine.mkdir(parents=True)
    (shared / ".git").mkdir()
    os.chown(shared / ".git", 12_345, 12_345)

    assert name_of(mine) == str(mine)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_somebody_else_cannot_take_the_place_of_a_worktree(victim: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "feature"
    git(victim, "worktree", "add", "-q", str(worktree))
    for path in (worktree, worktree / ".git"):
        os.chown(path, 12_345, 12_345)

    assert name_of(worktree) == str(worktree)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_owner_is_a_project_all_the_same(tmp_path: Path) -> None:
    deep = tmp_path / "theirs" / "src"
    deep.mkdir(parents=True)
    (tmp_path / "theirs" / ".git").mkdir()
    for path in (tmp_path / "theirs", deep, tmp_path / "theirs" / ".git"):
        os.chown(path, 12_345, 12_345)

    assert name_of(deep) == str(tmp_path / "theirs")


@pytest.mark.parametrize("name", ["gitdir", "commondir"])
def test_a_pipe_among_gits_files_holds_nobody_up(victim: Path, tmp_path: Path, name: str) -> None:
    worktree = tmp_path / "feature"
    git(victim, "worktree", "add", "-q", str(worktree))
    pipe = victim / ".git" / "worktrees" / "feature" / name
    pipe.unlink()
    os.mkfifo(pipe)

    assert name_of(worktree) == str(worktree)


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/main", "packed-refs", "commondir"])
def test_a_pipe_in_the_place_of_a_reference_holds_nobody_up(hostile: Path, name: str) -> None:
    (hostile / ".git" / "refs" / "heads").mkdir(parents=True)
    (hostile / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (hostile / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(hostile / ".git" / name)

    assert GitWorktree(hostile).head_commit() is None


@pytest.mark.parametrize("reference", ["../../secret", "refs/../../../secret", "/etc/hostname"])
def test_a_reference_cannot_make_another_file_the_commit(hostile: Path, reference: str) -> None:
    (hostile.parent / "secret").write_text("hunter2")
    (hostile / "secret").write_text("hunter2")
    (hostile / ".git").mkdir()
    (hostile / ".git" / "HEAD").write_text(f"ref: {reference}\n")

    assert GitWorktree(hostile).head_commit() is None


def test_only_the_name_of_a_commit_is_a_commit(hostile: Path) -> None:
    (hostile / ".git").mkdir()
    (hostile / ".git" / "HEAD").write_bytes(b"anything \xff else\n")

    assert GitWorktree(hostile).head_commit() is None


def test_a_pipe_a_device_and_a_huge_file_are_no_files_of_the_project(hostile: Path) -> None:
    os.mkfifo(hostile / "pipe")
    (hostile / "device").symlink_to("/dev/zero")
    with (hostile / "huge").open("wb") as huge:
        huge.truncate(1 << 40)

    worktree = GitWorktree(hostile)

    assert [worktree.file_digest(name) for name in ("pipe", "device", "huge")] == [None] * 3
    assert worktree.file_text("pipe") is None


def test_a_drive_that_does_not_answer_is_not_waited_for() -> None:
    answers, calls = threading.Event(), list[str]()
    reads = PatientReads(0.01)

    def hanging_read() -> str:
        answers.wait()
        return "late"

    def other_read() -> str:
        calls.append("read")
        return "quick"

    assert reads.result_in_time(hanging_read) is None
    assert reads.result_in_time(other_read) is None
    assert calls == []
    answers.set()
    while reads.result_in_time(other_read) is None:
        pass
    assert calls

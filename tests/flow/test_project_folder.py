"""Which project a folder belongs to, with the real git."""

import subprocess
from pathlib import Path

import pytest

from ai_smartness.adapters.git import GitWorktree
from ai_smartness.wiring import ProjectFolder, project_folder_of


def project_at(folder: Path) -> ProjectFolder:
    project = project_folder_of(folder, folder)
    assert project is not None
    return project


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    allowed = ["-c", "protocol.file.allow=always"]
    subprocess.run(
        ["git", *identity, *allowed, *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_every_folder_of_a_repository_is_one_project(repository: Path) -> None:
    deep = repository / "src" / "auth"
    deep.mkdir(parents=True)

    assert project_at(deep) == project_at(repository)
    assert project_at(repository).name == str(repository)


def test_all_worktrees_are_one_project(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "feature"))

    worktree = project_at(tmp_path / "feature")

    assert worktree.name == project_at(repository).name
    assert worktree.root == tmp_path / "feature"


def test_worktrees_of_a_bare_repository_are_one_project(repository: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    for branch in ("one", "two"):
        git(bare, "worktree", "add", "-q", "-b", branch, str(tmp_path / branch))

    assert project_at(tmp_path / "one").name == project_at(tmp_path / "two").name == str(bare)


def test_a_submodule_is_a_project_of_its_own(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", str(repository), "inner")

    assert project_at(outer / "inner").name == str(outer / "inner")


def test_a_folder_outside_any_repository_is_a_project(tmp_path: Path) -> None:
    assert project_at(tmp_path).name == str(tmp_path)


def test_a_link_to_a_folder_is_that_folder(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repository)

    assert project_at(tmp_path / "link") == project_at(repository)


def test_a_broken_pointer_leaves_the_folder_a_project(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"gitdir: \xff\x00nowhere")

    assert project_at(tmp_path).name == str(tmp_path)


def said_by_git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def test_the_commit_is_the_one_git_names_loose_packed_detached_and_in_a_worktree(
    repository: Path,
    tmp_path: Path,
) -> None:
    expected = said_by_git(repository, "rev-parse", "HEAD")
    git(repository, "worktree", "add", "-q", str(tmp_path / "feature"))

    assert GitWorktree(repository).head_commit() == expected
    assert GitWorktree(tmp_path / "feature").head_commit() == expected
    git(repository, "pack-refs", "--all")
    assert GitWorktree(repository).head_commit() == expected
    assert GitWorktree(tmp_path / "feature").head_commit() == expected
    git(repository, "checkout", "-q", "--detach")
    assert GitWorktree(repository).head_commit() == expected


def test_a_file_is_named_by_its_content_as_git_does(repository: Path) -> None:
    (repository / "a.py").write_text("print('ü')\n")
    worktree = GitWorktree(repository)

    assert worktree.file_digest("a.py") == said_by_git(repository, "hash-object", "a.py")
    assert worktree.file_digest(str(repository / "a.py")) == worktree.file_digest("a.py")
    (repository / "a.py").write_text("changed\n")
    assert worktree.file_digest("a.py") == said_by_git(repository, "hash-object", "a.py")


@pytest.mark.parametrize("path", ["missing.py", "../outside.py", ".", "a\0b", "/etc/hostname"])
def test_what_is_no_file_of_the_project_has_no_digest(repository: Path, path: str) -> None:
    (repository.parent / "outside.py").write_text("secret")

    assert GitWorktree(repository).file_digest(path) is None


def test_outside_a_repository_and_before_the_first_commit_there_is_no_commit(
    tmp_path: Path,
) -> None:
    assert GitWorktree(tmp_path).head_commit() is None
    git(tmp_path, "init", "-q")
    assert GitWorktree(tmp_path).head_commit() is None

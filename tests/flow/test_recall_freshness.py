"""What was said about a file that has changed since says so, and stands a little lower."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ai_smartness.adapters.git import GitWorktree
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON, said
from engines import open_store

pytestmark = pytest.mark.every_engine

QUESTION = "which function signs the tokens?"


def run_git(root: Path, *arguments: str) -> None:
    names = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a repository with a file, and a second worktree of it in which we work."""
    main = tmp_path / "main"
    (main / "src").mkdir(parents=True)
    (main / "src" / "auth.py").write_text("def sign(): ...\n")
    (main / "src" / "mail.py").write_text("def send(): ...\n")
    run_git(main, "init", "-q")
    run_git(main, "add", ".")
    run_git(main, "commit", "-qm", "first")
    run_git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    return tmp_path / "tree"


def a_memory_of_files(root: Path) -> Memory:
    clock = SetClock(NOON)
    parts = MemoryParts(
        store=open_store(),
        embedder=lambda: None,
        clock=clock,
        worktree=GitWorktree(root),
    )
    memory = Memory(parts, "demo", Settings())
    memory.capture(
        [
            said("src/auth.py has the function that signs the tokens", id_="auth", session="a"),
            said("src/mail.py has the function that signs the mails", id_="mail", session="b"),
            said("the logo of the login page is too small", id_="logo", session="c"),
        ]
    )
    clock.advance(days=1)
    return memory


def test_a_file_that_is_as_it_was_is_not_spoken_of(root: Path) -> None:
    found = a_memory_of_files(root).recall(QUESTION)

    assert found.threads[0].messages[0].id == "auth"
    assert found.threads[0].changed_files == ()
    assert "changed since" not in found.text


@pytest.mark.parametrize(
    "change", [lambda file: file.write_text("def sign_all(): ...\n"), lambda file: file.unlink()]
)
def test_a_file_that_changed_since_is_named(root: Path, change: Callable[[Path], object]) -> None:
    memory = a_memory_of_files(root)

    change(root / "src" / "auth.py")

    found = memory.recall(QUESTION)
    assert found.threads[0].changed_files == ("src/auth.py",)
    assert "\nFile changed since: src/auth.py\n" in found.text
    thread = found.threads[0].thread.id
    assert "\nFile changed since: src/auth.py\n" in memory.recall(thread).text
    assert "\nFile changed since: src/auth.py\n" in memory.inject(QUESTION).text


def test_what_has_changed_since_ranks_a_little_lower(root: Path) -> None:
    memory = a_memory_of_files(root)
    before = memory.recall(QUESTION).threads[0]

    (root / "src" / "auth.py").write_text("def sign_all(): ...\n")

    after = memory.recall(QUESTION).threads[0]
    assert after.score == pytest.approx(before.score * 0.9)
    assert after.relevance == before.relevance


def test_a_file_that_was_spoken_of_again_is_as_it_was_then(root: Path) -> None:
    memory = a_memory_of_files(root)
    (root / "src" / "auth.py").write_text("def sign_all(): ...\n")
    thread = memory.message("auth").thread_id

    moment = (memory._clock() - NOON).total_seconds() / 60  # noqa: SLF001 - said at this moment
    memory.append(thread, said("src/auth.py signs tokens by sign_all", id_="new", minute=moment))

    assert memory.recall(thread).threads[0].changed_files == ()


def test_a_commit_alone_changes_no_file(root: Path) -> None:
    memory = a_memory_of_files(root)

    run_git(root, "commit", "-q", "--allow-empty", "-m", "second")

    assert memory.recall(QUESTION).threads[0].changed_files == ()


def test_without_the_projects_files_nothing_is_said_of_them(root: Path) -> None:
    memory = a_memory_of_files(root)
    parts = MemoryParts(store=memory._store, embedder=lambda: None, clock=SetClock(NOON))  # noqa: SLF001 - seen without its files
    (root / "src" / "auth.py").unlink()

    assert Memory(parts, "demo", Settings()).recall(QUESTION).threads[0].changed_files == ()

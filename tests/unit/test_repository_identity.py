"""What a repository says it is: the same for all clones, and without credentials."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.adapters.repository_identity import normalized_remote, repository_identity


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("git@github.com:org/shop.git", "github.com/org/shop"),
        ("github.com:org/shop", "github.com/org/shop"),
        ("https://github.com/org/shop", "github.com/org/shop"),
        ("https://GitHub.com/org/shop.git/", "github.com/org/shop"),
        ("https://me:hunter2@github.com/org/shop.git", "github.com/org/shop"),
        ("https://oauth2:a@b@github.com/org/shop.git", "github.com/org/shop"),
        ("https://github.com/org/shop.git?token=hunter2#x", "github.com/org/shop"),
        ("ssh://git@github.com:22/org/shop.git", "github.com/org/shop"),
        ("ssh://git@host.example:2222/org/shop", "host.example:2222/org/shop"),
        ("git://host.example/~me/shop.git", "host.example/~me/shop"),
        ("https://[::1]:99999999/x", ""),
        ("/srv/git/shop.git", ""),
        ("../shop", ""),
        ("file:///srv/git/shop.git", ""),
        ("https://github.com/ghp_9aKq2Lm7Xw4Rt8Zp1Vb6Nc3Ys5Jd0HfGeTu2/shop", ""),
        ("", ""),
    ],
)
def test_a_remote_is_named_by_its_host_and_path(address: str, name: str) -> None:
    assert normalized_remote(address) == name


words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=8)


@given(words, words, words, words)
def test_no_credentials_come_out(user: str, word: str, owner: str, name: str) -> None:
    token = f"T0k3n{word}"
    for scheme in ("https", "ssh", "git+ssh"):
        remote = normalized_remote(f"{scheme}://{user}:{token}@host.example/{owner}/{name}.git")

        assert remote == f"host.example/{owner}/{name}"


@given(st.text(max_size=60))
def test_no_address_is_too_odd(address: str) -> None:
    assert normalized_remote(address) == normalized_remote(address).strip()


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_two_clones_say_the_same(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
    git(tmp_path / "one", "remote", "add", "upstream", "https://github.com/other/shop")
    git(tmp_path / "one", "remote", "add", "origin", "git@github.com:org/shop.git")
    git(tmp_path / "two", "remote", "add", "origin", "https://me:hunter2@github.com/org/shop")

    names = [repository_identity(tmp_path / name, str(tmp_path / name)) for name in ("one", "two")]

    assert names == [("github.com/org/shop", "remote")] * 2


def test_without_a_remote_it_is_the_first_commit_and_else_the_path(tmp_path: Path) -> None:
    assert repository_identity(tmp_path, "/x") == ("/x", "path")
    git(tmp_path, "init", "-q")
    assert repository_identity(tmp_path, "/x") == ("/x", "path")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    first = git(tmp_path, "rev-parse", "HEAD")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "second")

    assert repository_identity(tmp_path, "/x") == (f"git:{first}", "first commit")

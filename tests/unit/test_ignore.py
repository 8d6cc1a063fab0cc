"""`.aiignore` is read like a `.gitignore`."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.clients.ignore import (
    IgnoreRules,
    WorkingFolder,
    read_ignore_rules,
    unusable_reason,
)

CASES = [
    ("*.pem", "key.pem", True),
    ("*.pem", "deep/er/key.pem", True),
    ("*.pem", "key.pem.txt", False),
    ("secrets/", "secrets/a/b.txt", True),
    ("secrets/", "deep/secrets/b.txt", True),
    ("secrets/", "secrets", False),
    ("/top.txt", "top.txt", True),
    ("/top.txt", "deep/top.txt", False),
    ("a/b.txt", "a/b.txt", True),
    ("a/b.txt", "x/a/b.txt", False),
    ("a/**/z.txt", "a/z.txt", True),
    ("a/**/z.txt", "a/b/c/z.txt", True),
    ("**/build", "x/build/out.o", True),
    ("logs/**", "logs/today/x", True),
    ("*.env\n!example.env", "example.env", False),
    ("*.env\n!example.env", "prod.env", True),
    ("secrets/\n!secrets/ok.txt", "secrets/ok.txt", True),
    ("# a comment\n\n", "a", False),
    ("\\#odd", "#odd", True),
    ("\\!odd", "!odd", True),
    ("file?.txt", "file1.txt", True),
    ("file?.txt", "file10.txt", False),
    ("[a-c]x", "bx", True),
    ("[!a-c]x", "bx", False),
    ("[!a-c]x", "dx", True),
    ("trailing   ", "trailing", True),
]


@pytest.mark.parametrize(("rules", "path", "ignored"), CASES)
def test_a_path_is_matched(rules: str, path: str, ignored: bool) -> None:  # noqa: FBT001 - the example
    assert IgnoreRules(rules).is_ignored(path) is ignored


@pytest.mark.skipif(shutil.which("git") is None, reason="git is needed to compare with")
@pytest.mark.parametrize(("rules", "path", "ignored"), CASES)
def test_git_agrees(tmp_path: Path, rules: str, path: str, ignored: bool) -> None:  # noqa: FBT001
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(rules)
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).touch()

    asked = subprocess.run(
        ["git", "-C", str(tmp_path), "check-ignore", "-q", path], check=False
    ).returncode

    assert (asked == 0) is ignored


PIECES = "a b ab - / / /** **/ * ** *** ? [ab] [!a] [^b] [a-b] [-a] [[:alpha:]] [ ] [: ! # //"
pieces = st.sampled_from([*PIECES.split(), "\\", "\\*", " "])
lines = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "", "!"]),
    st.lists(pieces, max_size=6).map("".join),
    st.sampled_from(["", "", "/", " ", "\r"]),
)
paths = st.lists(st.text("ab-", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def ignored_by_git(repository: Path, rules: str, paths: list[str]) -> set[str]:
    (repository / ".gitignore").write_text(rules)
    done = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "-z", "--stdin", "--no-index"],
        input="".join(f"{path}\0" for path in paths),
        check=False,
        capture_output=True,
        text=True,
    )
    return set(filter(None, done.stdout.split("\0")))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is needed to compare with")
@given(st.lists(lines, max_size=4).map("\n".join), st.lists(paths, min_size=1, max_size=12))
@settings(max_examples=300)
def test_git_agrees_on_any_rules(repository: Path, rules: str, paths: list[str]) -> None:
    ours = IgnoreRules(rules)

    assert {path for path in paths if ours.is_ignored(path)} == ignored_by_git(
        repository, rules, paths
    )


@given(st.text(max_size=200), st.text(max_size=50))
def test_no_rule_is_too_odd(rules: str, path: str) -> None:
    assert IgnoreRules(rules).is_ignored(path) in (True, False)


HOSTILE = {
    "folders": "/".join(["**", "a"] * 10_000),
    "stars": "*a" * 30_000 + "b",
    "many lines": "*a*a*a*b\n" * 7_000,
    "many sets": "".join(f"[{chr(0x400 + number)}-z]" for number in range(12_000)),
    "wide sets": "[\0-\U0010ffff]" * 12_000,
}


@pytest.mark.parametrize("rules", HOSTILE.values(), ids=HOSTILE)
def test_no_pattern_needs_more_than_one_pass_over_the_path(rules: str) -> None:
    """Without a clock: a pattern that is tried in every way would not come back at all."""
    patterns = IgnoreRules(rules)

    assert not patterns.is_ignored("a/" * 100 + "a" * 250 + "c")


def test_a_project_without_rules_ignores_nothing(tmp_path: Path) -> None:
    assert not read_ignore_rules(str(tmp_path))
    assert not read_ignore_rules(str(tmp_path / "nowhere"))


def test_rules_that_cannot_be_read_ignore_everything(tmp_path: Path) -> None:
    rules = tmp_path / ".aiignore"
    rules.symlink_to("/dev/zero")
    assert WorkingFolder(str(tmp_path)).project_path("a.py") == ""
    assert unusable_reason(str(tmp_path)) == "it is not a regular file"

    rules.unlink()
    os.mkfifo(rules)
    assert WorkingFolder(str(tmp_path)).project_path("a.py") == ""

    rules.unlink()
    rules.write_text("# much\n" * 100_000)
    assert WorkingFolder(str(tmp_path)).project_path("a.py") == ""

    rules.write_text("*.pem")
    assert WorkingFolder(str(tmp_path)).project_path("a.py") == "a.py"
    assert unusable_reason(str(tmp_path)) == ""

"""`.aiignore` is read like a `.gitignore`."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.clients.ignore import IgnoreRules, is_wildcard_match, read_ignore_rules

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


names = st.text("ab*?[]!-\\", max_size=8)


@given(names, names)
@settings(max_examples=300)
def test_no_pattern_is_too_odd(pattern: str, name: str) -> None:
    assert is_wildcard_match(name, pattern) in (True, False)
    assert is_wildcard_match(name, "*")


def test_a_project_without_rules_ignores_nothing(tmp_path: Path) -> None:
    assert not read_ignore_rules(str(tmp_path))
    assert not read_ignore_rules(str(tmp_path / "nowhere"))

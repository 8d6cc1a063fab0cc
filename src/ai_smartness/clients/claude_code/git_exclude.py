"""Keep the project's own settings of the client out of `git status`.

The settings name folders of this machine, so nobody should commit them. The line goes into
`.git/info/exclude`, which belongs to this clone alone, below a comment by which we know it again.
"""

import os
import subprocess
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

__all__ = [
    "EXCLUDED_PATH",
    "add_exclusion",
    "added_exclusion_diff",
    "is_git_ignored",
    "remove_exclusion",
    "removed_exclusion_diff",
]

EXCLUDED_PATH = ".claude/settings.local.json"

_COMMENT = "# ai_smartness: hooks that name folders of this machine"
_BLOCK = f"{_COMMENT}\n/{EXCLUDED_PATH}\n"


def is_git_ignored(settings: Path) -> bool | None:
    """Say whether git ignores a settings file; None where there is no git to ask."""
    done = _run_git(settings, "check-ignore", "-q", str(settings))
    return None if done is None else {0: True, 1: False}.get(done.returncode)


def add_exclusion(settings: Path) -> Path | None:
    """Add the project's settings to git's own list of excluded files, and return that file."""
    path = _exclude_file(settings)
    if path is None:
        return None
    text = _read_text(path)
    if _BLOCK not in text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(_text_with_block(text), encoding="utf-8", errors="surrogateescape")
    return path


def remove_exclusion(settings: Path) -> Path | None:
    """Remove our lines, and return the file that had them; nothing if there were none."""
    path = _file_with_exclusion(settings)
    if path is None:
        return None
    left = _read_text(path).replace(_BLOCK, "", 1)
    if left:
        path.write_text(left, encoding="utf-8", errors="surrogateescape")
    else:
        path.unlink()
    return path


def added_exclusion_diff(settings: Path) -> Iterator[str]:
    """Yield what `add_exclusion` would add, as a diff; nothing if it is there."""
    path = _exclude_file(settings)
    if path is not None and _BLOCK not in (before := _read_text(path)):
        yield from _diff_lines(path, before, _text_with_block(before))


def removed_exclusion_diff(settings: Path) -> Iterator[str]:
    """Yield what `remove_exclusion` would remove, as a diff; nothing if there is nothing."""
    path = _file_with_exclusion(settings)
    if path is not None:
        before = _read_text(path)
        yield from _diff_lines(path, before, before.replace(_BLOCK, "", 1))


def _diff_lines(path: Path, before: str, after: str) -> Iterator[str]:
    names = f"{path} (now)", f"{path} (then)"
    return unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="")


def _text_with_block(text: str) -> str:
    separator = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{separator}{_BLOCK}"


def _file_with_exclusion(settings: Path) -> Path | None:
    """Return git's list of excluded files if our lines are in it."""
    path = _exclude_file(settings) if settings.name == Path(EXCLUDED_PATH).name else None
    return path if path is not None and _BLOCK in _read_text(path) else None


def _read_text(path: Path) -> str:
    """Return the text of git's list; empty if there is no such file."""
    if not path.exists():
        return ""
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def _exclude_file(settings: Path) -> Path | None:
    done = _run_git(settings, "rev-parse", "--git-path", "info/exclude")
    if done is None or done.returncode:
        return None
    # Relative to the folder that git was asked in.
    return settings.parent.parent / os.fsdecode(done.stdout.rstrip(b"\n"))


def _run_git(settings: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes] | None":
    # In a git hook these variables would name another repository than that of the path.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # A repository may name a program of its own there, which git would start.
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(settings.parent.parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False, env=environ)  # noqa: S603 - a path of ours
    except OSError:
        return None

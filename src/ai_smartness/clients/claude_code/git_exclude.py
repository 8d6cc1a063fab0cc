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
    "exclusion_diff_lines",
    "is_git_ignored",
    "remove_exclusion",
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
    text = _read_text(path) if path.exists() else ""
    if _BLOCK not in text:
        path.parent.mkdir(exist_ok=True)
        separator = "" if not text or text.endswith("\n") else "\n"
        path.write_text(f"{text}{separator}{_BLOCK}", encoding="utf-8", errors="surrogateescape")
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


def exclusion_diff_lines(settings: Path) -> Iterator[str]:
    """Yield what `remove_exclusion` would remove, as a diff; nothing if there is nothing."""
    path = _file_with_exclusion(settings)
    if path is not None:
        before = _read_text(path)
        after = before.replace(_BLOCK, "", 1)
        lines = before.splitlines(), after.splitlines()
        yield from unified_diff(*lines, str(path), str(path), lineterm="")


def _file_with_exclusion(settings: Path) -> Path | None:
    """Return git's list of excluded files if our lines are in it."""
    path = _exclude_file(settings) if settings.name == Path(EXCLUDED_PATH).name else None
    return path if path is not None and path.exists() and _BLOCK in _read_text(path) else None


def _read_text(path: Path) -> str:
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
    command = ["git", "-C", str(settings.parent.parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False, env=environ)  # noqa: S603 - a path of ours
    except OSError:
        return None

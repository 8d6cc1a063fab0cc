"""Leave out the paths that a project's `.aiignore` matches.

The file is written like a `.gitignore`: one pattern a line with `*`, `?`, `[…]` and `**`, a slash
at the end for folders, a slash elsewhere for paths from the root, `!` to include a path again.
The last matching line decides, and everything under an ignored folder stays ignored.

The file comes with the repository, so no pattern may take long: `clients/path_patterns.py` runs
all of them at once, in one pass over the path.
"""

import os

from ai_smartness.clients.project import path_in_project, project_by_path
from ai_smartness.settings.regular_file import read_regular_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.clients.path_patterns import PathPatterns

__all__ = ["IGNORE_FILE", "IgnoreRules", "WorkingFolder", "read_ignore_rules", "unusable_reason"]

IGNORE_FILE = ".aiignore"
MAX_FILE_BYTES = 65_536
MAX_PATH_CHARACTERS = 4_096  # a longer text is no path

EVERYTHING = "*"


class WorkingFolder:
    """The folder that an agent works in, with the ignore rules of its project."""

    __slots__ = ("cwd", "ignore_rules", "root")

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.root = project_by_path(cwd).root
        self.ignore_rules = read_ignore_rules(self.root)

    def project_path(self, path: str) -> str:
        """Return a path relative to the project's root; empty if it is ignored."""
        if len(path) > MAX_PATH_CHARACTERS:
            return path
        relative = path_in_project(self.root, self.cwd, path)
        return "" if self.ignore_rules and self.ignore_rules.is_ignored(relative) else relative


def read_ignore_rules(root: str) -> "IgnoreRules":
    """Read the rules of a project; a project without the file has none.

    If there is a file that cannot be read, every path is ignored: somebody wanted to hide some.
    """
    try:
        contents = read_regular_file(os.path.join(root, IGNORE_FILE), MAX_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return IgnoreRules("")
    except OSError:
        return IgnoreRules(EVERYTHING)
    # Bytes that are no UTF-8 are matched as the file system writes them.
    return IgnoreRules(contents.decode("utf-8", "surrogateescape"))


def unusable_reason(root: str) -> str:
    """Say why the file of a project is not used; nothing if it is, or if there is none."""
    try:
        read_regular_file(os.path.join(root, IGNORE_FILE), MAX_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or "it cannot be read"
    return ""


class IgnoreRules:
    """The rules of one project."""

    __slots__ = ("_patterns",)

    def __init__(self, text: str) -> None:
        self._patterns = _parsed_patterns(text) if text else None

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def is_ignored(self, path: str) -> bool:
        """Say whether a path, relative to the root, is ignored: itself, or a folder above it."""
        if self._patterns is None:
            return False
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        return self._patterns.is_selected("/".join(parts))


def _parsed_patterns(text: str) -> "PathPatterns":
    # Most projects have no such file, and do not wait for this import.
    from ai_smartness.clients.path_patterns import PathPatterns

    return PathPatterns(text)

"""Which paths of a project are not to be remembered: those that its `.aiignore` matches.

Written as a `.gitignore` is: a pattern a line, `*`, `?`, `[…]`, `**`, a slash at the end for
folders, a slash elsewhere for paths from the root, `!` to take one back. The last that matches
decides, and what is under an ignored folder stays ignored.
"""

import os

from ai_smartness.watch.wildcards import is_like

__all__ = ["Ignored", "ignored_in"]

FILE = ".aiignore"
LONGEST_FILE_CHARACTERS = 1_000_000


class Rule:
    """One line of the file."""

    __slots__ = ("anchored", "folder", "parts", "takes_back")

    def __init__(self, line: str) -> None:
        self.takes_back = line.startswith("!")
        pattern = line[1:] if self.takes_back or line.startswith(("\\!", "\\#")) else line
        self.folder = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        self.anchored = "/" in pattern
        self.parts = [part for part in pattern.split("/") if part]

    def matches(self, parts: "list[str]", *, folder: bool) -> bool:
        """Say whether the line is about this path itself."""
        if not self.parts or (self.folder and not folder):
            return False
        return _fits(self.parts if self.anchored else ["**", *self.parts], parts)


class Ignored:
    """The rules of one project."""

    __slots__ = ("_rules",)

    def __init__(self, text: str) -> None:
        lines = (line.rstrip() for line in text.splitlines())
        self._rules = [Rule(line) for line in lines if line and not line.startswith("#")]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def matches(self, path: str) -> bool:
        """Say whether a path, seen from the root, is not to be remembered."""
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        return any(self._decided(parts[:length], parts) for length in range(1, len(parts) + 1))

    def _decided(self, head: "list[str]", whole: "list[str]") -> bool:
        folder = len(head) < len(whole)
        found = False
        for rule in self._rules:
            if rule.matches(head, folder=folder):
                found = not rule.takes_back
        return found


def ignored_in(root: str) -> Ignored:
    """Read the rules of a project; none if it has none."""
    try:
        # What is no UTF-8 is matched as the file system writes it.
        with open(os.path.join(root, FILE), errors="surrogateescape", encoding="utf-8") as file:  # noqa: PTH118, PTH123
            return Ignored(file.read(LONGEST_FILE_CHARACTERS))
    except (FileNotFoundError, NotADirectoryError):
        return Ignored("")


def _fits(pattern: "list[str]", parts: "list[str]") -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        rest = pattern[1:]
        if rest[:1] == ["**"]:
            return _fits(rest, parts)
        if not rest:
            return bool(parts)
        return any(_fits(rest, parts[number:]) for number in range(len(parts)))
    return bool(parts) and is_like(parts[0], pattern[0]) and _fits(pattern[1:], parts[1:])

"""Where the agent works, and what of it is not to be remembered.

Which paths of a project are not to be remembered: those that its `.aiignore` matches.

Written as a `.gitignore` is: a pattern a line, `*`, `?`, `[…]`, `**`, a slash at the end for
folders, a slash elsewhere for paths from the root, `!` to take one back. The last that matches
decides, and what is under an ignored folder stays ignored.

Whether a name is like a pattern of `*`, `?` and `[…]`, without the cost of `fnmatch`.
"""

import os

from ai_smartness.clients.project import path_in_project, project_at

__all__ = ["IgnoreRules", "WorkingFolder", "is_wildcard_match", "read_ignore_rules"]


class WorkingFolder:
    """A folder of a project."""

    __slots__ = ("cwd", "ignored", "root")

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.root = project_at(cwd).root
        self.ignored: IgnoreRules | None = _find_ignore_rules(self.root)

    def project_path(self, path: str) -> str:
        """Return a path as seen from the project's root; empty if it is not to be remembered."""
        seen = path_in_project(self.root, self.cwd, path)
        return "" if self.ignored and self.ignored.is_ignored(seen) else seen


def _find_ignore_rules(root: str) -> "IgnoreRules | None":
    if not os.path.lexists(os.path.join(root, ".aiignore")):
        return None

    return read_ignore_rules(root)


IGNORE_FILE = ".aiignore"
MAX_FILE_CHARACTERS = 1_000_000


class IgnoreRule:
    """One line of the file."""

    __slots__ = ("anchored", "folder", "parts", "takes_back")

    def __init__(self, line: str) -> None:
        self.takes_back = line.startswith("!")
        pattern = line[1:] if self.takes_back or line.startswith(("\\!", "\\#")) else line
        self.folder = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        self.anchored = "/" in pattern
        self.parts = [part for part in pattern.split("/") if part]

    def is_match(self, parts: "list[str]", *, folder: bool) -> bool:
        """Say whether the line is about this path itself."""
        if not self.parts or (self.folder and not folder):
            return False
        return _parts_match(self.parts if self.anchored else ["**", *self.parts], parts)


class IgnoreRules:
    """The rules of one project."""

    __slots__ = ("_rules",)

    def __init__(self, text: str) -> None:
        lines = (line.rstrip() for line in text.splitlines())
        self._rules = [IgnoreRule(line) for line in lines if line and not line.startswith("#")]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def is_ignored(self, path: str) -> bool:
        """Say whether a path, seen from the root, is not to be remembered."""
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        return any(
            self._is_ignored_at(parts[:length], parts) for length in range(1, len(parts) + 1)
        )

    def _is_ignored_at(self, head: "list[str]", whole: "list[str]") -> bool:
        folder = len(head) < len(whole)
        found = False
        for rule in self._rules:
            if rule.is_match(head, folder=folder):
                found = not rule.takes_back
        return found


def read_ignore_rules(root: str) -> IgnoreRules:
    """Read the rules of a project; none if it has none."""
    try:
        # What is no UTF-8 is matched as the file system writes it.
        with open(
            os.path.join(root, IGNORE_FILE),
            errors="surrogateescape",
            encoding="utf-8",
        ) as file:
            return IgnoreRules(file.read(MAX_FILE_CHARACTERS))
    except (FileNotFoundError, NotADirectoryError):
        return IgnoreRules("")


def _parts_match(pattern: "list[str]", parts: "list[str]") -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        rest = pattern[1:]
        if rest[:1] == ["**"]:
            return _parts_match(rest, parts)
        if not rest:
            return bool(parts)
        return any(_parts_match(rest, parts[number:]) for number in range(len(parts)))
    return (
        bool(parts)
        and is_wildcard_match(parts[0], pattern[0])
        and _parts_match(pattern[1:], parts[1:])
    )


ANY_CHARACTERS = ("", False)
"""Stands for `*`: as a set of characters it would take none."""


def is_wildcard_match(name: str, pattern: str) -> bool:
    """Say whether the whole name is like the pattern."""
    wanted = _pattern_parts(pattern)
    number = at = again = 0
    star = -1
    while number < len(name):
        if at < len(wanted) and wanted[at] == ANY_CHARACTERS:
            star, again = at, number
            at += 1
        elif at < len(wanted) and (name[number] in wanted[at][0]) != wanted[at][1]:
            number, at = number + 1, at + 1
        elif star >= 0:
            # The last star takes one character more.
            again += 1
            number, at = again, star + 1
        else:
            return False
    return all(each == ANY_CHARACTERS for each in wanted[at:])


def _pattern_parts(pattern: str) -> "list[tuple[str, bool]]":
    """Return for each place the characters, and whether it takes all others instead."""
    wanted, place = list[tuple[str, bool]](), 0
    while place < len(pattern):
        one, place = _next_part(pattern, place)
        wanted.append(one)
    return wanted


def _next_part(pattern: str, place: int) -> "tuple[tuple[str, bool], int]":
    match pattern[place]:
        case "*":
            return ANY_CHARACTERS, place + 1
        case "?":
            return ("", True), place + 1
        case "\\":
            return (pattern[place + 1 : place + 2] or "\\", False), place + 2
        case "[":
            # As in a shell, a bracket at the beginning of a set is one of it.
            end = pattern.find("]", place + (3 if pattern[place + 1 : place + 2] in "!^" else 2))
            if end > 0:
                return _character_set(pattern[place + 1 : end]), end + 1
    return (pattern[place], False), place + 1


def _character_set(inside: str) -> "tuple[str, bool]":
    others = inside[0] in "!^"
    inside = inside[1:] if others else inside
    found, place = "", 0
    while place < len(inside):
        if inside[place + 1 : place + 2] == "-" and place + 2 < len(inside):
            found += "".join(map(chr, range(ord(inside[place]), ord(inside[place + 2]) + 1)))
            place += 3
        else:
            found += inside[place]
            place += 1
    # A range from high to low has nothing in it, and must not be taken for a star.
    return found or "\0", others

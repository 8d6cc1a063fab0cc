"""Leave out the paths that a project's `.aiignore` matches.

The file is written like a `.gitignore`: one pattern a line with `*`, `?`, `[…]` and `**`, a slash
at the end for folders, a slash elsewhere for paths from the root, `!` to include a path again.
The last matching line decides, and everything under an ignored folder stays ignored.
"""

import os

from ai_smartness.clients.project import path_in_project, project_at

__all__ = ["IgnoreRules", "WorkingFolder", "is_wildcard_match", "read_ignore_rules"]

IGNORE_FILE = ".aiignore"
MAX_FILE_CHARACTERS = 1_000_000

ANY_CHARACTERS = ("", False)  # stands for `*`: as a set of characters it would match none


class WorkingFolder:
    """The folder that an agent works in, with the ignore rules of its project."""

    __slots__ = ("cwd", "ignore_rules", "root")

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.root = project_at(cwd).root
        self.ignore_rules = read_ignore_rules(self.root)

    def project_path(self, path: str) -> str:
        """Return a path relative to the project's root; empty if it is ignored."""
        relative = path_in_project(self.root, self.cwd, path)
        return "" if self.ignore_rules and self.ignore_rules.is_ignored(relative) else relative


def read_ignore_rules(root: str) -> "IgnoreRules":
    """Read the rules of a project; a project without the file has none."""
    path = os.path.join(root, IGNORE_FILE)
    try:
        # Bytes that are no UTF-8 are matched as the file system writes them.
        with open(path, errors="surrogateescape", encoding="utf-8") as file:
            return IgnoreRules(file.read(MAX_FILE_CHARACTERS))
    except (FileNotFoundError, NotADirectoryError):
        return IgnoreRules("")


class IgnoreRules:
    """The rules of one project."""

    __slots__ = ("_rules",)

    def __init__(self, text: str) -> None:
        lines = (line.rstrip() for line in text.splitlines())
        self._rules = [_IgnoreRule(line) for line in lines if line and not line.startswith("#")]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def is_ignored(self, path: str) -> bool:
        """Say whether a path, relative to the root, is ignored: itself, or a folder above it."""
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        return any(
            self._is_matched(parts[:length], is_folder=length < len(parts))
            for length in range(1, len(parts) + 1)
        )

    def _is_matched(self, parts: list[str], *, is_folder: bool) -> bool:
        matching = [rule for rule in self._rules if rule.is_match(parts, is_folder=is_folder)]
        return bool(matching) and not matching[-1].is_negated


class _IgnoreRule:
    """One line of the file."""

    __slots__ = ("_folders_only", "_pattern", "is_negated")

    def __init__(self, line: str) -> None:
        self.is_negated = line.startswith("!")
        pattern = line[1:] if self.is_negated or line.startswith(("\\!", "\\#")) else line
        self._folders_only = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        parts = [part for part in pattern.split("/") if part]
        self._pattern = parts if "/" in pattern or not parts else ["**", *parts]

    def is_match(self, parts: list[str], *, is_folder: bool) -> bool:
        if not self._pattern or (self._folders_only and not is_folder):
            return False
        return _parts_match(self._pattern, parts)


def _parts_match(pattern: list[str], parts: list[str]) -> bool:
    if not pattern:
        return not parts
    first, rest = pattern[0], pattern[1:]
    if first == "**":
        if rest[:1] == ["**"]:
            return _parts_match(rest, parts)
        if not rest:
            return bool(parts)
        return any(_parts_match(rest, parts[start:]) for start in range(len(parts)))
    return bool(parts) and is_wildcard_match(parts[0], first) and _parts_match(rest, parts[1:])


def is_wildcard_match(name: str, pattern: str) -> bool:
    """Say whether a whole name matches a pattern of `*`, `?` and `[…]`: `fnmatch` loads slowly."""
    sets = _character_sets(pattern)
    number = place = retry = 0
    star = -1
    while number < len(name):
        if place < len(sets) and sets[place] == ANY_CHARACTERS:
            star, retry = place, number
            place += 1
        elif place < len(sets) and (name[number] in sets[place][0]) != sets[place][1]:
            number, place = number + 1, place + 1
        elif star >= 0:
            # The last star takes one character more.
            retry += 1
            number, place = retry, star + 1
        else:
            return False
    return all(characters == ANY_CHARACTERS for characters in sets[place:])


def _character_sets(pattern: str) -> list[tuple[str, bool]]:
    """Return for each place its characters, and whether all others match instead."""
    sets, place = list[tuple[str, bool]](), 0
    while place < len(pattern):
        characters, place = _next_set(pattern, place)
        sets.append(characters)
    return sets


def _next_set(pattern: str, place: int) -> tuple[tuple[str, bool], int]:
    following = pattern[place + 1 : place + 2]
    match pattern[place]:
        case "*":
            return ANY_CHARACTERS, place + 1
        case "?":
            return ("", True), place + 1
        case "\\":
            return (following or "\\", False), place + 2
        case "[":
            # As in a shell, a bracket at the beginning of a set belongs to the set.
            end = pattern.find("]", place + (3 if following in "!^" else 2))
            if end > 0:
                return _bracket_set(pattern[place + 1 : end]), end + 1
    return (pattern[place], False), place + 1


def _bracket_set(inside: str) -> tuple[str, bool]:
    is_negated = inside[0] in "!^"
    inside = inside[1:] if is_negated else inside
    characters, place = "", 0
    while place < len(inside):
        if inside[place + 1 : place + 2] == "-" and place + 2 < len(inside):
            characters += "".join(map(chr, range(ord(inside[place]), ord(inside[place + 2]) + 1)))
            place += 3
        else:
            characters += inside[place]
            place += 1
    # A range from high to low is empty, and must not be taken for a star.
    return characters or "\0", is_negated

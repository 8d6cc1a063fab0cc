"""Whether a name is like a pattern of `*`, `?` and `[…]`, without the cost of `fnmatch`."""

__all__ = ["is_like"]

ANY = ("", False)
"""Stands for `*`: as a set of characters it would take none."""


def is_like(name: str, pattern: str) -> bool:
    """Say whether the whole name is like the pattern."""
    wanted = _wanted(pattern)
    number = at = again = 0
    star = -1
    while number < len(name):
        if at < len(wanted) and wanted[at] == ANY:
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
    return all(each == ANY for each in wanted[at:])


def _wanted(pattern: str) -> "list[tuple[str, bool]]":
    """Return for each place the characters, and whether it takes all others instead."""
    wanted, place = list[tuple[str, bool]](), 0
    while place < len(pattern):
        one, place = _next(pattern, place)
        wanted.append(one)
    return wanted


def _next(pattern: str, place: int) -> "tuple[tuple[str, bool], int]":
    match pattern[place]:
        case "*":
            return ANY, place + 1
        case "?":
            return ("", True), place + 1
        case "\\":
            return (pattern[place + 1 : place + 2] or "\\", False), place + 2
        case "[":
            # As in a shell, a bracket at the beginning of a set is one of it.
            end = pattern.find("]", place + (3 if pattern[place + 1 : place + 2] in "!^" else 2))
            if end > 0:
                return _set(pattern[place + 1 : end]), end + 1
    return (pattern[place], False), place + 1


def _set(inside: str) -> "tuple[str, bool]":
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

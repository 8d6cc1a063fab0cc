"""Find out whether a path asks something of the memory, and what part of it does.

Any form in which a client hands a path on will do: relative, absolute, with
doubled slashes or backslashes. A hook sees every file that an agent reads, so
this loads next to nothing.
"""

import re
from collections.abc import Sequence

from ai_smartness.virtual.encoding import decoded

__all__ = ["is_virtual", "within"]

FOLDER = ".ai"

VERBS = frozenset(
    {"recall", "merge", "split", "unlock", "suggestions", "handoff", "status", "help"}
)
"""What can be asked for. Other files in a folder of this name are somebody's own."""

_SEPARATORS = "/\\"
_SEGMENT = re.compile(r"[^/\\]+")


def is_virtual(path: str) -> bool:
    """Say whether a path asks something of the memory."""
    found = within(path)
    return found is not None and (not found or decoded(found[0].partition("?")[0]) in VERBS)


def within(path: str) -> list[str] | None:
    """Return what follows the last `.ai`, part by part and still encoded."""
    whole = _without_halves(path).strip().rstrip(_SEPARATORS)
    parts = list[str]()
    for found in _SEGMENT.finditer(whole):
        match found[0]:
            case ".":
                pass
            case "..":
                del parts[-1:]
            case segment:
                parts.append(segment)
                if _begins_text(parts):
                    # What is written there is a title or a question, and may hold any path.
                    return [*parts[_last(parts) + 1 : -1], whole[found.start() :]]
    return parts[_last(parts) + 1 :] if FOLDER in parts else None


def _begins_text(parts: Sequence[str]) -> bool:
    match parts:
        case [*_, ".ai", "split", _, confirm]:
            return confirm.startswith("confirm?")
        case [*_, ".ai", "recall" | "suggestions" | "handoff", _]:
            return True
    return False


def _last(parts: Sequence[str]) -> int:
    return max(number for number, part in enumerate(parts) if part == FOLDER)


def _without_halves(path: str) -> str:
    """Return the path without halves of characters: no store takes them."""
    return path.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

"""Find out whether a path asks something of the memory, and what part of it does.

Any form in which a client hands a path on will do: relative, absolute, with
doubled slashes or backslashes. A hook sees every file that an agent reads, so
this loads next to nothing.

Percent-encoding: any text can be written into a path and read out of it again.
"""

import re
from collections.abc import Sequence

__all__ = ["is_virtual", "percent_decoded", "percent_encoded", "virtual_segments"]


VIRTUAL_FOLDER = ".ai"

PATH_VERBS = frozenset(
    ("recall", "merge", "split", "unlock", "suggestions", "statements", "handoff", "status", "help")
)
"""What can be asked for. Other files in a folder of this name are somebody's own."""

_SEPARATORS = "/\\"
_SEGMENT = re.compile(r"[^/\\]+")


def is_virtual(path: str) -> bool:
    """Say whether a path asks something of the memory."""
    found = virtual_segments(path)
    return found is not None and (
        not found or percent_decoded(found[0].partition("?")[0]) in PATH_VERBS
    )


def virtual_segments(path: str) -> list[str] | None:
    """Return what follows the last `.ai`, part by part and still encoded."""
    whole = _without_surrogates(path).strip().rstrip(_SEPARATORS)
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
                    return [*parts[_last_folder_index(parts) + 1 : -1], whole[found.start() :]]
    return parts[_last_folder_index(parts) + 1 :] if VIRTUAL_FOLDER in parts else None


def _begins_text(parts: Sequence[str]) -> bool:
    match parts:
        case [*_, ".ai", "split", _, confirm]:
            return confirm.startswith("confirm?")
        case [*_, ".ai", "recall" | "suggestions" | "statements" | "handoff", _]:
            return True
    return False


def _last_folder_index(parts: Sequence[str]) -> int:
    return max(number for number, part in enumerate(parts) if part == VIRTUAL_FOLDER)


def _without_surrogates(path: str) -> str:
    """Return the path without halves of characters: no store takes them."""
    return path.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_ESCAPES = re.compile("(?:%[0-9A-Fa-f]{2})+")
_PLAIN = frozenset("-._~")


def percent_encoded(text: str) -> str:
    """Write a text so that nothing in it parts a path; letters and digits stay as they are."""
    if not text.strip("."):
        # As they are, `.` and `..` would be taken for folders.
        return "".join(map(_escaped_bytes, text))
    return "".join(
        each if each.isalnum() or each in _PLAIN else _escaped_bytes(each) for each in text
    )


def percent_decoded(text: str) -> str:
    """Read percent-encoded UTF-8; what is none stays as it is."""
    return _ESCAPES.sub(_unescaped_text, text)


def _escaped_bytes(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode(errors="replace"))


def _unescaped_text(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]

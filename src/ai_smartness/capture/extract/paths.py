r"""Find the files and folders a text names.

`src/auth/jwt.py:42`, `C:\repo\main.cs`, `.github/workflows`, `Dockerfile`;
not dates, fractions or `and/or`.
"""

import re
from typing import NamedTuple

from ai_smartness.capture.extract.file_names import BRANCHES, FOLDERS, is_file_name, is_known_ending
from ai_smartness.capture.extract.spans import Span, blanked

__all__ = ["Place", "found_paths"]

LONGEST_PATH_CHARACTERS = 400
"""Past this a run without spaces is a blob."""

PARTS_THAT_NEED_NO_ENDING = 3
"""`read/write` is two words; three parts in backticks are a path."""


class Place(NamedTuple):
    """A file or folder, and the line in it if one was named."""

    path: str
    line: int | None = None


_WINDOWS = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]:\\{1,2}"
    r"(?:[\w.()+@~-]{1,64}(?: [\w.()+@~-]{1,64}){0,2}\\{1,2}){0,20}[\w.()+@~-]{1,100}"
)
_BACKSLASHED = re.compile(r"[\w.@-]{1,64}(?:\\[\w.@-]{1,64}){1,20}")
_OUTSIDE = (
    r"\s\"'`<>|,;{}=?*!：，。、；（）「」『』《》“”‘’"  # noqa: RUF001 - punctuation of other scripts
    r"\u0e00-\u0eff\u1000-\u11ff\u3000-\u9fff\uac00-\ud7a3"
)
# The look ahead passes over words without a slash or an inner dot, which are nearly all.
_CHUNK = re.compile(
    rf"(?<![^{_OUTSIDE}])(?=[^{_OUTSIDE}/.\\]*+(?:[/\\]|\.[^{_OUTSIDE}])|[A-Za-z]{{3,9}}file)"
    rf"[^{_OUTSIDE}]++"
)
_POSITION = re.compile(
    r"(?::(\d{1,7})(?::\d{1,7})?(?:-\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?|\((\d{1,7})\)?)$"
)
_LINE_AFTER = re.compile(r'"?, line (\d{1,7})|:line (\d{1,7})')
_DOMAIN = re.compile(r"(?:[\w-]{1,63}\.){1,6}(?:com|org|net|io|dev|ai|app|co|edu|gov)(?:/|$)")
# Clients let a file be named by `@path`; a package's scope has no ending after it.
_MENTION = re.compile(r"@(?=[\w./-]{1,200}\.\w{1,10}\W*$)")
_HIDDEN = re.compile(r"\.[^\W\d_]")
_LETTER = re.compile(r"[^\W\d_]")


def found_paths(text: str) -> list[tuple[Span, Place]]:
    """Return each file or folder the text names, in order, with where it stands."""
    found = []
    if "\\" in text:
        found = [_placed(text, *match.span()) for match in _WINDOWS.finditer(text)]
        text = blanked(text, (span for span, _ in found))
    # A link in Markdown is two chunks; blanking its seam keeps every position.
    chunks = _CHUNK.finditer(text.replace("](", "  "))
    for match in chunks:
        start, end = match.span()
        if end - start <= LONGEST_PATH_CHARACTERS:
            span, place = _placed(text, *_trimmed(text, start, end))
            if _is_path(place.path, quoted=text[start - 1 : start] == "`"):
                found.append((span, place))
    return sorted(found)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the brackets and full stops around a path, not those inside."""
    while start < end:
        if text[end - 1] in ".:…)]" and not _closes(text[start:end]):
            end -= 1
        elif _is_wrapping(text[start:end]):
            start += 1
        else:
            break
    return start, end


def _is_wrapping(chunk: str) -> bool:
    """Say whether the first character stands before the path, not in it."""
    if chunk[0] in "([":
        return not _opens_inside(chunk)
    return _MENTION.match(chunk) is not None


def _closes(chunk: str) -> bool:
    """Say whether the bracket at the end belongs to one inside."""
    last = chunk[-1]
    if last not in ")]":
        return False
    opening = "(" if last == ")" else "["
    return chunk.count(opening, 1) >= chunk.count(last)


def _opens_inside(chunk: str) -> bool:
    """Say whether the bracket at the start is closed before the end, as in `(group)/page.tsx`."""
    return (")" if chunk[0] == "(" else "]") in chunk[:-1]


def _placed(text: str, start: int, end: int) -> tuple[Span, Place]:
    chunk = text[start:end]
    path = chunk.partition("::")[0]
    position = _POSITION.search(path) or _LINE_AFTER.match(
        text, start + len(path.removesuffix(":line"))
    )
    line = next((int(number) for number in position.groups() if number), None) if position else None
    if position and position.string is path:
        path = path[: position.start()]
    path = path.removesuffix(":line")
    return Span(start, start + len(path)), Place(path, line)


def _is_path(path: str, *, quoted: bool) -> bool:
    if ":" in path or "//" in path or not _LETTER.search(path) or _DOMAIN.match(path):
        return False
    if "\\" in path:
        return _BACKSLASHED.fullmatch(path) is not None and is_known_ending(
            path.rpartition("\\")[2]
        )
    if "/" not in path:
        return is_file_name(path)
    parts = path.split("/")
    if path.startswith(("~/", "./", "../")):
        return True
    if path.startswith("/"):
        return len(parts) >= PARTS_THAT_NEED_NO_ENDING or is_known_ending(parts[-1])
    return _is_relative(parts, quoted=quoted)


def _is_relative(parts: list[str], *, quoted: bool) -> bool:
    if is_known_ending(parts[-1]):
        return True
    if not all(_LETTER.search(part) for part in parts[:-1]) or parts[0].startswith("@"):
        return False
    hidden = _HIDDEN.match(parts[0]) is not None
    if hidden or parts[-1] == "":
        return True
    if not _LETTER.search(parts[-1]):
        return False
    if parts[0] in FOLDERS:
        return len(parts) >= PARTS_THAT_NEED_NO_ENDING or parts[1] not in FOLDERS
    return quoted and len(parts) >= PARTS_THAT_NEED_NO_ENDING and parts[0] not in BRANCHES

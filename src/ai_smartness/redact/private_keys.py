"""Find private key blocks: whole, cut off at either end, or a few lines from the middle.

A key has lines of exactly 64 characters (RFC 7468), or 70 with OpenSSH. So do certificates and
public keys; they stay if their first line says what they are.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from ai_smartness.redact import Secret
from ai_smartness.text.lazy_pattern import LazyPattern

__all__ = ["find_private_keys", "find_public_blocks"]

KIND = "private-key"
LONGEST_BLOCK_CHARACTERS = 30_000
FEWEST_CASE_CHANGES = 10  # in a line of a key; numbers and words have fewer

MARK = LazyPattern(r"-----(BEGIN|END) ([A-Z0-9][A-Z0-9 ]{0,60})-----")
BREAK = LazyPattern(r"\r?\n|(?:\\{1,4}r)?\\{1,4}n|\r")
BASE64_RUN = LazyPattern(r"[A-Za-z0-9+/]{16,}={0,2}")
HEADER = LazyPattern(r"\s*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Key-Type):[^\n]{0,120}")
LONE_LINE = LazyPattern(
    r"^[^A-Za-z=\n]{0,40}?(?<![A-Za-z0-9+/=_-])([A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})"
    r"(?:\\{1,4}[nr]|[\"'`+,;\\ \t\r]){0,12}$",
    re.MULTILINE,
)
KEY_OPENING = LazyPattern(
    r"(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA[AD]|MHcCAQEE|MIGHAgEA|MC4CAQAwBQYDK2Vw"
    r"|b3BlbnNzaC1rZXktdjE|LS0tLS1CRUdJTi)[A-Za-z0-9+/]{20,}={0,2}"
)


def find_private_keys(text: str) -> Iterator[Secret]:
    """Yield the private keys of a text."""
    if "-----" in text:
        yield from _marked_keys(text)
    for line in LONE_LINE.finditer(text):
        letters = filter(str.isalpha, line[1])
        case_changes = sum(a.isupper() != b.isupper() for a, b in pairwise(letters))
        is_path = line[1][0] == "/" and not any(map(str.isdigit, line[1]))
        if case_changes >= FEWEST_CASE_CHANGES and not is_path:
            yield Secret(KIND, line.start(1), line.end(1))
    for start in KEY_OPENING.finditer(text):
        yield Secret(KIND, start.start(), start.end())


def find_public_blocks(text: str) -> list[tuple[int, int]]:
    """Return the spans of certificates and public keys."""
    marks = [mark for mark in MARK.finditer(text) if "PRIVATE" not in mark[2]]
    return [
        (begin.start(), end.end())
        for begin, end in pairwise(marks)
        if (begin[1], end[1]) == ("BEGIN", "END")
    ]


def _marked_keys(text: str) -> Iterator[Secret]:
    marks = [mark for mark in MARK.finditer(text) if "PRIVATE KEY" in mark[2]]
    for place, mark in enumerate(marks):
        if mark[1] == "BEGIN":
            after = marks[place + 1] if place + 1 < len(marks) else None
            longest = min(len(text), mark.end() + LONGEST_BLOCK_CHARACTERS)
            limit = after.start() if after else longest
            end = _end_of_body(text, mark.end(), limit)
            if after and after[1] == "END" and end == after.start():
                end = after.end()
            if end > mark.end() or not _is_quoted(text, mark):
                yield Secret(KIND, mark.start(), end)
        else:
            before = marks[place - 1].end() if place else 0
            limit = max(before, mark.start() - LONGEST_BLOCK_CHARACTERS)
            start = _start_of_body(text, limit, mark.start())
            if start < mark.start() or not _is_quoted(text, mark):
                yield Secret(KIND, start, mark.end())


def _end_of_body(text: str, at: int, limit: int) -> int:
    """Return the end of the lines after a position that may belong to a key."""
    end = at
    while at < limit:
        line_break = BREAK.search(text, at, limit)
        stop = line_break.start() if line_break else limit
        if _ends_in_key(text[at:stop]):
            end = stop
        elif not _may_be_key_line(text[at:stop], last=line_break is None):
            return end
        at = line_break.end() if line_break else limit
    return limit


def _start_of_body(text: str, limit: int, end: int) -> int:
    lines = [limit, *(line_break.end() for line_break in BREAK.finditer(text, limit, end))]
    start, stop = end, end
    for at in reversed(lines):
        line = text[at:stop]
        if _ends_in_key(line):
            start = at + len(line) - len(line.lstrip())
        elif not _may_be_key_line(line, last=stop == end):
            break
        stop = at
    return start


def _ends_in_key(line: str) -> bool:
    """Say whether a line ends with a piece of a key."""
    words = line.strip(" \t\r\n\"'`+,;\\").split()
    return bool(words) and BASE64_RUN.fullmatch(words[-1]) is not None


def _may_be_key_line(line: str, *, last: bool) -> bool:
    bare = line.strip(" \t\r\n\"'`+,;\\*#>|")
    return (
        not bare
        or HEADER.fullmatch(line) is not None
        or (last and bool(re.fullmatch(r"[\d#.: \-]*=?[A-Za-z0-9+/]{1,15}={0,2}", bare)))
    )


def _is_quoted(text: str, mark: re.Match[str]) -> bool:
    """Say whether a mark is only quoted: in code that looks for it, or in a sentence about it."""
    before, after = text[max(0, mark.start() - 1) : mark.start()], text[mark.end() : mark.end() + 1]
    return before == after and before in ('"', "'", "`")

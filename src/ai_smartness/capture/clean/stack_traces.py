"""Shorten a stack trace to the frames that a person would read.

The error, its cause and the frames of the user's own code stay; frames inside libraries become
a count. Python, Node, Java, C#, Go and Rust.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

__all__ = ["without_library_frames"]

OWN_FRAMES_AT_EACH_END = 5  # the beginning and the end explain a deep recursion
LEAST_HIDDEN_FRAMES = 2  # a note for a single frame would be no shorter than the frame

_MAY_HOLD_FRAMES = re.compile(r'^[ \t]+(?:at \S|File ")|^\t\S+:\d|^ +\d+: ', re.MULTILINE)

_PYTHON = re.compile(r'( +)File "[^"]+", line \d+')
_AT = re.compile(
    r"\s+at (?:\S.*(?::\d+|:line \d+)\)?|.*\((?:<anonymous>|native|Native Method|Unknown Source)\)"
    r"|[\w.$<>`]+\(.*\)|[\w.$]+)\s*$"
)
_GO_PLACE = re.compile(r"\t\S+\.(?:go|s):\d+")
_RUST_CALL = re.compile(r" {1,4}\d{1,3}: +(?:0x[0-9a-f]+ - )?\S")
_RUST_BARE_CALL = re.compile(r" {1,4}\d{1,3}: +[\w<>{}#$]++::[^\s;=(]+$")
_RUST_PLACE = re.compile(r"\s+at \S+:\d+")
_FOLDED = re.compile(r"\s*\[… ([\d,]+) frames(?: in libraries)? …\]$")

_LIBRARY = re.compile(
    r"site-packages|dist-packages|/usr/lib/|/lib/python\d|\\Lib\\|<frozen "
    r"|node_modules|node:|\(internal/|\(<anonymous>\)|\(native\)"
    r"|\bat (?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy\.lang|junit|reactor"
    r"|org\.(?:apache|eclipse|gradle|hibernate|junit|springframework|codehaus)|io\.netty"
    r"|System|Microsoft)\."
    r"|/usr/local/go/src/|/go/src/(?:internal|net|reflect|runtime|sync|testing)/|/pkg/mod/"
    r"|/rustc/|\.cargo/registry|\d: +(?:0x[0-9a-f]+ - )?<?(?:std|core|alloc|tokio)::"
    r"|rust_begin_unwind|__libc_start|_start$"
    r"|^\s+at (?:java\.base|[a-z]+)$"
)


@dataclass(frozen=True, slots=True)
class _TraceLines:
    """Lines of a text: one frame, several folded frames, or no frame at all (`frames` 0)."""

    lines: tuple[str, ...]
    frames: int = 1
    library: bool = False


def without_library_frames(text: str) -> str:
    """Replace library frames by their count, trace by trace."""
    if _MAY_HOLD_FRAMES.search(text) is None:
        return text
    pieces = list(_split_frames(text.split("\n")))
    lines: list[str] = []
    for is_trace, group in groupby(pieces, lambda piece: piece.frames > 0):
        trace = list(group)
        for piece in _shortened_trace(trace) if is_trace else trace:
            lines += piece.lines
    return "\n".join(lines)


def _shortened_trace(trace: list[_TraceLines]) -> Iterator[_TraceLines]:
    own = [at for at, frame in enumerate(trace) if not frame.library]
    visible = {*own[:OWN_FRAMES_AT_EACH_END], *own[-OWN_FRAMES_AT_EACH_END:]}
    visible = visible or {0, len(trace) - 1}
    for is_visible, group in groupby(enumerate(trace), lambda item: item[0] in visible):
        frames = [frame for _, frame in group]
        if is_visible or sum(frame.frames for frame in frames) < LEAST_HIDDEN_FRAMES:
            yield from frames
        else:
            yield _hidden_frames(frames)


def _hidden_frames(frames: list[_TraceLines]) -> _TraceLines:
    count = sum(frame.frames for frame in frames)
    where = " in libraries" if all(frame.library for frame in frames) else ""
    first = frames[0].lines[0]
    indent = first[: len(first) - len(first.lstrip())]
    return _TraceLines((f"{indent}[… {count:,} frames{where} …]",), count, library=bool(where))


def _split_frames(lines: list[str]) -> Iterator[_TraceLines]:
    at = 0
    while at < len(lines):
        size = _frame_size(lines, at)
        if size == 0:
            folded = _FOLDED.match(lines[at])
            count = int(folded[1].replace(",", "")) if folded else 0
            yield _TraceLines((lines[at],), count, library="in libraries" in lines[at])
            at += 1
            continue
        frame = tuple(lines[at : at + size])
        yield _TraceLines(frame, library=any(_LIBRARY.search(line) for line in frame))
        at += size


def _frame_size(lines: list[str], at: int) -> int:
    """Return the number of lines of the frame that starts here; 0 if none does."""
    line = lines[at]
    following = lines[at + 1] if at + 1 < len(lines) else ""
    python = _PYTHON.match(line)
    if python:
        return 1 + _indented_lines(lines, at + 1, len(python[1]))
    if _GO_PLACE.match(following) and line.endswith(")") and not line[0].isspace():
        return 2
    if _RUST_PLACE.match(following) and _RUST_CALL.match(line):
        return 2
    return int(_AT.match(line) is not None or _RUST_BARE_CALL.match(line) is not None)


def _indented_lines(lines: list[str], at: int, indent: int) -> int:
    """Count the source lines under a Python frame: a statement and its marker."""
    count = 0
    while at + count < len(lines) and lines[at + count].startswith(" " * (indent + 1)):
        count += 1
    return count

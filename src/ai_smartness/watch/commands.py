"""What of a command is kept: the command, how it ended, and the lines of its output that tell.

The beginning, the end, and what speaks of an error between them.
"""

from ai_smartness.watch.given import Given, inner, text_of
from ai_smartness.watch.place import Place

__all__ = ["ran", "telling_lines"]

MOST_CHARACTERS = 2_000
LONGEST_COMMAND_CHARACTERS = 2_000
LONGEST_LINE_CHARACTERS = 300
HEAD_LINES = 6
TAIL_LINES = 10
ERROR_LINES = 12

LONGEST_LOOKED_AT_CHARACTERS = 2_000_000
"""Of the output, from its end: more lines than anybody reads, and read in a moment."""

_ERRORS = (
    "error",
    "fail",
    "exception",
    "traceback",
    "panic",
    "fatal",
    "cannot",
    "denied",
    "not found",
    "no such",
    "undefined",
    "unresolved",
    "assert",
    "segfault",
    "abort",
    "warning",
    "erreur",
    "fehler",
    "ошибка",
    "错误",
    "エラー",
)
_EXIT = "Exit code "
_PARTS_A_PATH = " \t\n\"'`=:;,|&<>(){}[]"


def ran(given: Given, place: Place) -> "dict[str, object] | None":
    """Return what is kept of a command; nothing if it names an ignored path."""
    command = text_of(given.tool_input, "command").strip()
    if not command or _names_ignored(command, place):
        return None
    code, output = _outcome(given)
    ended = "interrupted" if code is None else f"exit code {code}"
    shown = telling_lines(output, place)
    text = f"$ {_shortened(command, LONGEST_COMMAND_CHARACTERS)}\n[{ended}]"
    return {
        "kind": "TOOL_RESULT",
        "text": f"{text}\n{shown}" if shown else text,
        "payload": {"command": _shortened(command, 500), "exit_code": code},
    }


def telling_lines(output: str, place: Place) -> str:
    """Return the lines of an output that tell something, within the bound."""
    lines = [_tidy(line) for line in _plain(output[-LONGEST_LOOKED_AT_CHARACTERS:]).split("\n")]
    lines = [line for line in lines if line.strip()]
    if place.ignored:
        lines = [line for line in lines if not _names_ignored(line, place)]
    picked = _picked(lines)
    shown, room, last = list[str](), MOST_CHARACTERS, -1
    for number in picked:
        gap = f"[… {number - last - 1:,} lines …]\n" if number - last > 1 else ""
        line = gap + lines[number]
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
        last = number
    if last < len(lines) - 1:
        shown.append(f"[… {len(lines) - 1 - last:,} lines …]")
    return "\n".join(shown)


def _outcome(given: Given) -> "tuple[int | None, str]":
    """Return the exit code, none if it was interrupted, and all that was printed."""
    if given.event == "PostToolUseFailure":
        error = given.text("error")
        first, _, rest = error.partition("\n")
        digits = first.removeprefix(_EXIT).strip()
        if first.startswith(_EXIT) and digits.lstrip("-").isdecimal():
            return int(digits), rest
        return (None if given.fields.get("is_interrupt") is True else 1), error
    response = given.fields.get("tool_response")
    if isinstance(response, str):
        return 0, response
    fields = inner(given.fields, "tool_response")
    printed = (text_of(fields, "stdout"), text_of(fields, "stderr"))
    return _code(fields), "\n".join(each for each in printed if each)


def _code(fields: "dict[str, object]") -> "int | None":
    if fields.get("interrupted") is True:
        return None
    codes = (fields.get(name) for name in ("exitCode", "exit_code", "returnCode"))
    return next((code for code in codes if isinstance(code, int)), 0)


def _picked(lines: "list[str]") -> "list[int]":
    """Return the numbers of the lines to show: errors first in line for the room, then the ends."""
    tells = _telling(lines)
    if len(tells) > ERROR_LINES:
        tells = tells[: ERROR_LINES // 2] + tells[-ERROR_LINES // 2 :]
    ends = [
        *range(min(HEAD_LINES, len(lines))),
        *range(max(0, len(lines) - TAIL_LINES), len(lines)),
    ]
    room, picked = MOST_CHARACTERS, set[int]()
    for number in [*tells, *ends[::-1]]:
        if number not in picked:
            # Its line, its end, and a note on what is left out before it.
            room -= len(lines[number]) + 24
            if room < 0:
                break
            picked.add(number)
    return sorted(picked)


def _telling(lines: "list[str]") -> "list[int]":
    """Return the numbers of the lines that speak of errors."""
    low = [line.lower() for line in lines]
    whole = "\n".join(low)
    words = [word for word in _ERRORS if word in whole]
    return [n for n, line in enumerate(low) if any(word in line for word in words)] if words else []


def _plain(text: str) -> str:
    """Return the text as a terminal shows it, near enough: the memory cleans it thoroughly."""
    if "\x1b" not in text:
        return text
    import re  # noqa: PLC0415 - takes as long as Python itself

    return re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])", "", text)


def _tidy(line: str) -> str:
    # A progress bar writes over itself; what it wrote last is what is seen.
    return _shortened(line.rstrip().rpartition("\r")[2].rstrip(), LONGEST_LINE_CHARACTERS)


def _names_ignored(line: str, place: Place) -> bool:
    if not place.ignored:
        return False
    for each in _PARTS_A_PATH:
        line = line.replace(each, " ")
    return any(not place.path(word) for word in line.split(" ") if word.strip("./-"))


def _shortened(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    return f"{text[:characters]} [… {len(text) - characters:,} characters more]"

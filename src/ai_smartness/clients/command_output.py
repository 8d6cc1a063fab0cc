"""What of a command is kept: the command, how it ended, and the lines of its output that tell.

The beginning, the end, and what speaks of an error between them.
"""

from ai_smartness.clients.hook_event import HookEvent, object_field, text_field
from ai_smartness.clients.ignore import WorkingFolder

__all__ = ["command_record", "informative_lines"]

MAX_OUTPUT_CHARACTERS = 2_000
MAX_COMMAND_CHARACTERS = 2_000
MAX_LINE_CHARACTERS = 300
HEAD_LINES = 6
TAIL_LINES = 10
ERROR_LINES = 12

MAX_SCANNED_CHARACTERS = 2_000_000
"""Of the output, from its end: more lines than anybody reads, and read in a moment."""

_ERROR_WORDS = (
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
_EXIT_PREFIX = "Exit code "
_PATH_DELIMITERS = " \t\n\"'`=:;,|&<>(){}[]"


def command_record(given: HookEvent, place: WorkingFolder) -> "dict[str, object] | None":
    """Return what is kept of a command; nothing if it names an ignored path."""
    command = text_field(given.tool_input, "command").strip()
    if not command or _has_ignored_path(command, place):
        return None
    code, output = _command_outcome(given)
    ended = "interrupted" if code is None else f"exit code {code}"
    shown = informative_lines(output, place)
    text = f"$ {_shortened_text(command, MAX_COMMAND_CHARACTERS)}\n[{ended}]"
    return {
        "kind": "TOOL_RESULT",
        "text": f"{text}\n{shown}" if shown else text,
        "payload": {"command": _shortened_text(command, 500), "exit_code": code},
    }


def informative_lines(output: str, place: WorkingFolder) -> str:
    """Return the lines of an output that tell something, within the bound."""
    lines = [
        _tidied_line(line) for line in _without_ansi(output[-MAX_SCANNED_CHARACTERS:]).split("\n")
    ]
    lines = [line for line in lines if line.strip()]
    if place.ignored:
        lines = [line for line in lines if not _has_ignored_path(line, place)]
    picked = _picked_line_numbers(lines)
    shown, room, last = list[str](), MAX_OUTPUT_CHARACTERS, -1
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


def _command_outcome(given: HookEvent) -> "tuple[int | None, str]":
    """Return the exit code, none if it was interrupted, and all that was printed."""
    if given.event_name == "PostToolUseFailure":
        error = given.text_field("error")
        first, _, rest = error.partition("\n")
        digits = first.removeprefix(_EXIT_PREFIX).strip()
        if first.startswith(_EXIT_PREFIX) and digits.lstrip("-").isdecimal():
            return int(digits), rest
        return (None if given.fields.get("is_interrupt") is True else 1), error
    response = given.fields.get("tool_response")
    if isinstance(response, str):
        return 0, response
    fields = object_field(given.fields, "tool_response")
    printed = (text_field(fields, "stdout"), text_field(fields, "stderr"))
    return _exit_code(fields), "\n".join(each for each in printed if each)


def _exit_code(fields: "dict[str, object]") -> "int | None":
    if fields.get("interrupted") is True:
        return None
    codes = (fields.get(name) for name in ("exitCode", "exit_code", "returnCode"))
    return next((code for code in codes if isinstance(code, int)), 0)


def _picked_line_numbers(lines: "list[str]") -> "list[int]":
    """Return the numbers of the lines to show: errors first in line for the room, then the ends."""
    tells = _error_line_numbers(lines)
    if len(tells) > ERROR_LINES:
        tells = tells[: ERROR_LINES // 2] + tells[-ERROR_LINES // 2 :]
    ends = [
        *range(min(HEAD_LINES, len(lines))),
        *range(max(0, len(lines) - TAIL_LINES), len(lines)),
    ]
    room, picked = MAX_OUTPUT_CHARACTERS, set[int]()
    for number in [*tells, *ends[::-1]]:
        if number not in picked:
            # Its line, its end, and a note on what is left out before it.
            room -= len(lines[number]) + 24
            if room < 0:
                break
            picked.add(number)
    return sorted(picked)


def _error_line_numbers(lines: "list[str]") -> "list[int]":
    """Return the numbers of the lines that speak of errors."""
    low = [line.lower() for line in lines]
    whole = "\n".join(low)
    words = [word for word in _ERROR_WORDS if word in whole]
    return [n for n, line in enumerate(low) if any(word in line for word in words)] if words else []


def _without_ansi(text: str) -> str:
    """Return the text as a terminal shows it, near enough: the memory cleans it thoroughly."""
    if "\x1b" not in text:
        return text
    import re

    return re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])", "", text)


def _tidied_line(line: str) -> str:
    # A progress bar writes over itself; what it wrote last is what is seen.
    return _shortened_text(line.rstrip().rpartition("\r")[2].rstrip(), MAX_LINE_CHARACTERS)


def _has_ignored_path(line: str, place: WorkingFolder) -> bool:
    if not place.ignored:
        return False
    for each in _PATH_DELIMITERS:
        line = line.replace(each, " ")
    return any(not place.project_path(word) for word in line.split(" ") if word.strip("./-"))


def _shortened_text(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    return f"{text[:characters]} [… {len(text) - characters:,} characters more]"

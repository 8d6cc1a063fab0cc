"""Record a command: the command line, its exit code, and the informative lines of its output.

Those are its first lines, its last lines, and lines about errors in between.
"""

from ai_smartness.clients.hook_event import Fields, HookEvent, object_field, text_field
from ai_smartness.clients.ignore import WorkingFolder

__all__ = ["command_record", "informative_lines"]

MAX_OUTPUT_CHARACTERS = 2_000
MAX_COMMAND_CHARACTERS = 2_000
MAX_LINE_CHARACTERS = 300
HEAD_LINES = 6
TAIL_LINES = 10
ERROR_LINES = 12
PICKING_ROUNDS = 8  # after this many, lines that name ignored paths are not replaced by others

MAX_SCANNED_CHARACTERS = 2_000_000
"""The end of the output that is scanned: more than anybody reads, and scanned in a moment."""

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


def command_record(event: HookEvent, folder: WorkingFolder) -> Fields | None:
    """Return the record of a command; nothing if it names an ignored path."""
    command = text_field(event.tool_input, "command").strip()
    if not command or _has_ignored_path(command, folder):
        return None
    code, output = _command_outcome(event)
    ended = "interrupted" if code is None else f"exit code {code}"
    lines = informative_lines(output, folder)
    text = f"$ {_shortened_text(command, MAX_COMMAND_CHARACTERS)}\n[{ended}]"
    return {
        "kind": "TOOL_RESULT",
        "text": f"{text}\n{lines}" if lines else text,
        "payload": {"command": _shortened_text(command, 500), "exit_code": code},
    }


def informative_lines(output: str, folder: WorkingFolder) -> str:
    """Return the informative lines of an output, within `MAX_OUTPUT_CHARACTERS`."""
    plain = _without_ansi(output[-MAX_SCANNED_CHARACTERS:])
    lines = [line for raw in plain.split("\n") if (line := _tidied_line(raw)).strip()]
    lines, numbers = _allowed_lines(lines, folder)
    picked, room, last = list[str](), MAX_OUTPUT_CHARACTERS, -1
    for number in numbers:
        gap = f"[… {number - last - 1:,} lines …]\n" if number - last > 1 else ""
        line = gap + lines[number]
        room -= len(line) + 1
        if room < 0:
            break
        picked.append(line)
        last = number
    if last < len(lines) - 1:
        picked.append(f"[… {len(lines) - 1 - last:,} lines …]")
    return "\n".join(picked)


def _allowed_lines(lines: list[str], folder: WorkingFolder) -> tuple[list[str], list[int]]:
    """Return the lines without those found to name an ignored path, and the numbers to record.

    Only lines that would be recorded are checked: an output can have a hundred thousand.
    """
    for _ in range(PICKING_ROUNDS):
        numbers = _picked_line_numbers(lines)
        ignored = {number for number in numbers if _has_ignored_path(lines[number], folder)}
        if not ignored:
            return lines, numbers
        lines = [line for number, line in enumerate(lines) if number not in ignored]
    numbers = _picked_line_numbers(lines)
    return lines, [number for number in numbers if not _has_ignored_path(lines[number], folder)]


def _command_outcome(event: HookEvent) -> tuple[int | None, str]:
    """Return the exit code, None after an interruption, and the whole output."""
    if event.event_name == "PostToolUseFailure":
        error = event.text_field("error")
        first, _, rest = error.partition("\n")
        digits = first.removeprefix(_EXIT_PREFIX).strip()
        if first.startswith(_EXIT_PREFIX) and digits.lstrip("-").isdecimal():
            return int(digits), rest
        return (None if event.fields.get("is_interrupt") is True else 1), error
    response = event.fields.get("tool_response")
    if isinstance(response, str):
        return 0, response
    fields = object_field(event.fields, "tool_response")
    outputs = (text_field(fields, "stdout"), text_field(fields, "stderr"))
    codes = (fields.get(name) for name in ("exitCode", "exit_code", "returnCode"))
    code = next((code for code in codes if isinstance(code, int)), 0)
    is_interrupted = fields.get("interrupted") is True
    return None if is_interrupted else code, "\n".join(filter(None, outputs))


def _picked_line_numbers(lines: list[str]) -> list[int]:
    """Return the numbers of the lines to record: room goes to errors first, then to both ends."""
    errors = _error_line_numbers(lines)
    if len(errors) > ERROR_LINES:
        errors = errors[: ERROR_LINES // 2] + errors[-ERROR_LINES // 2 :]
    ends = [
        *range(min(HEAD_LINES, len(lines))),
        *range(max(0, len(lines) - TAIL_LINES), len(lines)),
    ]
    room, picked = MAX_OUTPUT_CHARACTERS, set[int]()
    for number in [*errors, *ends[::-1]]:
        if number not in picked:
            # The line, its end, and a note on the lines left out before it.
            room -= len(lines[number]) + 24
            if room < 0:
                break
            picked.add(number)
    return sorted(picked)


def _error_line_numbers(lines: list[str]) -> list[int]:
    """Return the numbers of the lines about errors."""
    low = [line.lower() for line in lines]
    whole = "\n".join(low)
    words = [word for word in _ERROR_WORDS if word in whole]
    return [n for n, line in enumerate(low) if any(word in line for word in words)] if words else []


def _without_ansi(text: str) -> str:
    """Return the text without escape sequences; capture cleans it thoroughly later."""
    if "\x1b" not in text:
        return text
    import re

    return re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])", "", text)


def _tidied_line(line: str) -> str:
    # A progress bar overwrites itself; only its last state is seen.
    return _shortened_text(line.rstrip().rpartition("\r")[2].rstrip(), MAX_LINE_CHARACTERS)


def _has_ignored_path(line: str, folder: WorkingFolder) -> bool:
    if not folder.ignore_rules:
        return False
    line = line.translate(dict.fromkeys(map(ord, _PATH_DELIMITERS), " "))
    return any(not folder.project_path(word) for word in line.split(" ") if word.strip("./-"))


def _shortened_text(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    return f"{text[:characters]} [… {len(text) - characters:,} characters more]"

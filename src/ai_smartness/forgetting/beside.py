"""Take what was forgotten out of the files beside the store: the inbox, logs, answers to reads."""

import re

from ai_smartness.forgetting.forget import Gone
from ai_smartness.forgetting.traces import ids_in
from ai_smartness.forgetting.waiting import is_meant
from ai_smartness.model.forgetting import Selection
from ai_smartness.ports.forgetting import OwnFiles

__all__ = ["clean", "still_waiting"]

_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")


def clean(files: OwnFiles, selection: Selection, gone: Gone) -> dict[str, str]:
    """Take it out of all of them; tell what was done to which."""

    def is_clean(text: str) -> bool:
        return not gone.traces.are_in(_plain(text))

    def tells_nothing(text: str) -> bool:
        return is_clean(text) and ids_in(text).isdisjoint(gone.ids)

    return {
        **files.keep_waiting(lambda line: not is_meant(line, selection, gone.ids)),
        **files.keep_lines(is_clean),
        **files.keep_answers(tells_nothing),
    }


def still_waiting(files: OwnFiles | None, selection: Selection) -> tuple[str, ...]:
    """Return what waits in the inbox and is not to be forgotten: its words remain."""
    lines = files.waiting() if files else ()
    return tuple(_plain(line) for line in lines if line and not is_meant(line, selection, ()))


def _plain(line: str) -> str:
    """Return a line with the characters that JSON wrote as escapes."""
    if "\\u" not in line:
        return line
    read = _ESCAPED.sub(lambda each: chr(int(each[1], 16)), line)
    return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

r"""Reduce a program's output to the final state of the terminal.

Colours and overwritten text are removed, and only the last state of a progress bar stays. Text
that never was in a terminal is left alone.
"""

import re
from itertools import pairwise

__all__ = ["final_screen", "without_escapes"]

_ESCAPE = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    "|\x1b\\][^\x07\x1b\n]*+(?:\x07|\x1b\\\\)"
    "|\x1b\\][0-9]*+;?"
    "|\x1b[PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\\\)"
    "|\x1b[ -/]*+[0-~]?"
)
_ERASE_LINE = "\x1b[2K"
_RETURNS_AND_NEWLINE = re.compile("(?<!\r)\r++\n")
_TO_LINE_START = re.compile("\x1b\\[[01]?G")

_NUMBER = re.compile(r"[0-9][0-9.,:]*")
_COUNT = re.compile(
    r"[0-9.]+ ?%|[0-9.]+ ?[kKMGT]i?B"
    r"|[0-9.]+ ?(?:[kKMGT]?i?B)?/[0-9.]+ ?(?:[kKMGT]?i?B)?(?![A-Za-z])"
)
_BLOCKS = "█▉▊▋▌▍▎▏░▒▓■□▰▱"
_BAR = re.compile(
    r"[\[(⸨▕][#=\-.>*~ " + _BLOCKS + r"━─╸╺]{5,}+[\])⸩▏]"
    r"|\|[#\- " + _BLOCKS + r"]{3,}+\|(?= *[0-9])"
    r"|[" + _BLOCKS + r"━╸╺╾╼]{5,}+"
)
_EMPTY_BAR = re.compile(r"[\[⸨][.#░ ]{10,}+[\]⸩]")
_PERCENT_AT_AN_END = re.compile(r"^ *[0-9.]+ ?%|[0-9] ?% *$")
_SPINNING = "[⠁-⣿◐◓◑◒◴◷◶◵] "
_ANY_SPINNER = re.compile(_SPINNING)
_SPINNER = re.compile(" *" + _SPINNING)
_ASCII_SPINNER = re.compile(r"[|/\\-] *$")

LONGEST_BAR_LINE_CHARACTERS = 400
"""No terminal is wider; a longer line with a bar in it is something else."""


def without_escapes(text: str) -> str:
    """Drop colour, title, link and cursor codes."""
    return _ESCAPE.sub("", text) if "\x1b" in text or "\x9b" in text else text


def final_screen(text: str) -> str:
    """Return the screen as it was when the program ended."""
    if "\x1b" in text or "\x9b" in text:
        text = "\n".join(map(_without_erased, text.split("\n")))
        text = without_escapes(_TO_LINE_START.sub("\r", text))
    if "\b" in text:
        text = _apply_backspaces(text)
    if "\r" in text:
        text = _apply_returns(text)
    return _last_bar_lines(text)


def _without_erased(line: str) -> str:
    """Drop the erased part of a line, unless nothing replaced it."""
    before, _, after = line.rpartition(_ERASE_LINE)
    return after if without_escapes(after).strip() else before + after


def _apply_backspaces(text: str) -> str:
    characters: list[str] = []
    for character in text:
        if character != "\b":
            characters.append(character)
        elif characters and characters[-1] not in "\r\n":
            characters.pop()
    return "".join(characters)


def _apply_returns(text: str) -> str:
    r"""Apply carriage returns that overwrite; a lone `\r` between two other lines is a newline."""
    lines = _RETURNS_AND_NEWLINE.sub("\n", text).split("\n")
    return "\n".join(_final_states(line) if "\r" in line else line for line in lines)


def _final_states(line: str) -> str:
    states = line.lstrip("\r").split("\r")
    final = [state for state, later in pairwise(states) if not _is_overwritten(state, later)]
    return "\n".join([*final, states[-1]])


def _is_overwritten(state: str, later: str) -> bool:
    if not state.strip() or not later.strip():
        return False
    return _progress_shape(state) == _progress_shape(later) or _is_progress(state, later)


def _progress_shape(state: str) -> str:
    return _NUMBER.sub("#", _ASCII_SPINNER.sub("", state)).strip()


def _is_progress(state: str, later: str) -> bool:
    if len(state) > LONGEST_BAR_LINE_CHARACTERS:
        return False
    if _SPINNER.match(state) or _EMPTY_BAR.search(state) or _PERCENT_AT_AN_END.search(state):
        return True
    if _COUNT.search(state) is None:
        return False
    return _BAR.search(state) is not None or state.split(None, 1)[0] == later.split(None, 1)[0]


def _last_bar_lines(text: str) -> str:
    """Keep the last line of each bar in every run of bar lines."""
    if _BAR.search(text) is None and _ANY_SPINNER.search(text) is None:
        return text
    lines: list[str] = []
    bars: dict[str, str] = {}
    for line in text.split("\n"):
        label = _bar_label(line)
        if label is None:
            lines += [*bars.values(), line]
            bars = {}
        else:
            bars[label] = line
    return "\n".join([*lines, *bars.values()])


def _bar_label(line: str) -> str | None:
    """Return the words before the bar, or else after it; nothing for a line without a bar."""
    if len(line) > LONGEST_BAR_LINE_CHARACTERS:
        return None
    spinner = _SPINNER.match(line)
    if spinner:
        return _NUMBER.sub("", line[spinner.end() :]).strip()
    bar = _BAR.search(line)
    if bar is None or _COUNT.search(line) is None:
        return None
    before, after = line[: bar.start()], line[bar.end() :]
    return _COUNT.sub("", before if before.strip() else _NUMBER.sub("", after)).strip()

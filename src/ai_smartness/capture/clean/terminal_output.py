r"""Show a program's output as the terminal showed it in the end.

Colours go, what was overwritten goes, and of a progress bar only its last
state stays. Text that never was in a terminal is left alone.
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
"""No terminal is wider; a longer line with a bar in it is about something else."""


def without_escapes(text: str) -> str:
    """Drop colour, title, link and cursor codes, and keep the words between them."""
    return _ESCAPE.sub("", text) if "\x1b" in text or "\x9b" in text else text


def final_screen(text: str) -> str:
    """Return what was left on the screen when the program was done."""
    if "\x1b" in text or "\x9b" in text:
        text = without_escapes(_TO_LINE_START.sub("\r", _without_erased(text)))
    if "\b" in text:
        text = _apply_backspaces(text)
    if "\r" in text:
        text = _apply_returns(text)
    return _last_bar_lines(text)


def _without_erased(text: str) -> str:
    """Drop from each line what the program itself erased, unless nothing came in its place."""
    return "\n".join(map(_after_erasing, text.split("\n")))


def _after_erasing(line: str) -> str:
    before, _, after = line.rpartition(_ERASE_LINE)
    return after if without_escapes(after).strip() else before + after


def _apply_backspaces(text: str) -> str:
    kept: list[str] = []
    for character in text:
        if character != "\b":
            kept.append(character)
        elif kept and kept[-1] not in "\r\n":
            kept.pop()
    return "".join(kept)


def _apply_returns(text: str) -> str:
    r"""Apply carriage returns that overwrite; a lone `\r` between two other lines is a newline."""
    lines = _RETURNS_AND_NEWLINE.sub("\n", text).split("\n")
    return "\n".join(_final_states(line) if "\r" in line else line for line in lines)


def _final_states(line: str) -> str:
    states = line.lstrip("\r").split("\r")
    kept = [state for state, later in pairwise(states) if not _is_overwritten(state, later)]
    return "\n".join([*kept, states[-1]])


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
    return _BAR.search(state) is not None or _first_word(state) == _first_word(later)


def _first_word(state: str) -> str:
    return state.split(maxsplit=1)[0]


def _last_bar_lines(text: str) -> str:
    """Keep, in each stretch of bar lines, the last line of each bar."""
    if _BAR.search(text) is None and _ANY_SPINNER.search(text) is None:
        return text
    kept: list[str] = []
    stretch: dict[str, str] = {}
    for line in text.split("\n"):
        label = _bar_label(line)
        if label is None:
            kept += [*stretch.values(), line]
            stretch = {}
        else:
            stretch[label] = line
    return "\n".join([*kept, *stretch.values()])


def _bar_label(line: str) -> str | None:
    """Say which bar a line shows, by the words before it or else after it."""
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

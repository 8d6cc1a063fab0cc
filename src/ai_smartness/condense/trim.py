"""Keep all messages of a thread and cut its tool output.

The head and tail of an output stay, and lines that name errors and files. A mark says that
it was cut.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ai_smartness.condense.condenser import Context
from ai_smartness.condense.tool_calls import view_tokens
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType

__all__ = ["TRUNCATED", "TrimToolResults", "trimmed_output", "unchanged_replacement"]

TRUNCATED = "[results truncated to save space.]"

STEPS_CHARACTERS = (4_000, 2_000, 1_000, 500, 250, 120, 60)
"""Lengths of each output, tried in turn until the whole is within the target."""

HEAD_SHARE = 0.4
TAIL_SHARE = 0.3

MAX_LINE_CHARACTERS = 200

_ERROR_OR_PATH = re.compile(
    r"error|exception|traceback|fail|fatal|panic|denied|not found|warning|assert|exit code"
    r"|[\w.-]+/[\w./-]+\.\w{1,6}\b"
    r"|\b\w+\.(?:py|ts|tsx|js|go|rs|java|rb|c|h|cpp|md|toml|json|ya?ml)\b",
    re.IGNORECASE,
)


class TrimToolResults:
    """Cuts tool output, and nothing else."""

    id = "trim-tool-results"
    version = "1"
    parameters: Mapping[str, object] = {"characters": 0}
    """`characters` to keep of each output; 0 goes by the target."""

    def condense(self, events: Sequence[Event], context: Context) -> list[Replacement]:
        """Return all events, with outputs cut until the whole fits the target, if it can."""
        wanted = context.parameters.get("characters")
        steps = (wanted,) if isinstance(wanted, int) and wanted > 0 else STEPS_CHARACTERS
        written: list[Replacement] = []
        for characters in steps:
            written = [_trimmed_event(event, characters) for event in events]
            if view_tokens(written) <= context.target:
                break
        return written


def trimmed_output(text: str, characters: int) -> str:
    """Return an output cut to about this many characters, with its telling lines."""
    if len(text) <= characters + len(TRUNCATED):
        return text
    lines = [
        line if len(line) <= MAX_LINE_CHARACTERS else line[: MAX_LINE_CHARACTERS - 1] + "…"
        for line in text.splitlines()
        if line.strip()
    ]
    picked = (lines[number] for number in sorted(_picked_lines(lines, characters)))
    return "\n".join([*picked, TRUNCATED])


def unchanged_replacement(event: Event) -> Replacement:
    """Return an event as its own replacement."""
    return Replacement(
        type=event.type, role=event.role, text=event.text, at=event.at, payload=event.payload
    )


def _trimmed_event(event: Event, characters: int) -> Replacement:
    replacement = unchanged_replacement(event)
    if event.type is not EventType.TOOL_RESULT:
        return replacement
    return replace(replacement, text=trimmed_output(event.text, characters))


def _picked_lines(lines: Sequence[str], characters: int) -> set[int]:
    numbers = range(len(lines))
    picked = set(_lines_within(lines, numbers, characters * HEAD_SHARE))
    picked.update(_lines_within(lines, reversed(numbers), characters * TAIL_SHARE))
    room = characters - sum(len(lines[number]) + 1 for number in picked)
    telling = [n for n in numbers if n not in picked and _ERROR_OR_PATH.search(lines[n])]
    # The last errors are the ones a program stopped at.
    picked.update(_lines_within(lines, reversed(telling), room))
    return picked


def _lines_within(lines: Sequence[str], numbers: Iterable[int], room: float) -> list[int]:
    fitting: list[int] = []
    for number in numbers:
        room -= len(lines[number]) + 1
        if room < 0:
            break
        fitting.append(number)
    return fitting

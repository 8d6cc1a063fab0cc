"""Keep the flow of a thread and cut what tools answered.

Of an output its head, its tail and the lines that tell of errors and files are
kept, and a mark says that it was cut.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from ai_smartness.condense.condenser import Context
from ai_smartness.condense.event_tokens import view_tokens
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType

__all__ = ["TRUNCATED", "TrimToolResults", "trimmed_output", "unchanged_replacement"]

TRUNCATED = "[results truncated to save space.]"

STEPS_CHARACTERS = (4_000, 2_000, 1_000, 500, 250, 120, 60)
"""Of each output, tried in turn until all is within the target."""

HEAD_SHARE = 0.4
TAIL_SHARE = 0.3

LONGEST_LINE_CHARACTERS = 200

_ERROR_OR_PATH = re.compile(
    r"error|exception|traceback|fail|fatal|panic|denied|not found|warning|assert|exit code"
    r"|[\w.-]+/[\w./-]+\.\w{1,6}\b|\b\w+\.(?:py|ts|tsx|js|go|rs|java|rb|c|h|cpp|md|toml|json|ya?ml)\b",
    re.IGNORECASE,
)


class TrimToolResults:
    """Cuts tool output, and nothing else."""

    id = "trim-tool-results"
    version = "1"
    parameters: Mapping[str, object] = {"characters": 0}
    """`characters` of each output that are kept; 0 goes by the target."""

    def condense(self, events: Sequence[Event], context: Context) -> list[Replacement]:
        """Return all events, the outputs cut until all fit the target, or as far as can be."""
        asked = context.parameters.get("characters")
        steps = (asked,) if isinstance(asked, int) and asked > 0 else STEPS_CHARACTERS
        written: list[Replacement] = []
        for characters in steps:
            written = [_trimmed_event(event, characters) for event in events]
            if view_tokens(written) <= context.target:
                break
        return written


def trimmed_output(text: str, characters: int) -> str:
    """Return an output cut to about so many characters, its telling lines kept."""
    if len(text) <= characters + len(TRUNCATED):
        return text
    lines = [_shortened_line(line) for line in text.splitlines() if line.strip()]
    kept = sorted(_picked_lines(lines, characters))
    shown = [lines[number] for number in kept]
    return "\n".join([*shown, TRUNCATED])


def unchanged_replacement(event: Event) -> Replacement:
    """Return an event to stand for itself."""
    return Replacement(
        type=event.type, role=event.role, text=event.text, at=event.at, payload=event.payload
    )


def _trimmed_event(event: Event, characters: int) -> Replacement:
    copy = unchanged_replacement(event)
    if event.type is not EventType.TOOL_RESULT:
        return copy
    return Replacement(
        type=copy.type,
        role=copy.role,
        text=trimmed_output(event.text, characters),
        at=copy.at,
        payload=copy.payload,
    )


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
    found: list[int] = []
    for number in numbers:
        room -= len(lines[number]) + 1
        if room < 0:
            break
        found.append(number)
    return found


def _shortened_line(line: str) -> str:
    if len(line) <= LONGEST_LINE_CHARACTERS:
        return line
    return line[: LONGEST_LINE_CHARACTERS - 1] + "…"

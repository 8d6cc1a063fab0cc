"""A thread that is to be split, on the screen: its messages, and the groups they are in."""

from typing import TYPE_CHECKING

from ai_smartness.entrypoints.cli.output import console, visible
from ai_smartness.entrypoints.cli.split_draft import STAYS
from ai_smartness.entrypoints.cli.status import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ai_smartness.entrypoints.cli.split_draft import Draft
    from ai_smartness.model.event import Event
    from ai_smartness.model.split import SplitProposal

__all__ = ["print_draft"]

READ_CHARACTERS = 500
"""No terminal shows more of a message on one line."""

LEAST_COLUMNS = 20
"""Of a message, however long the ids are."""

COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")


def print_draft(proposal: "SplitProposal", draft: "Draft", *, numbered: bool = False) -> None:
    """Print every message with its group and its first line, then the groups.

    In a dialogue, which is on stderr, messages go by their numbers, not by their ids.
    """
    screen, thread = console(stderr=numbered), proposal.thread
    title = visible(f"{thread.id} “{thread.title}”, {counted(len(proposal.messages), 'message')}")
    screen.print(title, style="bold", soft_wrap=True)
    names = [
        str(number) if numbered else visible(event.id)
        for number, event in enumerate(proposal.messages, 1)
    ]
    _print_messages(screen, draft, proposal.messages, names)
    _print_groups(screen, draft)


def _print_messages(
    screen: "Console", draft: "Draft", messages: "Sequence[Event]", names: "Sequence[str]"
) -> None:
    from rich.cells import cell_len  # noqa: PLC0415 - not for --help
    from rich.table import Table  # noqa: PLC0415 - not for --help

    roles = [visible(event.role) for event in messages]
    widths = [max(map(cell_len, column), default=0) for column in (names, [STAYS], roles)]
    left = max(LEAST_COLUMNS, screen.width - sum(width + 2 for width in widths))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for width in widths:
        table.add_column(width=width, no_wrap=True)
    table.add_column(max_width=left, no_wrap=True, overflow="ellipsis")
    for number, (name, event, role) in enumerate(zip(names, messages, roles, strict=True), 1):
        letter = draft.letters.get(number, STAYS)
        table.add_row(name, letter, role, visible(_first_line(event.text)), style=_colour(letter))
    screen.print(table)


def _print_groups(screen: "Console", draft: "Draft") -> None:
    for letter, ids in draft.groups.items():
        title = visible(draft.titles.get(letter) or "(no title yet)")
        line = f"{letter}  “{title}”, {counted(len(ids), 'message')}"
        screen.print(line, style=_colour(letter), soft_wrap=True)
    stay = len(draft.messages) - len(draft.letters)
    screen.print(f"{STAYS}  {counted(stay, 'message')} would stay", soft_wrap=True)
    screen.print(f"lock: {draft.lock}", soft_wrap=True)


def _first_line(text: str) -> str:
    """Return the first line that says something, and of an endless one its beginning."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:READ_CHARACTERS]


def _colour(letter: str) -> str:
    return "" if letter == STAYS else COLOURS[ord(letter) % len(COLOURS)]

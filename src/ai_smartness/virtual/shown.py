"""Show what is stored as what it is: data, on one line, that cannot pass for words of ours."""

from collections.abc import Iterator

from ai_smartness.model.saying import one_line, shortened

__all__ = ["listed", "quoted"]

READ_CHARACTERS = 400
"""Of a text of which a line is shown; what follows would not be seen."""


def quoted(text: str, most: int) -> str:
    """Show the beginning of a text between quotation marks."""
    beginning = one_line(text.lstrip()[:READ_CHARACTERS]).replace('"', '\\"')
    return f'"{shortened(beginning, most)}"'


def listed(names: tuple[str, ...], most: int) -> str:
    """List as many names as there is room for, and say how many more there are."""
    shown = list(_fitting(names, most))
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" … and {more:,} more" if more else "")


def _fitting(names: tuple[str, ...], most: int) -> Iterator[str]:
    room = most
    for name in names:
        room -= len(name) + 2
        if room < 0:
            return
        yield name

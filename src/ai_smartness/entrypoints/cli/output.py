"""How `ais` prints: tables and wrapped text for people, JSON for programs.

Stored text is printed as it is and never obeyed: no markup, no control characters. Away from a
terminal there is no colour, and nothing is wrapped or cut off.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence

import click

from ai_smartness.entrypoints.cli.layout import GAP, TAB_COLUMNS, table_rows, wrapped_text
from ai_smartness.entrypoints.cli.progress import progress_bar
from ai_smartness.entrypoints.cli.screen import is_plain, screen_width, styled_text
from ai_smartness.model.short_ids import short_id
from ai_smartness.model.thread import short_thread_id
from ai_smartness.text.display import counted_noun, formatted_time, shortened_text, size_text

__all__ = [
    "counted_noun",
    "formatted_time",
    "one_line",
    "print_json",
    "print_note",
    "print_table",
    "print_text",
    "progress_bar",
    "safe_text",
    "screen_width",
    "shown_id",
    "shown_thread_id",
    "size_text",
    "styled_text",
]

MIN_WRAPPED_COLUMNS = 20  # of a text that is indented: less is not readable

CONTROL_ESCAPES = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def print_text(text: str, *, hang: int = 0, style: str = "", err: bool = False) -> None:
    """Print stored text, on a terminal wrapped between words.

    A line that goes on is indented as it began, and by `hang` more; an item of a list, below
    its text.
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        click.echo(safe_text(text), err=err)
        return
    room = screen_width(stderr=err)
    # A progress bar may stand on this line.
    erase = "\x1b[K" if err and not is_plain(sys.stderr) else ""
    # Not `splitlines`, which also breaks at characters that are no line breaks in stored text.
    for line in safe_text(text).split("\n"):
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        further = indent + (2 if body.startswith(("- ", "* ")) else hang)
        parts = _hanging_lines(body, max(MIN_WRAPPED_COLUMNS, room - indent), further - indent)
        for number, part in enumerate(parts):
            start = " " * (further if number else indent)
            click.echo(f"{erase}{styled_text(start + part, style)}", err=err)


def _hanging_lines(body: str, room: int, hang: int) -> list[str]:
    """Wrap a line whose later lines have less room."""
    first = wrapped_text(body, room)[0]
    rest = body.expandtabs(TAB_COLUMNS)[len(first) :].lstrip()
    return [first, *(wrapped_text(rest, max(MIN_WRAPPED_COLUMNS, room - hang)) if rest else [])]


def shown_thread_id(thread_id: str) -> str:
    """Return a thread's id: short for a person, whole for a program."""
    return short_thread_id(thread_id) if sys.stdout.isatty() else thread_id


def shown_id(whole_id: str) -> str:
    """Return the id of a message or a bridge: short for a person, whole for a program."""
    return short_id(whole_id) if sys.stdout.isatty() else whole_id


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    widths: Sequence[int] = (),
    is_cut: bool = False,
    styles: Mapping[str, str] | None = None,
) -> None:
    """Print rows under their headings, as wide as the terminal allows.

    The first columns can have fixed widths: an id is copied, and must not break in two. In a
    table that is cut, each row stays on one line. `styles` are those of cells with these texts.
    """
    cells = [[safe_text(str(cell)) for cell in row] for row in (columns, *rows)]
    drawn = table_rows(cells, widths, screen_width(), is_cut=is_cut)
    for number, (row, lines) in enumerate(zip(cells, drawn, strict=True)):
        looks = [(styles or {}).get(cell, "") if number else "bold" for cell in row]
        for line in lines:
            click.echo((" " * GAP).join(map(styled_text, line, looks)))


def print_json(data: object) -> None:
    """Print any value of ours as JSON, in UTF-8 whatever the terminal's encoding."""
    from ai_smartness.views.json import json_value

    text = json.dumps(json_value(data), ensure_ascii=False, indent=2, allow_nan=False)
    # Half of a surrogate pair cannot be written in UTF-8; the backslash escape is valid JSON.
    click.echo(text.encode(errors="backslashreplace"))


def print_note(note: str) -> None:
    """Print on stderr what the user should know beside the answer."""
    print_text(f"note: {note}", style="yellow", err=True)


def safe_text(text: str) -> str:
    """Escape control characters, so that stored text cannot drive the terminal."""
    return text.translate(CONTROL_ESCAPES)


def one_line(text: str, limit: int) -> str:
    """Return a text on one line, cut to a number of characters."""
    return shortened_text(" ".join(text.split()), limit)

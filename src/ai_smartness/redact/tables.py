"""Find passwords in tables: CSV, tab-separated and Markdown, with a column that says `password`."""

from collections.abc import Iterator

from ai_smartness.redact import Secret
from ai_smartness.redact.plausibility import is_password
from ai_smartness.text.lazy_pattern import LazyPattern

__all__ = ["find_secrets_in_tables"]

MOST_ROWS = 1_000
MARKS = ("\t", "|", ";", ",")
HEADING = LazyPattern(
    r"(?i)[\s\"'`*]*(?:[\w ]{0,20}[ _])?(?:password|passwd|passphrase|pwd|pass)[\s\"'`*]*"
)
FEWEST_CELLS = 2


def find_secrets_in_tables(text: str) -> Iterator[Secret]:
    """Yield the passwords below the heading of their column."""
    lines = list(_lines(text))
    number = 0
    while number < len(lines):
        heading = _heading(lines[number][1])
        number += 1
        if heading is None:
            continue
        mark, cells, column = heading
        for start, line in lines[number : number + MOST_ROWS]:
            row = line.split(mark)
            if len(row) != cells:
                break
            yield from _password_in_cell(row, column, start)
            number += 1


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _heading(line: str) -> tuple[str, int, int] | None:
    """Return the mark between the cells, their number, and the column of passwords."""
    if "pass" not in line.lower() and "pwd" not in line.lower():
        return None
    for mark in MARKS:
        cells = line.split(mark)
        columns = [number for number, cell in enumerate(cells) if HEADING.fullmatch(cell)]
        if len(cells) >= FEWEST_CELLS and len(columns) == 1:
            return mark, len(cells), columns[0]
    return None


def _password_in_cell(row: list[str], column: int, start: int) -> Iterator[Secret]:
    cell = row[column]
    value = cell.strip(" \t\r\"'`")
    if is_password(value):
        start += sum(map(len, row[:column])) + column + cell.index(value)
        yield Secret("password", start, start + len(value))

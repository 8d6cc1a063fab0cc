"""The formats of keys and tokens, read from `vendors.txt`.

Each format lists the letters that its secrets begin with or contain: only a text with a long
enough word that has them is searched.
"""

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    Format = tuple[str, int, list[str], str]

__all__ = ["COMMANDS", "DOTTED", "FORMATS", "HIDDEN", "VENDORS", "expanded_pattern"]

_TABLE = __file__.rpartition("formats")[0] + "vendors.txt"

_CLASSES = (
    ("%a", "[A-Za-z0-9]"),
    ("%l", "[a-z0-9]"),
    ("%u", "[A-Z0-9]"),
    ("%h", "[0-9a-f]"),
    ("%H", "[0-9A-Fa-f]"),
    ("%w", "[A-Za-z0-9_-]"),
    ("%b", "[A-Za-z0-9+/]"),
    ("%g", "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
)


def expanded_pattern(pattern: str) -> str:
    """Return the regular expression that a pattern of the table stands for."""
    for short, whole in _CLASSES:
        pattern = pattern.replace(short, whole)
    return pattern


def _sections() -> "dict[str, list[str]]":
    """Return the rows of the table by section."""
    with open(_TABLE, encoding="utf-8") as file:
        sections = file.read().split("\n[")
    return {
        rows[0][:-1]: [row for row in rows[1:] if row and row[0] != "#"]
        for rows in (section.split("\n") for section in sections)
    }


def _formats(rows: "list[str]") -> "list[Format]":
    split_rows = [row.split(" ", 3) for row in rows]
    return [
        (kind, int(shortest), letters.split(","), pattern)
        for kind, shortest, letters, pattern in split_rows
    ]


def _dotted_format(row: str) -> "tuple[str, int, str]":
    kind, shortest, pattern = row.split(" ", 2)
    return kind, int(shortest), pattern


_rows = _sections()

FORMATS = _formats(_rows["begins"])
"""Kind, length of the shortest, beginnings, pattern of the rest. A `^` before a beginning forbids
`_` and `-` before it."""

HIDDEN = _formats(_rows["contains"])
"""Kind, length of the shortest, letters inside, pattern of the whole."""

DOTTED = _dotted_format(_rows["dotted"][0])
"""Kind, length of the shortest, pattern: parts between dots, and no other mark."""

VENDORS = [row.split(" ", 1) for row in _rows["named"]]
"""A service whose keys have no mark of their own, and what they look like beside its name."""

COMMANDS = [row.split(" ", 2) for row in _rows["commands"]]
"""Program, letters that stand in the command too, what stands right before the secret."""

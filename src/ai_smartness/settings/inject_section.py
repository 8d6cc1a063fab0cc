"""Tell by the settings files whether a stored brief still keeps to the settings of `inject`.

The hook compares the text of that section before it prints a stored brief: a person may have edited
it while no daemon ran. It compares text, as parsing takes longer. An edit that changes nothing only
means that the brief is written again. Standard library only: the hook imports this.
"""

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["inject_sections", "section_text"]

SECTION = "inject"


def inject_sections(paths: "Iterable[str]") -> "dict[str, str]":
    """Return the text about `inject` of each file; empty for one that cannot be read."""
    return {path: section_text(_file_text(path)) for path in paths}


def section_text(text: str) -> str:
    """Return the lines of a settings file that are about `inject`, without blanks and comments."""
    lines, table = list[str](), ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            table = line.partition("#")[0].strip("[ ]")
        elif _is_about_inject(table, line) and line and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def _is_about_inject(table: str, line: str) -> bool:
    # Without a table a key has the section's name before it: `inject.lines = 2`.
    name = table or line.replace('"', "")
    return name.partition(".")[0].partition("=")[0].strip() == SECTION


def _file_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

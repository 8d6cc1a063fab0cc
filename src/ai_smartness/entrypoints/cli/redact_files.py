"""Look for secrets in the files beside the store: the inbox, the logs, the answers to reads."""

from collections.abc import Iterator
from pathlib import Path

from ai_smartness.model.kept_secret import KeptSecret, kept_secret
from ai_smartness.redact import secrets_in

__all__ = ["secrets_in_files"]

FOLDERS = ("inbox", "logs", "recalls")
LINES_AT_ONCE = 2_000
"""A key block may span lines; a file of any size is read."""


def secrets_in_files(home: Path) -> list[KeptSecret]:
    """Return the secrets in the text files of a memory's home, without telling them."""
    found = list[KeptSecret]()
    for path in _files(home):
        for first, text in _pieces(path):
            for secret in secrets_in(text):
                line = first + text.count("\n", 0, secret.start)
                told = text[secret.start : secret.end]
                place = str(path.relative_to(home))
                found.append(kept_secret(secret.kind, told, where=f"line {line}", id_=place))
    return found


def _files(home: Path) -> list[Path]:
    inside = [path for name in FOLDERS for path in sorted((home / name).glob("**/*"))]
    return [path for path in [*sorted(home.glob("recall.log*")), *inside] if path.is_file()]


def _pieces(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line of each piece of a file, and its text."""
    lines, first = list[str](), 1
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            lines.append(line)
            if len(lines) == LINES_AT_ONCE:
                yield first, "".join(lines)
                first, lines = first + len(lines), []
    yield first, "".join(lines)

"""The hook's log: one line for each run, with how long it took, and what went wrong.

`2026-11-16T03:18:01Z event=UserPromptSubmit took_ms=21.4 by=daemon kept=1 shown=812`
"""

import os
import time

from ai_smartness.redact import redacted

__all__ = ["FILE", "timings", "write"]

FILE = "hook.log"
LONGEST_FILE_BYTES = 1_000_000
"""Some ten thousand runs; the file before it is kept as well."""

LONGEST_VALUE_CHARACTERS = 4_000


def write(folder: str, **told: object) -> None:
    """Add a line; a log that cannot be written is nobody's concern."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    values = redacted(" ".join(f"{name}={_one_word(value)}" for name, value in told.items()))
    path = os.path.join(folder, FILE)  # noqa: PTH118 - pathlib costs ten milliseconds
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{stamp} {values}\n".encode("utf-8", "backslashreplace"))
        full = os.fstat(handle).st_size > LONGEST_FILE_BYTES
    finally:
        os.close(handle)
    if full:
        os.replace(path, f"{path}.1")  # noqa: PTH105


def timings(folder: str) -> "list[tuple[str, float]]":
    """Return which event took how many milliseconds, the oldest first, as far as the log goes."""
    found = list[tuple[str, float]]()
    for name in (f"{FILE}.1", FILE):
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:  # noqa: PTH118, PTH123
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue
        for line in lines:
            told = dict(each.partition("=")[::2] for each in line.split(" "))
            if "event" in told and told.get("took_ms", "").replace(".", "", 1).isdecimal():
                found.append((told["event"], float(told["took_ms"])))
    return found


def _one_word(value: object) -> str:
    text = f"{value:.1f}" if isinstance(value, float) else str(value)
    # So that a line stays a line, and a word a word.
    return "_".join(text[:LONGEST_VALUE_CHARACTERS].split()) or "-"

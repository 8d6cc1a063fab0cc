"""Recordings: text that is kept in a file, and must come out the same until it is recorded anew."""

import difflib
import json
import platform
import re
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import ai_smartness

__all__ = ["Recording"]

PACKAGE = str(Path(ai_smartness.__file__).parent)
MOST_LINES = 80
LONG_FRACTION = re.compile(r"(?<![\w.])[0-9]+\.[0-9]{7,}(?:e-[0-9]+)?(?![\w.])")
"""A computed number: its last digits are the machine's."""

PROOF_COUNT = re.compile(
    r'(?<="words": )[0-9]+|(?<="kept": )[0-9]+|(?<="read": )[0-9]+'
    r"|[0-9]+(?= words (?:that only they had|of theirs stay))"
)
"""Of a deletion's proof: words that the program's own source holds are left out of it."""

FRACTION = re.compile(r"(?<![\w.])[0-9]+\.[0-9]{5,6}(?![\w.])")
FRACTION_TOLERANCE = 5e-5
"""Sums differ between processors in the last digits that are recorded."""

SIZE = re.compile(r"\b[0-9][0-9,.]* ?(?:bytes|[kKMG]i?B)\b")


class Recording:
    """Text in sections, compared with a file when the test is done."""

    def __init__(self, file: Path, paths: Mapping[str, str], *, record: bool) -> None:
        self._file = file
        self._paths = paths
        self._record = record
        self._sections: list[str] = []

    def add(self, title: str, text: str) -> None:
        """Add a section."""
        plain = self._plain(text)
        if "forget" in title:
            plain = PROOF_COUNT.sub("<count>", plain)
        body = "\n".join(line.rstrip() for line in plain.splitlines())
        self._sections.append(f"━━━ {self._plain(title)}\n{body}".rstrip())

    def add_data(self, title: str, data: object) -> None:
        """Add a section of data."""
        self.add(title, json.dumps(data, ensure_ascii=False, indent=1, default=str))

    def check(self) -> None:
        """Compare with the file, or write it where that is asked for."""
        text = "\n\n".join(self._sections) + "\n"
        if self._record:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            then = self._file.read_text(encoding="utf-8") if self._file.exists() else ""
            self._file.write_text(with_recorded_digits(then, text), encoding="utf-8")
            return
        if not self._file.exists():
            pytest.fail(f"{self._file.name} was never recorded: run pytest with --record")
        then = self._file.read_text(encoding="utf-8")
        if not is_same_text(then, text):
            changes = difflib.unified_diff(
                then.splitlines(), text.splitlines(), "recorded", "now", n=2, lineterm=""
            )
            shown = [line for _, line in zip(range(MOST_LINES), changes, strict=False)]
            pytest.fail(f"{self._file.name} is no longer what it was:\n" + "\n".join(shown))

    def _plain(self, text: str) -> str:
        """Return the text without what another machine, folder or run would have otherwise."""
        for path, name in self._paths.items():
            text = text.replace(path, name)
        text = text.replace(PACKAGE, "<package>").replace(sys.executable, "<python>")
        for version in (platform.python_version(), sqlite3.sqlite_version):
            text = text.replace(version, "<version>")
        text = LONG_FRACTION.sub(lambda found: f"{float(found[0]):.6f}", text)
        return SIZE.sub("<size>", text)


def with_recorded_digits(then: str, now: str) -> str:
    """Return a text with the last digits of its numbers as they were recorded before."""
    old, new = then.splitlines(keepends=True), now.splitlines(keepends=True)
    before, after = ([FRACTION.sub("#", line) for line in lines] for lines in (old, new))
    for block in difflib.SequenceMatcher(None, before, after).get_matching_blocks():
        for number in range(block.size):
            line = old[block.a + number]
            if is_same_text(line, new[block.b + number]):
                new[block.b + number] = line
    return "".join(new)


def is_same_text(then: str, now: str) -> bool:
    """Say whether two texts are equal, apart from the last digits of computed numbers."""
    if FRACTION.split(then) != FRACTION.split(now):
        return False
    pairs = zip(FRACTION.findall(then), FRACTION.findall(now), strict=True)
    return all(abs(float(one) - float(other)) <= FRACTION_TOLERANCE for one, other in pairs)

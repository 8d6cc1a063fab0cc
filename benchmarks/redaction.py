"""How many secrets of a labelled file redaction finds, and what it changes that is none.

Takes a file of lines with a `text`, a `label` (1 for a secret), a `kind` and a `source` (gzipped
JSON lines). Beside our figures, if it is installed, those of `detect-secrets` with its default
plugins on the same lines. The cross-validation chooses the limits of redaction on all sources but
one, and reports that one. Made-up lines follow: of the formats that were left out of the
development of rules, and of the others. With `--sessions`, conversations of the recall sets'
format: how many ordinary lines are changed.
"""

import argparse
import gzip
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from time import process_time

from ai_smartness.redact import find_secrets, redacted_text
from kit.cross_validation import JudgedLine, chosen_limits, limits_set
from kit.ordinary_lines import made_ordinary_lines
from kit.secret_lines import LATER_TABLES, left_out, made_secret_lines
from kit.timing import print_table

PERCENT = 100
FRESH_TABLE = "secret_lines_fresh.txt"  # the one that came with ordinary lines of its own

Finder = Callable[[str], bool]


@dataclass(frozen=True)
class Labelled:
    """A line of the file."""

    text: str
    is_secret: bool
    kind: str
    source: str


@dataclass
class Score:
    """What was found of the secrets, and what of the rest."""

    secrets: int = 0
    found: int = 0
    others: int = 0
    wrong: int = 0

    def add(self, line: Labelled, *, hit: bool) -> None:
        """Count one line."""
        if line.is_secret:
            self.secrets += 1
            self.found += hit
        else:
            self.others += 1
            self.wrong += hit

    def __add__(self, other: "Score") -> "Score":
        """Return both together."""
        mine, theirs = astuple(self), astuple(other)
        return Score(*(a + b for a, b in zip(mine, theirs, strict=True)))

    @property
    def counts(self) -> list[str]:
        """Write how many secrets and others there were, and how many of these were changed."""
        return [str(self.secrets), str(self.others), str(self.wrong)]

    @property
    def recall(self) -> str:
        """Write the share of secrets that was found."""
        return _share(self.found, self.secrets)

    @property
    def precision(self) -> str:
        """Write the share of secrets among what was found."""
        return _share(self.found, self.found + self.wrong)


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="labelled lines")
    parser.add_argument("--sessions", type=Path, nargs="+", default=[], help="ordinary lines")
    parser.add_argument("--kinds", action="store_true", help="recall and precision by kind too")
    parser.add_argument("--missed", action="store_true", help="list wrong lines of made-up formats")
    parser.add_argument("--samples", type=int, default=60, help="changed lines to print")
    options = parser.parse_args()
    lines = labelled(options.file)
    finders = {"ours": changes, **detect_secrets()}
    show_overall(lines, finders)
    if options.kinds:
        show_kinds(lines, finders)
    show_cross_validation(lines)
    show_made_lines(missed=options.missed)
    if options.sessions:
        show_sessions(options.sessions, options.samples)


def labelled(path: Path) -> list[Labelled]:
    """Read the file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [Labelled(row["text"], bool(row["label"]), row["kind"], row["source"]) for row in rows]


def changes(text: str) -> bool:
    """Say whether redaction changes a text."""
    return redacted_text(text) != text


def detect_secrets() -> dict[str, Finder]:
    """Return `detect-secrets` with its default plugins, if it is here."""
    try:
        from detect_secrets.core.scan import scan_file
        from detect_secrets.settings import default_settings
    except ImportError:
        print("skipped: detect-secrets is not here: pip install detect-secrets", file=sys.stderr)
        return {}

    @cache
    def finds(text: str) -> bool:
        # As a file, as it is meant to be used: given a bare line, it takes any word for a secret.
        with tempfile.TemporaryDirectory() as folder, default_settings():
            path = Path(folder) / "lines.txt"
            path.write_text(text, encoding="utf-8")
            return any(scan_file(str(path)))

    return {"detect-secrets": finds}


def show_overall(lines: Sequence[Labelled], finders: dict[str, Finder]) -> None:
    """Print recall and precision of each finder, by where the lines come from."""
    groups: dict[str, Callable[[Labelled], bool]] = {"all": lambda _: True}
    for source in sorted({line.source for line in lines}):
        groups[f"from {source}"] = lambda line, wanted=source: line.source == wanted  # type: ignore[misc]
    rows = []
    for name, belongs in groups.items():
        some = [line for line in lines if belongs(line)]
        for finder, finds in finders.items():
            score = scored(some, finds)
            rows.append([name, finder, score.recall, score.precision, *score.counts])
    columns = ["lines", "by", "recall %", "precision %", "secrets", "others", "wrong"]
    print_table("overall", columns, rows)


def show_kinds(lines: Sequence[Labelled], finders: dict[str, Finder]) -> None:
    """Print recall and precision by kind."""
    kinds: dict[str, list[Labelled]] = defaultdict(list)
    for line in lines:
        kinds[line.kind].append(line)
    rows = []
    for kind, some in sorted(kinds.items(), key=lambda item: -len(item[1])):
        scores = [scored(some, finds) for finds in finders.values()]
        shares = [cell for score in scores for cell in (score.recall, score.precision)]
        rows.append([kind, str(scores[0].secrets), str(scores[0].others), *shares])
    columns = [f"{what} {name}" for name in finders for what in ("recall", "precision")]
    print_table("by kind, %", ["kind", "secrets", "others", *columns], rows)


def show_cross_validation(lines: Sequence[Labelled]) -> None:
    """Print each source with the limits that were chosen on the others and on made-up lines."""
    made = [
        JudgedLine(line.text, is_secret=True) for line in made_secret_lines(1) if seen(line.format)
    ]
    made += [
        JudgedLine(line.text, is_secret=False)
        for line in made_ordinary_lines(1)
        if seen(line.format)
    ]
    whole, rows = Score(), []
    for source in sorted({line.source for line in lines}):
        others = [JudgedLine(line.text, line.is_secret) for line in lines if line.source != source]
        limits = chosen_limits(others + made)
        with limits_set(limits):
            score = scored([line for line in lines if line.source == source], detects)
        whole = whole + score
        chosen = ", ".join(f"{name} {value:g}" for name, value in limits.items())
        rows.append([source, score.recall, score.precision, *score.counts, chosen])
    rows.append(["all", whole.recall, whole.precision, *whole.counts, ""])
    columns = ["left out", "recall %", "precision %", "secrets", "others", "wrong", "limits chosen"]
    print_table("cross-validation by source", columns, rows)


def show_made_lines(*, missed: bool) -> None:
    """Print how many made-up secrets are gone, and how many ordinary lines are changed."""
    scores = defaultdict[str, Score](Score)
    lines = [("batch 1, ", line) for line in [*made_secret_lines(), *made_ordinary_lines()]]
    for number, table in enumerate(LATER_TABLES, start=2):
        made = [*made_secret_lines(table=table)]
        if table == FRESH_TABLE:
            made += made_ordinary_lines(table=table.replace("secret", "ordinary"))
        lines += [(f"batch {number}, ", line) for line in made]
    for batch, line in lines:
        clean = redacted_text(line.text)
        pieces = line.secret.split("\n")
        hit = all(piece not in clean for piece in pieces) if line.secret else clean != line.text
        part = f"{batch}{'seen' if seen(line.format) else 'left out'}"
        scores[part].add(Labelled(line.text, bool(line.secret), line.format, "made up"), hit=hit)
        if missed and seen(line.format) and hit != bool(line.secret):
            print(f"{'missed' if line.secret else 'wrong':7} {line.format}: {line.text!r}")
    rows = [[name, score.recall, score.precision, *score.counts] for name, score in scores.items()]
    columns = ["formats", "recall %", "precision %", "secrets", "others", "wrong"]
    print_table("made-up lines", columns, rows)


def seen(made_format: str) -> bool:
    """Say whether the lines of a format could be read while rules were written."""
    return not left_out(made_format)


def detects(text: str) -> bool:
    """Say whether redaction finds a secret; unlike `redacted_text`, it remembers no text."""
    return bool(find_secrets(text))


def scored(lines: Sequence[Labelled], finds: Finder) -> Score:
    """Score a finder."""
    score = Score()
    for line in lines:
        score.add(line, hit=finds(line.text))
    return score


def show_sessions(paths: Sequence[Path], samples: int) -> None:
    """Print how many ordinary lines are changed, and some of them to be judged by eye."""
    changed, rows = list[tuple[str, str]](), []
    for path in paths:
        lines, started = list(ordinary(path)), process_time()
        found = [(line, after) for line in lines if (after := redacted_text(line)) != line]
        seconds = process_time() - started
        size = sum(map(len, lines)) / 1_000_000
        share = f"1 in {len(lines) // len(found):,}" if found else "-"
        row = [path.name, f"{len(lines):,}", str(len(found)), share, f"{seconds / size:.2f}"]
        rows.append(row)
        changed += found
    print_table("ordinary lines", ["file", "lines", "changed", "", "CPU s / million chars"], rows)
    for line, after in random.Random(0).sample(changed, min(samples, len(changed))):
        at = next((n for n, (a, b) in enumerate(zip(line, after, strict=False)) if a != b), 0)
        cut = slice(max(0, at - 60), at + 90)
        print(f"  - {line[cut]}\n  + {after[cut]}")


def ordinary(path: Path) -> Iterator[str]:
    """Yield the lines of all messages that say something."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in file:
            for message in json.loads(row)["corpus"]:
                yield from (line for line in message["text"].split("\n") if line.strip())


def _share(part: int, whole: int) -> str:
    return f"{PERCENT * part / whole:.1f}" if whole else "-"


if __name__ == "__main__":
    main()

"""How many secrets of a labelled file redaction finds, and what it changes that is none.

Takes a file of lines with a `text`, a `label` (1 for a secret), a `kind` and a `source` (gzipped
JSON lines). Rules were written looking at the half `seen`; the half `unseen` says how they do on
others. Beside it, if it is installed, `detect-secrets` with its default plugins on the same lines.
With `--sessions`, conversations of the recall sets' format: how many ordinary lines are changed.
"""

import argparse
import gzip
import hashlib
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time

from ai_smartness.redact import redacted_text
from kit.timing import print_table

PERCENT = 100
SHOWN_CHARACTERS = 150

Finder = Callable[[str], bool]


@dataclass(frozen=True)
class Labelled:
    """A line of the file."""

    text: str
    is_secret: bool
    kind: str
    source: str

    @property
    def half(self) -> str:
        """The half it falls into, by its own words."""
        digest = hashlib.sha256(self.text.encode()).digest()
        return "unseen" if digest[-1] % 2 else "seen"


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
    parser.add_argument("--sessions", type=Path, help="conversations, all of them ordinary")
    parser.add_argument("--missed", action="store_true", help="list what of `seen` went wrong")
    parser.add_argument("--samples", type=int, default=40, help="changed lines to print")
    given = parser.parse_args()
    lines = labelled(given.file)
    finders = {"ours": changes, **detect_secrets()}
    show_overall(lines, finders)
    show_kinds(lines, finders)
    if given.missed:
        show_missed(lines)
    if given.sessions:
        show_sessions(given.sessions, given.samples)


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
    """Print recall and precision of each finder, by half and by where the lines come from."""
    groups: dict[str, Callable[[Labelled], bool]] = {
        "all": lambda _: True,
        "seen": lambda line: line.half == "seen",
        "unseen": lambda line: line.half == "unseen",
    }
    for source in sorted({line.source for line in lines}):
        groups[f"from {source}"] = lambda line, wanted=source: line.source == wanted  # type: ignore[misc]
    rows = []
    for name, belongs in groups.items():
        some = [line for line in lines if belongs(line)]
        for finder, finds in finders.items():
            score = scored(some, finds)
            counts = (score.secrets, score.others, score.wrong)
            rows.append([name, finder, score.recall, score.precision, *map(str, counts)])
    columns = ["lines", "by", "recall %", "precision %", "secrets", "others", "wrong"]
    print_table("overall", columns, rows)


def show_kinds(lines: Sequence[Labelled], finders: dict[str, Finder]) -> None:
    """Print recall and precision by kind."""
    kinds: dict[str, list[Labelled]] = defaultdict(list)
    for line in lines:
        kinds[line.kind].append(line)
    rows = []
    for kind, some in sorted(kinds.items(), key=lambda each: -len(each[1])):
        scores = [scored(some, finds) for finds in finders.values()]
        told = [cell for score in scores for cell in (score.recall, score.precision)]
        rows.append([kind, str(scores[0].secrets), str(scores[0].others), *told])
    each = [f"{what} {name}" for name in finders for what in ("recall", "precision")]
    print_table("by kind, %", ["kind", "secrets", "others", *each], rows)


def show_missed(lines: Sequence[Labelled]) -> None:
    """Print what went wrong in the half that may be looked at."""
    for line in lines:
        if line.half == "seen" and changes(line.text) != line.is_secret:
            what = "missed" if line.is_secret else "wrong"
            print(f"{what:7} {line.kind}: {line.text[:SHOWN_CHARACTERS]!r}")


def scored(lines: Sequence[Labelled], finds: Finder) -> Score:
    """Score a finder."""
    score = Score()
    for line in lines:
        score.add(line, hit=finds(line.text))
    return score


def show_sessions(path: Path, samples: int) -> None:
    """Print how many ordinary lines are changed, and some of them to be judged by eye."""
    whole, started = list(ordinary(path)), process_time()
    changed = [(line, after) for line in whole if (after := redacted_text(line)) != line]
    took = process_time() - started
    share = 1_000 * len(changed) / max(1, len(whole))
    size = sum(map(len, whole)) / 1_000_000
    print(
        f"\n{len(whole):,} lines, {len(changed)} changed: {share:.3f} in 1,000 "
        f"({took / max(size, 1e-9):.2f} s of processor a million characters)",
    )
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

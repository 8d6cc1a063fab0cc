"""Names that stand for one thing: no two public classes of the source are called the same."""

import ast
from collections import defaultdict
from pathlib import Path

import ai_smartness

SOURCE = Path(ai_smartness.__file__).parent

DOUBLED_TODAY: frozenset[str] = frozenset(
    {
        "Asked",
        "Asking",
        "Case",
        "Centres",
        "Choice",
        "Context",
        "Deed",
        "Draft",
        "Entry",
        "Forgotten",
        "Found",
        "Given",
        "Handoff",
        "Hit",
        "Ignored",
        "Line",
        "Mention",
        "Origin",
        "Place",
        "Planned",
        "Proof",
        "Reading",
        "Record",
        "Reply",
        "Run",
        "Said",
        "Scope",
        "Server",
        "Setting",
        "SettingsFile",
        "Sort",
        "Span",
        "Standing",
        "Status",
        "Suggestions",
        "Turn",
        "Verbs",
        "Weights",
        "Written",
    }
)
"""Names that are still doubled; the list only ever gets shorter."""


def public_classes() -> dict[str, list[str]]:
    """Return the files of each public class, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(SOURCE)))
    return found


def test_a_public_class_has_a_name_of_its_own() -> None:
    doubled = {name: files for name, files in public_classes().items() if len(files) > 1}

    assert {name: files for name, files in doubled.items() if name not in DOUBLED_TODAY} == {}


def test_what_is_no_longer_doubled_is_off_the_list() -> None:
    doubled = {name for name, files in public_classes().items() if len(files) > 1}

    assert doubled >= DOUBLED_TODAY

"""Names that stand for one thing: no two public classes of the source are called the same."""

import ast
from collections import defaultdict
from pathlib import Path

import ai_smartness

SOURCE = Path(ai_smartness.__file__).parent


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

    assert doubled == {}

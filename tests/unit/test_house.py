"""The project's own habits, where a linter does not look."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[ ]", each)[0] for each in requirements}


def test_the_hook_path_is_forbidden_every_dependency_we_have() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (hooks,) = [each for each in contracts if "hook path" in each["name"]]

    assert set(hooks["forbidden_modules"]) == names(PROJECT["project"]["dependencies"])


def test_every_ignored_lint_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    rules = [line.strip() for line in lines if re.match(r'\s*"[A-Z]+[0-9]+",', line)]
    continued = {'"D101",', '"D102",', '"D103",', '"D104",'}

    assert [line for line in rules if "#" not in line and line not in continued] == []


def test_every_page_the_docs_point_to_is_there() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    missing = [
        f"{page.relative_to(ROOT)} → {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        if not (page.parent / target).exists()
    ]

    assert missing == []

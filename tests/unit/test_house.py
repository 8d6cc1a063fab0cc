"""The project's own habits, where a linter does not look."""

import ast
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


def lines_about_one_engine(module: Path) -> list[str]:
    """Return the lines that name SQLite or its file, except in tests marked `file_store`."""
    text = module.read_text()
    lines = text.splitlines()
    for node in ast.parse(text).body:
        marks = map(ast.unparse, getattr(node, "decorator_list", []))
        if "pytest.mark.file_store" in marks:
            lines[node.lineno - 1 : node.end_lineno] = [""] * (
                (node.end_lineno or node.lineno) - node.lineno + 1
            )
    named = re.compile(r"SqliteStore|adapters\.sqlite|memory\.db")
    return [f"{module.name}: {line.strip()}" for line in lines if named.search(line)]


def test_what_runs_on_every_engine_names_none() -> None:
    tests = ROOT / "tests"
    marked = [
        module
        for module in tests.glob("flow/test_*.py")
        if "pytestmark = pytest.mark.every_engine" in module.read_text()
    ]

    wrong = [
        line
        for module in (*marked, *tests.glob("contract/*.py"))
        for line in lines_about_one_engine(module)
    ]

    assert len(marked) > 20
    assert wrong == []


SQL = re.compile(r"\b(?:SELECT .*|DELETE )FROM |INSERT INTO |\bUPDATE \w+ SET |\b_?sqlite3\b")
OTHER_PROGRAMS = {"clients/claude_mem.py"}  # reads the database of another program
NAMING_THE_FILE = {"settings/paths.py"}  # where the files of a memory are


def test_only_the_adapters_speak_sql_and_know_the_memorys_file() -> None:
    package = ROOT / "src" / "ai_smartness"
    modules = {
        str(path.relative_to(package)): code_only(path.read_text())
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] != "adapters"
    }

    speaking = {name for name, code in modules.items() if SQL.search(code)}
    naming = {name for name, code in modules.items() if "memory.db" in code}

    assert speaking == OTHER_PROGRAMS
    assert naming == NAMING_THE_FILE


def code_only(text: str) -> str:
    """Return a module without the lists of programs, one of which is `sqlite3`."""
    lines = text.splitlines()
    return "\n".join(line for line in lines if "import" in line or " sqlite3 " not in f" {line} ")

"""Every block of shell and Python in the README, the tutorial and the how-to pages is run.

A page is one terminal: its blocks run in order, in one shell, in an empty folder with an empty
home. A block below `<!-- not run with the page: reason -->` is left out. Blocks of other
languages, such as `text`, show output.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from ai_smartness.ports import Embedder

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/library.md",
    *(f"docs/how-to/{path.name}" for path in sorted((ROOT / "docs" / "how-to").glob("*.md"))),
]
BLOCK = re.compile(
    r"(?P<skipped><!-- not run with the page: [^>]+ -->\n)?```(?P<language>\w*)\n(?P<code>.*?)```",
    re.DOTALL,
)
NAMED_TEST = re.compile(r"tests/[\w/]+\.(?:py|jsonl)")
RUN = ("sh", "python")
TUTORIAL = "docs/tutorial.md"


class Block(NamedTuple):
    """A block of code on a page."""

    language: str
    code: str


def run_blocks(page: str) -> list[Block]:
    found = BLOCK.finditer((ROOT / page).read_text(encoding="utf-8"))
    return [
        Block(match["language"], match["code"])
        for match in found
        if match["language"] in RUN and not match["skipped"]
    ]


def shell_script(blocks: list[Block]) -> str:
    """Put the blocks of a page into one script; Python blocks are programs that it starts."""
    parts = ["set -e"]
    for number, block in enumerate(blocks):
        if block.language == "sh":
            parts.append(block.code)
        else:
            parts.append(f"python - <<'END OF BLOCK {number}'\n{block.code}END OF BLOCK {number}\n")
    return "\n".join(parts)


def run_page(page: str, folder: Path, cache: Path) -> str:
    """Run the blocks of a page as a newcomer would, and return what they print."""
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
        "AIS_CACHE": str(cache),
        "HF_HUB_OFFLINE": "1",
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        ["bash", "-c", shell_script(run_blocks(page))],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if page != TUTORIAL])
def test_the_blocks_of_a_page_run_in_order(
    page: str, tmp_path: Path, models_folder: Path, real_embedder: Embedder
) -> None:
    assert real_embedder.dimension

    assert run_page(page, tmp_path, models_folder.parent) or not run_blocks(page)


def test_the_tutorial_runs_and_gives_the_answers_that_it_quotes(
    tmp_path: Path, models_folder: Path, real_embedder: Embedder
) -> None:
    assert real_embedder.dimension

    printed = run_page(TUTORIAL, tmp_path, models_folder.parent)

    assert "- 9 Apr, agent: The session lifetime in src/auth/session.py is now 30 days." in printed
    assert "Invoices must never be sent twice" in printed
    assert "drop JWT altogether" in printed.partition("<ai-smartness-memory>")[2]
    assert "\n''\n" in printed  # what "ok, go on" gets


def test_every_block_says_its_language() -> None:
    """So that none is left out by mistake."""
    for page in PAGES:
        fences = re.findall(r"^```(.*)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert all(fences[::2]), page


def test_every_test_that_a_page_names_is_there() -> None:
    named = {name for page in DOCS for name in NAMED_TEST.findall(page.read_text(encoding="utf-8"))}

    assert len(named) > 40
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_the_site_is_built_from_the_pages(tmp_path: Path) -> None:
    site = tmp_path / "site"

    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
        capture_output=True,
    )

    built = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in DOCS}
    assert {page.with_name("index") if page.name == "README" else page for page in pages} <= built

#!/usr/bin/env python3
"""Check that every link in our Markdown pages leads to a file and a heading that exist.

Addresses on the web are not asked: `scripts/check` works without a network.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["broken_links", "heading_anchors"]

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.+?) *#* *$", re.MULTILINE)
WEB = ("http://", "https://", "mailto:")


def broken_links(page: Path) -> Iterator[str]:
    """Yield a sentence for each link of a page that leads nowhere."""
    text = CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    for target in LINK.findall(text):
        if target.startswith(WEB):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield f"{page.relative_to(ROOT)}: {target} does not exist"
        elif anchor and file.suffix == ".md" and anchor not in heading_anchors(file):
            yield f"{page.relative_to(ROOT)}: {target}: there is no such heading"


@cache
def heading_anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub and MkDocs make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return frozenset(_anchor(heading) for heading in HEADING.findall(text))


def _anchor(heading: str) -> str:
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def _pages() -> list[Path]:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - git
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


if __name__ == "__main__":
    broken = [problem for page in _pages() for problem in broken_links(page)]
    if broken:
        sys.exit("Broken links:\n" + "\n".join(f"  {problem}" for problem in broken))

"""Links in pages are checked, with their headings."""

from pathlib import Path

import links
import pytest
from links import broken_links, heading_anchors


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(links, "ROOT", tmp_path)
    return tmp_path


def test_a_link_to_a_missing_page_or_heading_is_named(root: Path) -> None:
    (root / "b.md").write_text("# A `code` heading: of two\n")
    page = root / "a.md"
    page.write_text(
        "[good](b.md) [good](b.md#a-code-heading-of-two) [good](#here) [web](https://example.org)\n"
        "# Here\n[gone](c.md) [gone](b.md#elsewhere)\n"
    )

    problems = list(broken_links(page))

    assert problems == [
        "a.md: c.md does not exist",
        "a.md: b.md#elsewhere: there is no such heading",
    ]


def test_links_and_headings_in_code_are_none(root: Path) -> None:
    page = root / "a.md"
    page.write_text("`[x](y.md)`\n```\n# No heading\n[x](y.md)\n```\n# One\n")

    assert list(broken_links(page)) == []
    assert heading_anchors(page) == {"one"}

"""Ask axe-core what is wrong with a page for people who cannot see it, or use no mouse."""

from pathlib import Path

from playwright.sync_api import Page

__all__ = ["violations"]

AXE = Path(__file__).parent / "web" / "vendor" / "axe-4.14.0.min.js"


def violations(page: Page) -> list[str]:
    """Ask axe, and return what it complains about."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    answer = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{item['id']}: {item['help']}: {node['html'][:120]}"
        for item in answer["violations"]
        for node in item["nodes"]
    ]

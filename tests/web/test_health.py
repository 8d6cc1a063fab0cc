"""Health: a person has the setup checked, as `ais doctor` does."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from axe import violations
from hooking import an_event, hooked


def test_the_checks_of_the_doctor_run_on_request(page: Page) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Health").click()

    page.get_by_text("Check the setup now").click()

    checks = page.locator("#checks table")
    expect(checks.get_by_role("rowheader", name="settings")).to_be_visible(timeout=60_000)
    assert "1 value set, the rest by default" in checks.inner_text()
    assert "intact, readable only by you" in checks.inner_text()
    assert violations(page) == []


def test_hooks_are_listed_by_client_with_their_times(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop
    for number in range(3):
        prompt = {"prompt": "why did we drop JWT?", "prompt_id": f"p{number}", "cwd": str(root)}
        assert hooked(home, an_event("UserPromptSubmit", **prompt)).is_harmless

    own_page.get_by_role("navigation", name="Pages").get_by_role("link", name="Health").click()

    row = own_page.get_by_role("row").filter(has=own_page.get_by_role("rowheader", name="claude"))
    runs, p50, p95, _errors, prompts, last = row.get_by_role("cell").all_inner_texts()
    assert runs == "3"
    assert float(p50.removesuffix(" ms")) <= float(p95.removesuffix(" ms"))
    assert prompts.startswith("3 in the log")
    assert re.fullmatch(r"\d+ \w+ \d{4}, \d\d:\d\d UTC", last)

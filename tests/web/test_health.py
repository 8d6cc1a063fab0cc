"""Health: a person has the setup checked, as `ais doctor` does."""

from playwright.sync_api import Page, expect

from axe import violations


def test_the_checks_of_the_doctor_run_on_request(page: Page) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Health").click()

    page.get_by_text("Check the setup now").click()

    checks = page.locator("#checks table")
    expect(checks.get_by_role("rowheader", name="settings")).to_be_visible(timeout=60_000)
    assert "1 value set, the rest by default" in checks.inner_text()
    assert "intact, readable only by you" in checks.inner_text()
    assert violations(page) == []

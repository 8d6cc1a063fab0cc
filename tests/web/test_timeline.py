"""Timeline and Neighbourhood, as a person uses them."""

import re

from playwright.sync_api import Page, expect

from axe import violations

LINKED = "Moving sessions from Redis to Postgres"


def open_page(page: Page, title: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def test_the_timeline_has_a_lane_for_each_thread_and_a_colour_for_each_client(page: Page) -> None:
    open_page(page, "Timeline")

    expect(page.locator("svg.timeline .lane-title", has_text="Customs forms")).to_have_count(1)
    assert page.locator("svg.timeline rect").count() > 5
    assert "claude-code" in page.locator(".legend").inner_text()
    expect(page.locator("svg.timeline rect title").first).to_contain_text("message")


def test_a_session_of_the_timeline_leads_to_its_turns(page: Page) -> None:
    open_page(page, "Timeline")
    sessions = page.get_by_role("link", name=re.compile("^Session "))
    assert sessions.count() >= 2

    sessions.first.focus()
    page.keyboard.press("Enter")

    page.wait_for_url(re.compile(r"turns\?session="))


def test_the_timeline_zooms_in_out_and_moves(page: Page) -> None:
    open_page(page, "Timeline")
    lanes = page.locator("svg.timeline .lane").count()

    page.get_by_role("link", name="week", exact=True).click()
    page.wait_for_url(re.compile("span=week"))
    assert page.locator("svg.timeline .lane").count() < lanes

    page.get_by_role("link", name="← earlier").click()
    page.wait_for_url(re.compile("span=week"))
    expect(page.get_by_role("link", name="later →")).to_be_visible()

    page.get_by_role("link", name="month", exact=True).click()
    page.wait_for_url(re.compile("span=month"))
    page.locator("svg.timeline a", has=page.locator(".tick")).first.click()
    page.wait_for_url(re.compile("span=week"))
    assert violations(page) == []


def test_a_lane_leads_to_its_thread(page: Page) -> None:
    open_page(page, "Timeline")

    page.locator("svg.timeline a", has_text="Customs forms for Switzerland").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Customs forms for Switzerland")


def test_a_neighbourhood_leads_from_thread_to_thread(page: Page) -> None:
    open_page(page, "Neighbourhood")
    page.get_by_label("Around the thread").select_option(label=LINKED)
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile(r"neighbourhood\?id="))
    expect(page.locator("svg.near text.centre")).to_have_text(re.compile("^Moving sessions"))
    assert page.locator("svg.near .bridge").count() >= 1
    assert violations(page) == []

    page.locator("svg.near a").nth(1).click()

    expect(page.locator("svg.near text.centre")).not_to_have_text(re.compile("^Moving sessions"))
